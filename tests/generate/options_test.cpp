#include "portatune/generate/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"

namespace portatune::generate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Options : public testing::Test {
 protected:
  GenerationOptions read(const std::string& config, const std::string& generation_config) {
    std::ofstream(folder_.path() / "config.json") << config;
    if (!generation_config.empty()) std::ofstream(folder_.path() / "generation_config.json") << generation_config;
    return generation_options(folder_.path());
  }
  const TemporaryFolder folder_;
};

TEST_F(Options, ComeFromGenerationConfig) {
  const GenerationOptions o = read(R"({"eos_token_id": 1})", R"({
    "max_new_tokens": 7, "do_sample": true, "temperature": 0.6, "top_k": 20, "top_p": 0.9, "repetition_penalty": 1.1,
    "num_beams": 4, "length_penalty": 2, "early_stopping": "never", "eos_token_id": [5, 6], "bos_token_id": 3,
    "pad_token_id": 0, "stop_strings": ["END"], "transformers_version": "5.23.0", "typical_p": 1.0,
    "max_length": 20, "min_length": 4, "min_new_tokens": 2, "no_repeat_ngram_size": 3, "bad_words_ids": [[1, 2], [7]],
    "suppress_tokens": [4, 5], "begin_suppress_tokens": [6], "forced_bos_token_id": 8, "forced_eos_token_id": 9,
    "num_return_sequences": 2, "encoder_no_repeat_ngram_size": 3, "other": 1})");
  EXPECT_EQ(o.max_new_tokens, 7);
  EXPECT_TRUE(o.do_sample);
  EXPECT_EQ(o.temperature, 0.6);
  EXPECT_EQ(o.top_k, 20);
  EXPECT_EQ(o.top_p, 0.9);
  EXPECT_EQ(o.repetition_penalty, 1.1);
  EXPECT_EQ(o.num_beams, 4);
  EXPECT_EQ(o.length_penalty, 2);
  EXPECT_EQ(o.early_stopping, EarlyStopping::kNever);
  EXPECT_THAT(o.eos_token_id, ElementsAre(5, 6));
  EXPECT_EQ(o.bos_token_id, 3);
  EXPECT_EQ(o.pad_token_id, 0);
  EXPECT_THAT(o.stop_strings, ElementsAre("END"));
  EXPECT_EQ(o.max_length, 20);
  EXPECT_EQ(o.min_length, 4);
  EXPECT_EQ(o.min_new_tokens, 2);
  EXPECT_EQ(o.no_repeat_ngram_size, 3);
  EXPECT_THAT(o.bad_words_ids, ElementsAre(ElementsAre(1, 2), ElementsAre(7)));
  EXPECT_THAT(o.suppress_tokens, ElementsAre(4, 5));
  EXPECT_THAT(o.begin_suppress_tokens, ElementsAre(6));
  EXPECT_EQ(o.forced_bos_token_id, 8);
  EXPECT_THAT(o.forced_eos_token_id, ElementsAre(9));
  EXPECT_EQ(o.num_return_sequences, 2);
  EXPECT_THAT(o.unknown, ElementsAre("encoder_no_repeat_ngram_size", "other"));
}

TEST_F(Options, ComeFromConfigWithoutTheFile) {
  const GenerationOptions o = read(R"({"eos_token_id": 5, "bos_token_id": 4, "pad_token_id": null})", "");
  EXPECT_THAT(o.eos_token_id, ElementsAre(5));
  EXPECT_EQ(o.bos_token_id, 4);
  EXPECT_EQ(o.pad_token_id, std::nullopt);
  EXPECT_FALSE(o.do_sample);
  EXPECT_EQ(o.top_k, 50);  // as in transformers
}

TEST_F(Options, OfConfigAreReadWithoutTheFile) {
  const GenerationOptions o = read(R"({
    "hidden_size": 8, "num_beams": 4, "max_length": 142, "min_length": 56, "no_repeat_ngram_size": 3,
    "length_penalty": 2.0, "early_stopping": true, "forced_bos_token_id": 0, "diversity_penalty": 0.5})",
                                   "");
  EXPECT_EQ(o.num_beams, 4);
  EXPECT_EQ(o.max_length, 142);
  EXPECT_EQ(o.max_new_tokens, std::nullopt);
  EXPECT_EQ(o.min_length, 56);
  EXPECT_EQ(o.no_repeat_ngram_size, 3);
  EXPECT_EQ(o.length_penalty, 2);
  EXPECT_EQ(o.early_stopping, EarlyStopping::kTrue);
  EXPECT_EQ(o.forced_bos_token_id, 0);
  EXPECT_THAT(o.unknown, ElementsAre("diversity_penalty"));  // "hidden_size" is a key of the model
}

TEST_F(Options, ThatAreSetReplaceTheOtherKindOfLength) {
  const GenerationOptions defaults = read("{}", R"({"max_new_tokens": 9, "min_new_tokens": 3})");
  const GenerationOptions o = with_texts(defaults, {{"max_length", {"30"}}, {"num_beams", {"2"}}});
  EXPECT_EQ(max_new_tokens(o, 10), 20);
  EXPECT_EQ(o.num_beams, 2);
  EXPECT_EQ(min_new_tokens(o, 10), 3);
  EXPECT_EQ(max_new_tokens(with_texts(defaults, {{"max_length", {"30"}}, {"max_new_tokens", {"5"}}}), 10), 5);
  const GenerationOptions min_length = with_texts(defaults, {{"min_length", {"14"}}});
  EXPECT_EQ(min_new_tokens(min_length, 10), 4);
  EXPECT_EQ(min_new_tokens(min_length, 20), 0);
  EXPECT_EQ(max_new_tokens({}, 10), kDefaultNewTokens);
}

