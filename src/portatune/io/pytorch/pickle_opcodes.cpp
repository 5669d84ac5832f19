#include "portatune/io/pytorch/pickle_opcodes.h"

#include <algorithm>
#include <iterator>

#include "portatune/base/text/message.h"

namespace portatune::io {
namespace {

struct OpcodeName {
  uint8_t opcode;
  const char* name;
};
constexpr OpcodeName kUnsupported[] = {{'0', "POP"},
                                       {'1', "POP_MARK"},
                                       {'2', "DUP"},
                                       {'B', "BINBYTES"},
                                       {'C', "SHORT_BINBYTES"},
                                       {'F', "FLOAT"},
                                       {'G', "BINFLOAT"},
                                       {'I', "INT"},
                                       {'L', "LONG"},
                                       {'P', "PERSID"},
                                       {'S', "STRING"},
                                       {'V', "UNICODE"},
                                       {'d', "DICT"},
                                       {'T', "BINSTRING"},
                                       {'g', "GET"},
                                       {'i', "INST"},
                                       {'l', "LIST"},
                                       {'o', "OBJ"},
                                       {'p', "PUT"},
                                       {0x81, "NEWOBJ"},
                                       {0x82, "EXT1"},
                                       {0x83, "EXT2"},
                                       {0x84, "EXT4"},
                                       {0x8b, "LONG4"},
                                       {0x8c, "SHORT_BINUNICODE"},
                                       {0x8d, "BINUNICODE8"},
                                       {0x8e, "BINBYTES8"},
                                       {0x8f, "EMPTY_SET"},
                                       {0x90, "ADDITEMS"},
                                       {0x91, "FROZENSET"},
                                       {0x92, "NEWOBJ_EX"},
                                       {0x93, "STACK_GLOBAL"},
                                       {0x94, "MEMOIZE"},
                                       {0x95, "FRAME"},
                                       {0x96, "BYTEARRAY8"},
                                       {0x97, "NEXT_BUFFER"},
                                       {0x98, "READONLY_BUFFER"}};

}  // namespace

std::string name_of_unsupported(uint8_t opcode) {
  const auto row = std::ranges::find(kUnsupported, opcode, &OpcodeName::opcode);
  const std::string byte = hexadecimal_byte(static_cast<char>(opcode));
  return row == std::end(kUnsupported) ? byte : std::string(row->name) + " (" + byte + ")";
}

}  // namespace portatune::io
