// A pool of TextEncoders.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "portatune/text.h"

namespace portatune::text {

class TextEncoder;

/// Lends TextEncoders, so that calls reuse their caches of words. Threads may share a pool.
class EncoderPool {
 public:
  EncoderPool();
  ~EncoderPool();

  struct Return {
    EncoderPool* pool;
    void operator()(TextEncoder* encoder) const;
  };
  /// Returns the encoder to the pool, which must outlive it.
  using Handle = std::unique_ptr<TextEncoder, Return>;

  /// An idle encoder, or a new one. `parts` must be the same in all calls.
  Handle borrow(const Tokenizer::Parts& parts);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<TextEncoder>> waiting_;
};

}  // namespace portatune::text