TEST_F(Options, IgnoreConfigIfTheFileExists) {
  const GenerationOptions o =
      read(R"({"eos_token_id": 1, "bos_token_id": 2, "pad_token_id": 3})", R"({"bos_token_id": 4})");
  EXPECT_THAT(o.eos_token_id, IsEmpty());
  EXPECT_EQ(o.bos_token_id, 4);
  EXPECT_EQ(o.pad_token_id, std::nullopt);
  EXPECT_EQ(read(R"({"eos_token_id": "not looked at"})", R"({"bos_token_id": 4})").bos_token_id, 4);
}

TEST_F(Options, NegativeIdsAreNone) {
  const GenerationOptions o = read(R"({"eos_token_id": [-1, 7], "bos_token_id": -1, "pad_token_id": -1})", "");
  EXPECT_THAT(o.eos_token_id, ElementsAre(7));
  EXPECT_EQ(o.bos_token_id, std::nullopt);
  EXPECT_EQ(o.pad_token_id, std::nullopt);
}

TEST_F(Options, ThatAreOffAreNotUnknown) {
  const GenerationOptions o =
      read("{}", R"({"suppress_tokens": null, "renormalize_logits": false, "remove_invalid_values": true})");
  EXPECT_THAT(o.unknown, ElementsAre("remove_invalid_values"));
}

TEST_F(Options, UnknownKeysAccumulate) {
  const auto more = io::JsonObject::parse(R"({"encoder_no_repeat_ngram_size": 2, "min_p": 0.5})", "more");
  const GenerationOptions o = read_options(more, read("{}", R"({"encoder_no_repeat_ngram_size": 3, "other": 1})"));
  EXPECT_THAT(o.unknown, ElementsAre("encoder_no_repeat_ngram_size", "other", "min_p"));
}

TEST_F(Options, RefuseTheWrongType) {
  EXPECT_THROW(read("{}", R"({"top_k": "many"})"), CheckpointError);
  EXPECT_THROW(read("{}", R"({"early_stopping": "soon"})"), CheckpointError);
  EXPECT_THROW(read("{}", R"({"do_sample": 1})"), CheckpointError);
  EXPECT_THROW(read("{}", R"({"max_length": 20.5})"), CheckpointError);
  EXPECT_THROW(read("{}", R"({"bad_words_ids": [["a"]]})"), CheckpointError);
}

void expect_refused(const GenerationOptions& options, const std::string& name) {
  try {
    check(options, 100);
    FAIL() << name << " was accepted";
  } catch (const UsageError& error) {
    EXPECT_EQ(error.report().where, name);
  }
}

TEST(CheckOfOptions, NamesTheOptionOutOfRange) {
  check({}, 100);
  check({.temperature = 0, .top_k = -1, .top_p = 0}, 100);  // without an effect, as nothing is sampled
  expect_refused({.max_new_tokens = 0}, "max_new_tokens");
  expect_refused({.do_sample = true, .temperature = 0}, "temperature");
  expect_refused({.do_sample = true, .temperature = 1e-50}, "temperature");  // 0 as a float
  expect_refused({.do_sample = true, .temperature = 1e39}, "temperature");
  expect_refused({.length_penalty = -1e39}, "length_penalty");
  expect_refused({.repetition_penalty = std::nan("")}, "repetition_penalty");
  expect_refused({.do_sample = true, .top_k = -1}, "top_k");
  expect_refused({.do_sample = true, .top_p = 0}, "top_p");
  expect_refused({.do_sample = true, .top_p = 1.5}, "top_p");
  expect_refused({.repetition_penalty = 0}, "repetition_penalty");
  expect_refused({.num_beams = 0}, "num_beams");
  expect_refused({.do_sample = true, .num_beams = 2}, "num_beams");
  expect_refused({.num_return_sequences = 2}, "num_return_sequences");
  expect_refused({.num_return_sequences = 3, .num_beams = 2}, "num_return_sequences");
  expect_refused({.max_length = 0}, "max_length");
  expect_refused({.bad_words_ids = {{}}}, "bad_words_ids");
  expect_refused({.bad_words_ids = {{1, 100}}}, "bad_words_ids");
  expect_refused({.suppress_tokens = {100}}, "suppress_tokens");
  expect_refused({.begin_suppress_tokens = {100}}, "begin_suppress_tokens");
  expect_refused({.forced_bos_token_id = 100}, "forced_bos_token_id");
  expect_refused({.forced_eos_token_id = {100}}, "forced_eos_token_id");
  expect_refused({.suppress_tokens = {5, 6}, .forced_bos_token_id = 5}, "forced_bos_token_id");
  expect_refused({.suppress_tokens = {5, 6}, .forced_eos_token_id = {5, 6}}, "forced_eos_token_id");
  check({.suppress_tokens = {5, 6}, .forced_eos_token_id = {5, 7}}, 100);
  expect_refused({.eos_token_id = {100}}, "eos_token_id");
  expect_refused({.eos_token_id = std::vector<int32_t>(17, 1)}, "eos_token_id");
  expect_refused({.num_beams = 2, .stop_strings = {"x"}}, "stop_strings");
  expect_refused({.stop_strings = {""}}, "stop_strings");
}

TEST(CheckOfOptions, ShowsTheGivenNumber) {
  try {
    check({.do_sample = true, .temperature = -1e-9}, 100);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.report().given, "-1e-09");
  }
}

}  // namespace
}  // namespace portatune::generate
