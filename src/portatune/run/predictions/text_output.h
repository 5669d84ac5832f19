// The place to which results are written as text.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace portatune::run {

/// A file or stream of results. Without finish() the text is discarded, where that is possible.
class TextOutput {
 public:
  virtual ~TextOutput() = default;
  virtual void write(std::string_view text) = 0;
  virtual void finish() = 0;
};
using OpenText = std::function<std::unique_ptr<TextOutput>()>;

}  // namespace portatune::run
