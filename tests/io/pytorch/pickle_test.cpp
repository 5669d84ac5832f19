#include "portatune/io/pytorch/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::string_literals;

constexpr std::string_view kGlobals[] = {"torch.FloatStorage"};

Pickle read(const std::string& bytes) { return read_pickle(std::as_bytes(std::span(bytes)), kGlobals, "made.bin"); }

std::string refusal_of_pickle(const std::string& bytes) {
  return message_of<CheckpointError>([&] { read(bytes); });
}

// The value as text in Python's notation.
std::string python_text(const PickleValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const auto* text = std::get_if<std::string_view>(&value)) return "'" + std::string(*text) + "'";
  if (const auto* global = std::get_if<PickleGlobal>(&value)) return std::string(global->name);
  if (std::holds_alternative<std::monostate>(value)) return "None";
  const PickleObject& object = *std::get<PickleObject*>(value);
  std::string text = object.kind == PickleObject::Kind::kTuple          ? "tuple"
                     : object.kind == PickleObject::Kind::kList         ? "list"
                     : object.kind == PickleObject::Kind::kDict         ? "dict"
                     : object.kind == PickleObject::Kind::kOrderedDict  ? "OrderedDict"
                     : object.kind == PickleObject::Kind::kPersistentId ? "id"
                                                                        : "call";
  for (const PickleValue& part : object.parts) text += " " + python_text(part);
  return "(" + text + ")";
}

std::string value_of(const std::string& bytes) {
  const std::string kept = bytes;
  const Pickle pickle = read(kept);
  EXPECT_EQ(pickle.bytes, kept.size());
  return python_text(pickle.root);
}

TEST(Pickle, HasValues) {
  EXPECT_EQ(value_of("\x80\x02N."), "None");
  EXPECT_EQ(value_of("\x88."), "True");
  EXPECT_EQ(value_of("\x89."), "False");
  EXPECT_EQ(value_of("K\xff."), "255");
  EXPECT_EQ(value_of("M\x01\x80."), "32769");
  EXPECT_EQ(value_of("J\xfe\xff\xff\xff."), "-2");
  EXPECT_EQ(value_of("\x8a\0."s), "0");
  EXPECT_EQ(value_of("\x8a\x05\0\0\0\0\x01."s), "4294967296");
  EXPECT_EQ(value_of("\x8a\x02\0\xff."s), "-256");
  EXPECT_EQ(value_of("X\x02\0\0\0ab."s), "'ab'");
  EXPECT_EQ(value_of("U\x02"
                     "ab."),
            "'ab'");
  EXPECT_EQ(value_of("ctorch\nFloatStorage\n."), "torch.FloatStorage");
}

TEST(Pickle, HasObjects) {
  EXPECT_EQ(value_of(")."), "(tuple)");
  EXPECT_EQ(value_of("K\x01\x85."), "(tuple 1)");
  EXPECT_EQ(value_of("K\x01K\x02\x86."), "(tuple 1 2)");
  EXPECT_EQ(value_of("K\x01K\x02K\x03\x87."), "(tuple 1 2 3)");
  EXPECT_EQ(value_of("((K\x01tK\x02t."), "(tuple (tuple 1) 2)");
  EXPECT_EQ(value_of("]K\x01"
                     "a(K\x02K\x03"
                     "e."),
            "(list 1 2 3)");
  EXPECT_EQ(value_of("}K\x01Ns(K\x02NK\x03Nu."), "(dict 1 None 2 None 3 None)");
  EXPECT_EQ(value_of("K\x07Q."), "(id 7)");
  EXPECT_EQ(value_of("ctorch\nFloatStorage\nK\x01\x85R."), "(call torch.FloatStorage (tuple 1))");
}

TEST(Pickle, RecallsValues) {
  EXPECT_EQ(value_of("]q\x01K\x05"
                     "ah\x01\x86."),
            "(tuple (list 5) (list 5))");
  EXPECT_EQ(value_of("K\x05r\0\0\x01\0j\0\0\x01\0\x86."s), "(tuple 5 5)");
}

TEST(Pickle, EndsAtStop) { EXPECT_EQ(read("N.rest").bytes, 2u); }

TEST(Pickle, MayContainItself) {
  const std::string bytes = "]q\0h\0a."s;
  const Pickle pickle = read(bytes);
  EXPECT_EQ(std::get<PickleObject*>(pickle.objects.front().parts.front()), std::get<PickleObject*>(pickle.root));
}

TEST(Pickle, HasOrderedDicts) {
  const std::string made = "ccollections\nOrderedDict\n";
  EXPECT_EQ(value_of(made + ")RK\x01Ns."), "(OrderedDict 1 None)");
  EXPECT_EQ(value_of(made + "](](K\x01Ne(K\x02\x88te\x85R."), "(OrderedDict 1 None 2 True)");
  EXPECT_EQ(value_of(made + ")R}U\x09_metadata)sb."), "(OrderedDict)");  // attributes are dropped
  EXPECT_THAT(refusal_of_pickle(made + "K\x01\x85R."), HasSubstr("arguments of collections.OrderedDict"));
  EXPECT_THAT(refusal_of_pickle(made + "](K\x01"
                                       "e\x85R."),
              HasSubstr("an item of collections.OrderedDict"));
}

