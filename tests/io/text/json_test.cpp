#include "portatune/io/text/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

JsonObject parse(std::string_view text) { return JsonObject::parse(text, "m/config.json"); }

std::string refusal_of(std::string_view text) {
  return message_of<CheckpointError>([&] { parse(text); });
}

TEST(JsonText, ReplacesBytesThatAreNotUtf8) {
  const nlohmann::ordered_json value = {{"path", "tr\xf6.csv"}};
  EXPECT_EQ(json_text(value), "{\"path\":\"tr\xef\xbf\xbd.csv\"}");
  EXPECT_EQ(indented_text(value), "{\n  \"path\": \"tr\xef\xbf\xbd.csv\"\n}\n");
}

TEST(JsonObject, GivesTypedValues) {
  const JsonObject config = parse(R"({"hidden_size": 384, "layer_norm_eps": 1e-12, "theta": 10000, "use_cache": true,
                                      "hidden_act": "gelu", "neg": -9223372036854775808})");
  EXPECT_EQ(config.get_int("hidden_size"), 384);
  EXPECT_EQ(config.get_float("layer_norm_eps"), 1e-12);
  EXPECT_EQ(config.get_float("theta"), 10000.0);
  EXPECT_TRUE(config.get_bool("use_cache"));
  EXPECT_EQ(config.get_string("hidden_act"), "gelu");
  EXPECT_EQ(config.get_int("neg"), std::numeric_limits<int64_t>::min());
}

TEST(JsonObject, GivesListsMapsAndNestedObjects) {
  const JsonObject config = parse(R"({"architectures": ["BertModel"], "image_size": [224, 112], "scales": [1, 2.5],
      "id2label": {"0": "NO", "1": "YES"}, "label2id": {"NO": 0, "YES": 1},
      "rope_scaling": {"type": "linear"}, "layers": [{"n": 1}, {"n": 2}]})");
  EXPECT_THAT(config.get_strings("architectures"), ElementsAre("BertModel"));
  EXPECT_THAT(config.get_ints("image_size"), ElementsAre(224, 112));
  EXPECT_THAT(config.get_floats("scales"), ElementsAre(1.0, 2.5));
  EXPECT_THAT(config.get_string_map("id2label"), ElementsAre(Pair("0", "NO"), Pair("1", "YES")));
  EXPECT_EQ(config.get_object("label2id")->get_int("YES"), 1);
  EXPECT_EQ(config.get_object("rope_scaling")->get_string("type"), "linear");
  EXPECT_EQ(config.get_objects("layers").at(1).get_int("n"), 2);
  EXPECT_THAT(config.get_strings("none"), IsEmpty());
  EXPECT_FALSE(config.get_object("none"));
  EXPECT_EQ(config.type_of("image_size"), "array");
  EXPECT_EQ(config.type_of("none"), "");
}

TEST(JsonObject, AbsentAndNullGiveTheFallback) {
  const JsonObject config = parse(R"({"problem_type": null, "pad": null})");
  EXPECT_EQ(config.get_string_or("problem_type", "auto"), "auto");
  EXPECT_EQ(config.get_int_or("pad", -1), -1);
  EXPECT_EQ(config.get_float_or("eps", 0.5), 0.5);
  EXPECT_TRUE(config.get_bool_or("flag", true));
  EXPECT_FALSE(config.has("problem_type"));
  EXPECT_THAT(message_of<CheckpointError>([&] { config.get_int("pad"); }),
              AllOf(HasSubstr("m/config.json: pad"), HasSubstr("no such key")));
}

