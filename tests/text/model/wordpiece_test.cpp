#include "portatune/text/model/wordpiece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::text {
namespace {

using ::testing::ElementsAre;

Vocabulary vocabulary(std::initializer_list<std::string_view> tokens) {
  Vocabulary result;
  for (const std::string_view token : tokens) result.add(token, static_cast<int32_t>(result.size()));
  return result;
}

std::vector<int32_t> ids(const WordPiece& model, std::string_view word) {
  std::vector<Piece> pieces;
  model.tokenize(word, pieces);
  std::vector<int32_t> result;
  for (const Piece& piece : pieces) result.push_back(piece.id);
  return result;
}

TEST(WordPiece, TakesTheLongestPieceFirst) {
  const WordPiece model({}, vocabulary({"[UNK]", "un", "unaff", "##able", "##aff", "##affable"}), "v");
  EXPECT_THAT(ids(model, "unaffable"), ElementsAre(2, 3));
  EXPECT_THAT(ids(model, "unaffaffable"), ElementsAre(2, 5));
}

TEST(WordPiece, AWordWithAnUnknownPartIsUnknown) {
  const WordPiece model({}, vocabulary({"[UNK]", "un", "##able"}), "v");
  EXPECT_THAT(ids(model, "unxable"), ElementsAre(0));
}

TEST(WordPiece, CountsCharactersNotBytes) {
  const WordPiece model({.max_input_chars_per_word = 3}, vocabulary({"[UNK]", "\u00e9", "##\u00e9"}), "v");
  EXPECT_THAT(ids(model, "\u00e9\u00e9\u00e9"), ElementsAre(1, 2, 2));
  EXPECT_THAT(ids(model, "\u00e9\u00e9\u00e9\u00e9"), ElementsAre(0));
}

TEST(WordPiece, RequiresTheUnknownToken) {
  const std::string message = message_of<CheckpointError>([] { WordPiece({}, vocabulary({"a"}), "m/vocab.txt"); });
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("m/vocab.txt"), testing::HasSubstr("without \"[UNK]\"")));
}

}  // namespace
}  // namespace portatune::text
