// Compares the tokenizers of Marian with transformers: tests/oracle/text/make_marian_goldens.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/error.h"
#include "portatune/text.h"
#include "text/marian_files.h"

namespace portatune::text {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Tokenizer load(const MarianCase& c) {
  const TemporaryFolder folder;
  c.write(folder.path());
  return Tokenizer::load(folder.path());
}

// The error for the first case with another file.
std::string refusal_of_marian(const std::string& name, const std::string& bytes) {
  MarianCase c = marian_cases().front();
  c.files[name] = bytes;
  return message_of<CheckpointError>([&] { load(c); });
}

TEST(Marian, EqualsTransformers) {
  const std::vector<std::string> texts = marian_texts();
  for (const MarianCase& c : marian_cases()) {
    const Tokenizer sources = load(c);
    const Tokenizer& targets = sources.of_targets();
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::vector<int32_t> ids = targets.encode(texts[i]).ids;
      const Json found{sources.encode(texts[i]).ids, ids, targets.decode(ids),
                       targets.decode(ids, {.skip_special_tokens = true})};
      EXPECT_EQ(found, c.results[i]) << c.config << "'" << texts[i] << "'";
    }
  }
}

TEST(Marian, OffsetsAreThoseOfTheOriginalText) {
  const Encoding encoding = load(marian_cases().front()).encode("\u200bthe\t dog", {.with_offsets = true});
  ASSERT_EQ(encoding.ids.size(), 3u);
  EXPECT_EQ(encoding.offsets[0], (Offsets{1, 4}));
  EXPECT_EQ(encoding.offsets[1].end, 9);
}

TEST(Marian, ATokenizerJsonIsForBothSides) {
  const TemporaryFolder folder;
  marian_cases().front().write(folder.path());
  write_text(folder / "tokenizer.json", R"({"version": "1.0", "model": {"type": "WordPiece", "vocab": {"[UNK]": 0},
      "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 9}})");
  const Tokenizer tokenizer = Tokenizer::load(folder.path());
  EXPECT_EQ(tokenizer.vocab_size(), 1);
  EXPECT_EQ(&tokenizer.of_targets(), &tokenizer);
}

TEST(Marian, RefusesOtherModelsOfSentencePiece) {
  EXPECT_THAT(refusal_of_marian("vocab.json", R"({"</s>": 0, "<pad>": 1})"), HasSubstr("\"<unk>\""));
  EXPECT_THAT(refusal_of_marian("source.spm", "\n\x05\n\x01x\x18\x04"), HasSubstr("the symbol \"x\""));
  EXPECT_THAT(refusal_of_marian("source.spm", std::string("\n\x03\n\x01x\x1a\x02\x18\x00", 9)),
              HasSubstr("another rule for spaces"));
  EXPECT_THAT(refusal_of_marian("target.spm", "\n\x03\n\x01x\x12\x02\x18\x02"), HasSubstr("a BPE model"));
  EXPECT_THAT(refusal_of_marian("target.spm", "\n\x06\n\x04x\u2581"), HasSubstr("the piece"));
}

}  // namespace
}  // namespace portatune::text
