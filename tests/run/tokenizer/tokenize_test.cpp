#include "portatune/run/tokenizer/tokenize.h"

#include <gtest/gtest.h>

#include "cli/toy.h"

namespace portatune::run {
namespace {

// The vocabulary of the tiny model: [CLS] 2, [SEP] 3, good 5, the 13, film 15.
TEST(Tokenize, HandsOutTheLinesOfTheRows) {
  const cli::Toy toy;
  cli::write(toy.file("rows.csv"), "text\nthe film\ngood\n");
  Events unobserved;
  std::string lines;
  tokenize({.tokenizer = cli::tiny_bert(), .input = {toy.file("rows.csv")}, .text_pair_column = {}}, unobserved,
           [&](std::string_view text) { lines += text; });
  EXPECT_EQ(lines,
            "{\"ids\":[2,13,15,3],\"offsets\":[[0,0],[0,3],[4,8],[0,0]]}\n"
            "{\"ids\":[2,5,3],\"offsets\":[[0,0],[0,4],[0,0]]}\n");
}

}  // namespace
}  // namespace portatune::run
