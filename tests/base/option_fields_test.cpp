#include "portatune/option_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/error.h"

namespace portatune::test {

enum class Colour { kRed, kGreen };
constexpr auto names_of(Colour) {
  return std::to_array<NamedValue<Colour>>({{Colour::kRed, "red"}, {Colour::kGreen, "green"}, {Colour::kRed, "ruby"}});
}

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

struct Toy {
  int64_t count = 3, steps = 0;
  uint64_t seed = 42;
  double share = 0.5, beta = 0.9, rate = 1e-5, epsilon = 1e-8;
  std::optional<double> power = {};
  bool fast = false, cache = true, mode = false;
  std::string kind = "a";
  Colour colour = Colour::kRed;
  DType dtype = DType::kFloat32;
  std::vector<std::string> names = {};

  void describe(OptionFields& fields) {
    fields("count", count, "a count", {.lowest = 1, .highest = 10, .fact = Fact::kAlways});
    fields("steps", steps, "0: none", {.lowest = 1, .fact = Fact::kUnlessDefault});
    fields("seed", seed, "seed");
    fields.group("Numbers");
    fields("share", share, "a share", {.highest = 1});
    fields("beta", beta, "a decay", {.below = 1});
    fields("rate", rate, "a rate");
    fields("epsilon", epsilon, "a small number", {.lowest = kAboveZero});
    fields("lr_power", power, "an exponent", {.fact = Fact::kUnlessDefault, .fact_name = "power"});
    fields("fast", fast, "a flag", {.fact = Fact::kUnlessDefault});
    fields("no_cache", cache, "a negated flag", {.sets = "false"});
    fields("mode", mode, "a choice", {.choices = {{"slow", "false"}, {"quick", "true"}}});
    fields("kind", kind, "a choice", {.choices = {{"a"}, {"b"}, {"bee", "b"}}});
    fields("colour", colour, "an enum", {.fact = Fact::kAlways});
    fields("dtype", dtype, "a type");
    fields("names", names, "a list", {.fact = Fact::kUnlessDefault});
  }
};

void expect_refused(const Toy& toy, const std::string& name, const std::string& given, const std::string& expected) {
  EXPECT_THAT([&] { check_ranges(toy); },
              ThrowsMessage<UsageError>(AllOf(StartsWith(name + "\n"), HasSubstr("given     " + given + "\n"),
                                              HasSubstr("expected  " + expected))));
}

OptionField field_of(Toy& toy, const std::string& name) {
  for (OptionField& field : fields_of(toy)) {
    if (field.name == name) return field;
  }
  throw UsageError({.where = name, .given = "no field", .expected = {}, .fix = {}});
}

TEST(OptionFields, DefaultsAreAllowed) {
  EXPECT_NO_THROW(check_ranges(Toy{}));
  EXPECT_NO_THROW(check_ranges(Toy{.count = 10, .steps = 0, .share = 0, .beta = 0}));
}

TEST(OptionFields, RefusesNumbersOutOfRange) {
  expect_refused({.count = 0}, "count", "0", "an integer of at least 1 and at most 10");
  expect_refused({.steps = -1}, "steps", "-1", "an integer of at least 1 and at most 1000000000000");
  expect_refused({.share = 1.5}, "share", "1.5", "a number of at least 0 and at most 1");
  expect_refused({.rate = 1e39}, "rate", "1e+39", "a finite number of at least 0");  // infinite as a float32
  expect_refused({.rate = std::numeric_limits<double>::quiet_NaN()}, "rate", "nan", "a finite number of at least 0");
  expect_refused({.epsilon = 1e-60}, "epsilon", "1e-60", "a finite number above 0");  // 0 as a float32
  expect_refused({.power = -1}, "lr_power", "-1", "a finite number of at least 0");
}

TEST(OptionFields, OpenRangeIsThatOfFloat32) {
  expect_refused({.beta = 1}, "beta", "1", "a number of at least 0 and below 1");
  expect_refused({.beta = 1 - 1e-12}, "beta", "0.999999999999", "a number of at least 0 and below 1");
}

TEST(OptionFields, IntegersMayHaveAFractionOfZeros) {
  Toy toy;
  const OptionField count = field_of(toy, "count");
  for (const char* word : {"3", "3.0", "3.00"}) {
    EXPECT_EQ(count.expected_instead_of(word), std::nullopt) << word;
    count.read({word});
    EXPECT_EQ(toy.count, 3);
  }
  for (const char* word : {"3.5", "3.", ".0", "3.0.0", "3.0e0", "30.0"}) {
    EXPECT_EQ(count.expected_instead_of(word), "an integer of at least 1 and at most 10") << word;
  }
}

TEST(OptionFields, RefusesUnknownWords) {
  expect_refused({.kind = "c"}, "kind", "c", "one of a, b");
  expect_refused({.kind = "bee"}, "kind", "bee", "one of a, b");
  expect_refused({.dtype = DType::kInt32}, "dtype", "int32", "one of float32, bfloat16, float16");
}

TEST(OptionFields, ReadWords) {
  Toy toy;
  const auto read = [&](const std::string& name, const std::string& word) { field_of(toy, name).read({word}); };
  read("seed", "18446744073709551615");
  read("lr_power", "2.5");
  read("mode", "quick");
  read("kind", "bee");
  read("colour", "ruby");
  read("dtype", "bf16");
  EXPECT_EQ(toy.seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(toy.power, 2.5);
  EXPECT_TRUE(toy.mode);
  EXPECT_EQ(toy.kind, "b");
  EXPECT_EQ(toy.colour, Colour::kRed);
  EXPECT_EQ(toy.dtype, DType::kBFloat16);
}

TEST(OptionFields, WordsAreThoseOfUsers) {
  Toy toy{.cache = false, .mode = true, .kind = "b", .colour = Colour::kGreen, .names = {"x", "y"}};
  EXPECT_THAT(field_of(toy, "mode").words(), ElementsAre("quick"));
  EXPECT_THAT(field_of(toy, "kind").words(), ElementsAre("b"));
  EXPECT_THAT(field_of(toy, "colour").words(), ElementsAre("green"));
  EXPECT_THAT(field_of(toy, "no_cache").words(), ElementsAre("true"));
  EXPECT_THAT(field_of(toy, "names").words(), ElementsAre("x", "y"));
  EXPECT_THAT(field_of(toy, "lr_power").words(), IsEmpty());
}

TEST(OptionFields, FactsAreThoseOfTheDescription) {
  EXPECT_THAT(facts_in(Toy{}), ElementsAre(Pair("colour", "red"), Pair("count", "3")));
  EXPECT_THAT(facts_in(Toy{.count = 4, .steps = 5, .power = 0.1, .fast = true, .names = {"x", "y"}}),
              ElementsAre(Pair("colour", "red"), Pair("count", "4"), Pair("fast", "true"), Pair("names", "x, y"),
                          Pair("power", "0.1"), Pair("steps", "5")));
}

TEST(OptionFields, FieldsHaveTheGroupThatTheyFollow) {
  Toy toy;
  EXPECT_EQ(field_of(toy, "seed").group, "");
  EXPECT_EQ(field_of(toy, "share").group, "Numbers");
}

}  // namespace
}  // namespace portatune::test
