// Trained tokenizers equal those of `tokenizers`, which tests/oracle/text/make_tokenizer_training.py stores.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/base/threads/thread_pool.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/text.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using text::TokenizerFiles;
using text::TokenizerTrainer;
using text::TokenizerTrainingOptions;
using text::TokenizerType;

std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(PORTATUNE_TEST_DATA) / "tokenizer_training" / name;
}

std::vector<std::string> lines() {
  std::ifstream file(golden("text.txt"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TokenizerFiles train(const TokenizerTrainingOptions& options, const std::vector<std::string>& texts = lines(),
                     int threads = 2) {
  ThreadPool pool(threads);
  TokenizerTrainer trainer(options);
  trainer.add(texts, pool);
  return trainer.train(pool);
}

void expect_golden(const TokenizerTrainingOptions& options, const std::string& name) {
  const json trained = json::parse(train(options).tokenizer_json);
  const json expected = json::parse(io::read_text(golden(name), 1'000'000));
  EXPECT_EQ(trained["model"]["vocab"], expected["model"]["vocab"]);
  EXPECT_EQ(trained, expected);
}

template <class Error>
std::string refusal(const TokenizerTrainingOptions& options, const std::vector<std::string>& texts = lines()) {
  try {
    train(options, texts);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TokenizerTrainer, WordPieceEqualsThatOfTokenizers) { expect_golden({.vocab_size = 400}, "wordpiece.json"); }

TEST(TokenizerTrainer, LowercasesAndLimitsTheAlphabet) {
  expect_golden({.vocab_size = 2000, .min_frequency = 0, .limit_alphabet = 26, .lowercase = true},
                "wordpiece_lowercase.json");
}

TEST(TokenizerTrainer, BytePairsEqualThoseOfTokenizers) {
  expect_golden({.type = TokenizerType::kBpe, .vocab_size = 500}, "bpe.json");
}

TEST(TokenizerTrainer, EndsWhereNoPairIsFrequentEnough) {
  expect_golden({.type = TokenizerType::kBpe,
                 .vocab_size = 100'000,
                 .min_frequency = 5,
                 .lowercase = true,
                 .special_tokens = {"<|endoftext|>"}},
                "bpe_gpt2.json");
}

std::map<std::string, double> scores_in(const json& tokenizer) {
  std::map<std::string, double> scores;
  for (const json& piece : tokenizer["model"]["vocab"]) scores[piece[0]] = piece[1];
  return scores;
}

// In `tokenizers` a hash table decides about the scores of characters that lost their piece: steps of 0.0001.
void expect_scores_of_tokenizers(const TokenizerTrainingOptions& options, const char* file) {
  json trained = json::parse(train(options).tokenizer_json),
       expected = json::parse(io::read_text(golden(file), 1'000'000));
  const std::map<std::string, double> scores = scores_in(trained), expected_scores = scores_in(expected);
  ASSERT_EQ(scores.size(), expected_scores.size());
  for (const auto& [piece, score] : expected_scores) {
    ASSERT_TRUE(scores.contains(piece)) << piece;
    EXPECT_NEAR(scores.at(piece), score, text::count_code_points(piece) == 1 ? 0.005 : 1e-9) << piece;
  }
  for (json* tokenizer : {&trained, &expected}) (*tokenizer)["model"].erase("vocab");
  EXPECT_EQ(trained, expected);
}

TEST(TokenizerTrainer, UnigramScoresAreThoseOfTokenizers) {
  expect_scores_of_tokenizers({.type = TokenizerType::kUnigram, .vocab_size = 400, .lowercase = true},
                              "unigram_lowercase.json");
}

TEST(TokenizerTrainer, UnigramPrunesAsTokenizers) {
  expect_scores_of_tokenizers({.type = TokenizerType::kUnigram, .vocab_size = 200}, "unigram.json");
}

TEST(TokenizerTrainer, OrderOfTextsAndThreadsChangeNothing) {
  const std::string expected = train({.vocab_size = 400}).tokenizer_json;
  std::vector<std::string> texts = lines();
  std::ranges::reverse(texts);
  EXPECT_EQ(train({.vocab_size = 400}, texts, 1).tokenizer_json, expected);
  const TokenizerTrainingOptions unigram{.type = TokenizerType::kUnigram, .vocab_size = 200};
  EXPECT_EQ(train(unigram, texts, 1).tokenizer_json, train(unigram).tokenizer_json);
}

TEST(TokenizerTrainer, FilesAreThoseOfATokenizer) {
  const TokenizerFiles files = train({.vocab_size = 400});
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", files.tokenizer_json);
  write_text(folder / "tokenizer_config.json", files.tokenizer_config_json);
  const auto tokenizer = text::Tokenizer::load(folder.path());
  EXPECT_EQ(tokenizer.vocab_size(), files.vocab_size);
  EXPECT_EQ(tokenizer.pad_id(), 0);
  EXPECT_EQ(tokenizer.mask_id(), 4);
  const std::vector<int32_t> ids = tokenizer.encode("toha in", "bo").ids;
  EXPECT_EQ(ids.front(), tokenizer.cls_id());
  EXPECT_EQ(ids.back(), tokenizer.sep_id());
  EXPECT_EQ(tokenizer.decode(ids, {.skip_special_tokens = true}), "toha in bo");
}

TEST(TokenizerTrainer, ASpecialTokenIsNoPieceAsWell) {
  const TokenizerFiles files =
      train({.type = TokenizerType::kUnigram, .vocab_size = 400, .special_tokens = {"<unk>", "e"}});
  const json vocabulary = json::parse(files.tokenizer_json)["model"]["vocab"];
  EXPECT_EQ(std::ranges::count_if(vocabulary, [](const json& piece) { return piece[0] == "e"; }), 1);
  EXPECT_EQ(std::ssize(vocabulary), files.vocab_size);
}

TEST(TokenizerTrainer, ClassFollowsTheSpecialTokens) {
  const auto class_of = [](const TokenizerTrainingOptions& options) {
    return json::parse(train(options).tokenizer_config_json)["tokenizer_class"].get<std::string>();
  };
  const TokenizerType bpe = TokenizerType::kBpe;
  EXPECT_EQ(class_of({.vocab_size = 400}), "BertTokenizer");
  EXPECT_EQ(class_of({.type = bpe, .vocab_size = 400}), "RobertaTokenizer");
  EXPECT_EQ(class_of({.type = bpe, .vocab_size = 400, .special_tokens = {"<|endoftext|>"}}), "GPT2Tokenizer");
  EXPECT_EQ(class_of({.type = bpe, .vocab_size = 400, .lowercase = true}), "PreTrainedTokenizerFast");
  EXPECT_EQ(class_of({.type = TokenizerType::kUnigram, .vocab_size = 400}), "PreTrainedTokenizerFast");
}

TEST(TokenizerTrainer, RefusesTextsAndOptionsWithoutAVocabulary) {
  EXPECT_THAT(refusal<DataError>({}, {}), HasSubstr("texts without a word"));
  EXPECT_THAT(refusal<DataError>({}, {" ", "\t"}), HasSubstr("texts without a word"));
  EXPECT_THAT(refusal<DataError>({}, {"\xff"}), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal<UsageError>({.vocab_size = 20}), AllOf(HasSubstr("20"), HasSubstr("at least ")));
  EXPECT_THAT(refusal<UsageError>({.special_tokens = {"[UNK]", "[UNK]"}}), HasSubstr("[UNK] twice"));
  EXPECT_THAT(refusal<UsageError>({.special_tokens = {"[PAD]"}}), HasSubstr("no [UNK]"));
  EXPECT_THAT(refusal<UsageError>({.type = TokenizerType::kUnigram, .vocab_size = 20}), HasSubstr("at least "));
  EXPECT_THAT(refusal<UsageError>({.type = TokenizerType::kUnigram, .special_tokens = {"[UNK]"}}),
              HasSubstr("no <unk>"));
}

}  // namespace
}  // namespace portatune::test