TEST(JsonObject, ErrorsNameFileKeyValueAndExpectation) {
  const JsonObject config = parse(R"({"heads": 2147483648, "eps": -1.5, "act": 3, "flag": "yes", "size": 12.0,
      "big": 18446744073709551615, "list": [1, "x"], "rope": {"factor": "2"}})");
  const auto message = [](auto action) { return message_of<CheckpointError>(action); };
  EXPECT_THAT(message([&] {
                config.get_int("heads", {1, 1 << 20});
              }),
              AllOf(HasSubstr("m/config.json: heads"), HasSubstr("2147483648"),
                    HasSubstr("an integer of at least 1 and at most 1048576")));
  EXPECT_THAT(message([&] { config.get_float("eps", {.least = 0}); }), HasSubstr("a number of at least 0.0"));
  EXPECT_THAT(message([&] { config.get_string("act"); }), HasSubstr("a string"));
  EXPECT_THAT(message([&] { config.get_bool("flag"); }), AllOf(HasSubstr("\"yes\""), HasSubstr("true or false")));
  EXPECT_THAT(message([&] { config.get_int("size"); }), AllOf(HasSubstr("12.0"), HasSubstr("an integer")));
  EXPECT_THAT(message([&] { config.get_int("big"); }), HasSubstr("18446744073709551615"));
  EXPECT_THAT(message([&] { config.get_ints("list"); }), HasSubstr("m/config.json: list[1]"));
  EXPECT_THAT(message([&] { config.get_object("rope")->get_float("factor"); }), HasSubstr("config.json: rope.factor"));
  EXPECT_THAT(message([&] { config.get_object("act"); }), HasSubstr("an object"));
  EXPECT_THAT(message([&] { config.get_strings("act"); }), HasSubstr("a list"));
}

TEST(JsonObject, ListsUnreadKeys) {
  const JsonObject config = parse(R"({"z_new": 1, "hidden_size": 8, "rope": {"type": "yarn", "beta": 1}, "a_new": 2,
                                      "transformers_version": "5"})");
  config.get_int("hidden_size");
  config.get_int_or("absent", 0);
  config.get_object("rope")->get_string("type");
  config.ignore({"transformers_version"});
  EXPECT_THAT(config.unread_keys(), ElementsAre("z_new", "rope.beta", "a_new"));
}

TEST(JsonObject, RefusesBrokenText) {
  EXPECT_THAT(refusal_of("{\"a\": 1,\n \"b\" 2}"), AllOf(HasSubstr("m/config.json"), HasSubstr("line 2")));
  for (const char* text : {"", "{", "{\"a\": 1,}", "{\"a\": 1} x", "{'a': 1}", "{\"a\": NaN}", "{\"a\": 01}",
                           "{\"a\": \"\xff\"}", "{\"a\": 1e999}", "// c\n{}"}) {
    SCOPED_TRACE(text);
    refusal_of(text);
  }
  EXPECT_THAT(refusal_of("[1]"), HasSubstr("not an object"));
  EXPECT_THAT(refusal_of("3"), HasSubstr("not an object"));
}

TEST(JsonObject, RefusesDoubledKeys) {
  EXPECT_THAT(refusal_of(R"({"a": 1, "b": {"a": 1}, "a": 2})"), HasSubstr("'a' twice"));
  EXPECT_THAT(refusal_of(R"({"a": 1, "\u0061": 2})"), HasSubstr("'a' twice"));
  EXPECT_NO_THROW(parse(R"({"a": {"x": 1}, "b": {"x": 1}})"));
}

TEST(JsonObject, RefusesMoreThan64Levels) {
  const auto nested = [](int depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_NO_THROW(parse(nested(64)));
  EXPECT_THAT(refusal_of(nested(65)), HasSubstr("64"));
  EXPECT_THAT(refusal_of("{\"a\":" + std::string(9'000'000, '[')), HasSubstr("64"));
}

TEST(JsonObject, RefusesMoreThanTenMegabytes) {
  EXPECT_THAT(refusal_of("{}" + std::string(10'000'000, ' ')), HasSubstr("10000002 bytes"));
}

TEST(JsonObject, AMillionKeysAreReadQuickly) {
  std::string text = "{\"k\":0";
  for (int i = 0; i < 800'000; ++i) text += ",\"" + std::to_string(i) + "\":0";
  EXPECT_TRUE(parse(text + "}").has("799999"));
}

TEST(JsonObject, NestedObjectsOutliveTheOuterOne) {
  const std::optional<JsonObject> inner = parse(R"({"a": {"b": 5}})").get_object("a");
  EXPECT_EQ(inner->get_int("b"), 5);
}

TEST(JsonObject, ReadsAFile) {
  const TemporaryFolder folder;
  write_text(folder / "config.json", R"({"a": 1})");
  EXPECT_EQ(JsonObject::read(folder / "config.json").get_int("a"), 1);
  EXPECT_THROW(JsonObject::read(folder / "none.json"), NotFoundError);
  write_text(folder / "big.json", std::string(10'000'001, ' '));
  EXPECT_THROW(JsonObject::read(folder / "big.json"), DataError);
}

}  // namespace
}  // namespace portatune::io
