// Comparison with transformers' tokenizers of several languages: tests/data/tokenizer/languages.json, made by
// tests/oracle/text/make_language_goldens.py.
#include <gmock/gmock.h>

#include "portatune/error.h"
#include "portatune/text.h"
#include "text/language_files.h"

namespace portatune::text {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Ids = std::vector<int32_t>;

void expect_rows(const Tokenizer& tokenizer, const nlohmann::json& rows) {
  const std::vector<std::string> texts = text::golden("languages.json")["texts"];
  for (size_t i = 0; i < texts.size(); ++i) {
    const Ids target = tokenizer.of_targets().encode(texts[i]).ids;
    EXPECT_EQ(tokenizer.encode(texts[i]).ids, rows[i][0].get<Ids>()) << texts[i];
    EXPECT_EQ(target, rows[i][1].get<Ids>()) << texts[i];
    EXPECT_EQ(tokenizer.of_targets().decode(target, {.skip_special_tokens = true}), rows[i][2]) << texts[i];
  }
}

TEST(Languages, TextsHaveTheIdsOfTransformers) {
  for (const LanguageCase& c : language_cases()) {
    const TemporaryFolder folder;
    c.write(folder.path());
    for (const auto& run : c.runs)
      expect_rows(load_tokenizer(folder.path(), {run["source"], run["target"]}), run["rows"]);
  }
}

TEST(Languages, ComeFromTokenizerConfigByDefault) {
  for (LanguageCase c : language_cases()) {
    const TemporaryFolder folder;
    const auto& run = c.runs.back();
    c.config["src_lang"] = run["source"];
    c.config["tgt_lang"] = run["target"];
    c.write(folder.path());
    expect_rows(Tokenizer::load(folder.path()), run["rows"]);
  }
}

TEST(Languages, AreOfNoEffectOnOtherTokenizers) {
  const auto folder = std::filesystem::path(PORTATUNE_TEST_DATA) / "tiny_bert";
  const Tokenizer tokenizer = load_tokenizer(folder, {"en", "ro"});
  EXPECT_EQ(&tokenizer.of_targets(), &tokenizer);
  EXPECT_EQ(tokenizer.encode("a b").ids, Tokenizer::load(folder).encode("a b").ids);
}

TEST(Languages, ErrorNamesTheLanguageThatBeginsAlike) {
  const TemporaryFolder folder;
  language_cases().front().write(folder.path());
  EXPECT_THAT(message_of<UsageError>([&] {
                load_tokenizer(folder.path(), {"en_XX", "ro"});
              }),
              AllOf(HasSubstr("target_lang"), HasSubstr("'ro'"), HasSubstr("did you mean ro_RO?")));
}

}  // namespace
}  // namespace portatune::text
