// The opcodes of Python pickles.
#pragma once

#include <cstdint>
#include <string>

namespace portatune::io {

/// The opcodes that PyTorch writes for tensors, all of protocol 2.
/// source    https://github.com/python/cpython/blob/main/Lib/pickletools.py
enum class Opcode : uint8_t {
  kProto = 0x80,
  kStop = '.',
  kMark = '(',

  kNone = 'N',
  kTrue = 0x88,
  kFalse = 0x89,
  kInt32 = 'J',
  kUInt8 = 'K',
  kUInt16 = 'M',
  kLong1 = 0x8a,
  kUnicode = 'X',
  kShortString = 'U',
  kGlobal = 'c',

  kEmptyTuple = ')',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kTuple = 't',
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',

  kPut8 = 'q',
  kPut32 = 'r',
  kGet8 = 'h',
  kGet32 = 'j',

  kReduce = 'R',
  kBuild = 'b',
  kPersistentId = 'Q'
};

/// Python's name and the byte of an opcode that is not in Opcode: "INST (0x69)".
std::string name_of_unsupported(uint8_t opcode);

}  // namespace portatune::io
