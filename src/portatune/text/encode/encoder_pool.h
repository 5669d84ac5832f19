// TextEncoders that wait for the next text.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "portatune/text.h"

namespace portatune::text {

class TextEncoder;

/// Lends TextEncoders, so that a call does not have to begin with one that has seen no words. Safe to share.
class EncoderPool {
 public:
  EncoderPool();
  ~EncoderPool();

  struct Return {
    EncoderPool* pool;
    void operator()(TextEncoder* encoder) const;
  };
  /// Goes back to the pool, which must outlive it.
  using Loan = std::unique_ptr<TextEncoder, Return>;

  /// One that waits, or a new one for `parts`, which are those of all the others.
  Loan borrow(const Tokenizer::Parts& parts);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<TextEncoder>> waiting_;
};

}  // namespace portatune::text
