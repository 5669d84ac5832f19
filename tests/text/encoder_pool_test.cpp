#include "portatune/text/encode/encoder_pool.h"

#include <gtest/gtest.h>

#include "portatune/text/encode/text_encoder.h"

namespace portatune::text {
namespace {

struct EncoderPoolTest : testing::Test {
  const Tokenizer::Parts parts{read_tokenizer_json(PORTATUNE_TEST_DATA "/tiny_bert/tokenizer.json"), TokenizerConfig{}};
  EncoderPool pool;

  size_t tokens_there_is_room_for() { return pool.borrow(parts)->first.ids.capacity(); }
};

TEST_F(EncoderPoolTest, LendsEncodersAgain) {
  EXPECT_EQ(tokens_there_is_room_for(), 0u);
  pool.borrow(parts)->encode({.first = "good film"}, {});
  EXPECT_GT(tokens_there_is_room_for(), 0u);
}

TEST_F(EncoderPoolTest, LendsEachEncoderToOneCallerAtATime) {
  const EncoderPool::Handle first = pool.borrow(parts), second = pool.borrow(parts);
  EXPECT_NE(first, second);
}

TEST_F(EncoderPoolTest, DropsEncodersOfLongTexts) {
  pool.borrow(parts)->encode({.first = std::string(2 << 20, '.')}, {});
  EXPECT_EQ(tokens_there_is_room_for(), 0u);
}

}  // namespace
}  // namespace portatune::text