TEST(Pickle, NamesTheGlobalThatItRefuses) {
  EXPECT_THAT(refusal_of_pickle("cos\nsystem\n(U\x02lst R."), AllOf(HasSubstr("'os.system'"), HasSubstr("byte 0")));
  EXPECT_THAT(refusal_of_pickle("\x80\x02"
                                "cbuiltins\neval\nU\x01x\x85R."),
              AllOf(HasSubstr("'builtins.eval'"), HasSubstr("byte 2")));
  EXPECT_THAT(refusal_of_pickle("c__builtin__\neval\n."), HasSubstr("'__builtin__.eval'"));
  EXPECT_THAT(refusal_of_pickle("ctorch\nFloatStorage.__init__\n."), HasSubstr("'torch.FloatStorage.__init__'"));
  EXPECT_THAT(refusal_of_pickle("ctorch\nfloat32\n."), HasSubstr("'torch.float32'"));
}

TEST(Pickle, NamesTheOpcodeThatItRefuses) {
  EXPECT_THAT(refusal_of_pickle("(U\x02lsios\nsystem\n."), HasSubstr("the opcode INST (0x69)"));
  EXPECT_THAT(refusal_of_pickle("(ctorch\nFloatStorage\no."), HasSubstr("the opcode OBJ (0x6f)"));
  EXPECT_THAT(refusal_of_pickle("ctorch\nFloatStorage\n)\x81."), HasSubstr("the opcode NEWOBJ (0x81)"));
  EXPECT_THAT(refusal_of_pickle("U\x02osU\x06system\x93."), HasSubstr("the opcode STACK_GLOBAL (0x93)"));
  EXPECT_THAT(refusal_of_pickle("\x82\x01."), HasSubstr("the opcode EXT1 (0x82)"));
  EXPECT_THAT(refusal_of_pickle("Pos.system\n."), HasSubstr("the opcode PERSID (0x50)"));
  EXPECT_THAT(refusal_of_pickle("\xff."), HasSubstr("the opcode 0xff"));
}

TEST(Pickle, BuildsNothingButOrderedDicts) {
  EXPECT_THAT(refusal_of_pickle("}}b."),
              AllOf(HasSubstr("a change of a dict"), HasSubstr("BUILD of a collections.OrderedDict")));
  EXPECT_THAT(refusal_of_pickle("ctorch\nFloatStorage\n)R}b."), HasSubstr("a change of a call of torch.FloatStorage"));
  EXPECT_THAT(refusal_of_pickle("ctorch\nFloatStorage\n}b."), HasSubstr("a change of a global"));
}

TEST(Pickle, CallsOnlyGlobals) {
  EXPECT_THAT(refusal_of_pickle("U\x01x)R."), HasSubstr("a call of a str"));
  EXPECT_THAT(refusal_of_pickle("ctorch\nFloatStorage\n]R."),
              HasSubstr("the arguments of torch.FloatStorage as a list"));
}

TEST(Pickle, RefusesOpcodesWithoutOperands) {
  for (const char* bytes : {".", "K\x01(.", "K\x01K\x02.", "K\x01(\x85.", "t.", "a.", "]a.",
                            "(K\x01"
                            "e.",
                            "})u.", "}(K\x01u.", "q\x01.", "h\x01.", "R.", ")R.", "b.", "Q.",
                            "NK\x01"
                            "a.",
                            "NK\x01K\x01s."}) {
    EXPECT_THAT(refusal_of_pickle(bytes), HasSubstr("made.bin, byte")) << bytes;
  }
}

TEST(Pickle, RefusesTextsAndNumbersBeyondTheEnd) {
  for (const std::string& bytes : {""s, "K"s, "X\xff\xff\xff\xff."s,
                                   "U\x05"
                                   "ab."s,
                                   "\x8a\x08\0."s, "ctorch"s, "ctorch\nFloat"s, "q"s}) {
    EXPECT_THAT(refusal_of_pickle(bytes), HasSubstr("the end of the data")) << bytes;
  }
}

TEST(Pickle, LimitsIntegersAndOpcodes) {
  EXPECT_THAT(refusal_of_pickle("\x8a\x09\0\0\0\0\0\0\0\0\x01."s), HasSubstr("an integer of 9 bytes"));
  EXPECT_THAT(refusal_of_pickle(std::string(4'000'001, '(')), HasSubstr("more opcodes"));
}

TEST(Pickle, LimitsCopiesOfItems) {
  // A list of a million items, as the items of ten dicts.
  std::string bytes = "](" + std::string("N)\x86q\0", 5);
  for (int i = 1; i < 1'000'000; ++i) bytes += "h\0"s;
  bytes += "eq\x01";
  for (int i = 0; i < 10; ++i) bytes += "ccollections\nOrderedDict\nh\x01\x85R";
  EXPECT_THAT(refusal_of_pickle(bytes + "."), HasSubstr("more items"));
}

}  // namespace
}  // namespace portatune::io
