#include "portatune/io/text/conll.h"

#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

struct Sentence {
  std::vector<std::string> tokens, tags;
  int64_t line;
  bool operator==(const Sentence&) const = default;
};

std::vector<Sentence> read_text(std::string_view text) {
  ConllReader reader(write_file("in.conll", text));
  std::vector<Sentence> sentences;
  while (reader.next()) sentences.push_back({reader.tokens(), reader.tags(), reader.line()});
  return sentences;
}

}  // namespace

TEST(Conll, EmptyLinesEndSentences) {
  EXPECT_EQ(read_text("EU B-ORG\nrejects O\n\n\n  \nGerman B-MISC"),
            (std::vector<Sentence>{{{"EU", "rejects"}, {"B-ORG", "O"}, 1}, {{"German"}, {"B-MISC"}, 6}}));
}

TEST(Conll, FirstColumnIsTheTokenAndLastTheTag) {
  EXPECT_EQ(read_text("\xEF\xBB\xBF-DOCSTART- -X- -X- O\r\n\r\nEU  NNP B-NP   B-ORG \r\n"),
            (std::vector<Sentence>{{{"EU"}, {"B-ORG"}, 3}}));
}

TEST(Conll, BlanksBelongToTokensInLinesWithTabs) {
  EXPECT_EQ(read_text("New York\tNP\tB-LOC\n"), (std::vector<Sentence>{{{"New York"}, {"B-LOC"}, 1}}));
}

TEST(Conll, OneColumnHasNoTags) { EXPECT_EQ(read_text("a\nb\n"), (std::vector<Sentence>{{{"a", "b"}, {}, 1}})); }

TEST(Conll, EmptyFileHasNoSentences) {
  EXPECT_TRUE(read_text("").empty());
  EXPECT_TRUE(read_text("\n\n").empty());
}

TEST(Conll, AnotherNumberOfColumnsIsAnError) {
  expect_error<DataError>([] { read_text("a O\n\nb\n"); }, {"in.conll:3", "1 column\n", "2 columns, as in"});
  expect_error<DataError>([] { read_text("\tO\n"); }, {"in.conll:1", "the first of them empty"});
}

TEST(Conll, InvalidUtf8IsAnErrorWithLineAndByte) {
  expect_error<DataError>([] { read_text("a O\n\xFF O\n"); }, {"in.conll:2", "0xff at byte offset 4"});
}

TEST(Conll, AnOverlongLineIsRefused) {
  expect_error<DataError>([] { read_text("a O\n" + std::string(1 << 21, 'x')); },
                          {"in.conll:2", "a line of more than"});
}

TEST(Conll, LinesMayCrossBlocks) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "token" + std::to_string(i) + " O\n\n";
  const std::vector<Sentence> sentences = read_text(text);
  ASSERT_EQ(sentences.size(), 100'000u);
  for (size_t i = 0; i < sentences.size(); ++i) ASSERT_EQ(sentences[i].tokens.at(0), "token" + std::to_string(i));
}

}  // namespace portatune::io
