#include "portatune/text/encode/encoder_pool.h"

#include "portatune/text/encode/text_encoder.h"

namespace portatune::text {
namespace {

constexpr size_t kLongText = 1 << 20;  // an encoder that has seen a longer text holds too much memory to keep

}  // namespace

EncoderPool::EncoderPool() = default;
EncoderPool::~EncoderPool() = default;

EncoderPool::Handle EncoderPool::borrow(const Tokenizer::Parts& parts) {
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty()) {
      TextEncoder* const encoder = waiting_.back().release();
      waiting_.pop_back();
      return Handle(encoder, {this});
    }
  }
  return Handle(std::make_unique<TextEncoder>(parts).release(), {this});
}

void EncoderPool::Return::operator()(TextEncoder* encoder) const {
  std::unique_ptr<TextEncoder> returned(encoder);
  if (returned->longest_text() > kLongText) return;
  const std::lock_guard lock(pool->mutex_);
  pool->waiting_.push_back(std::move(returned));
}

}  // namespace portatune::text
