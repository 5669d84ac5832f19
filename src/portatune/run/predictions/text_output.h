// The place to which results are written as text.
#pragma once

#include <functional>
#include <string_view>

namespace portatune::run {

/// A file or stream of results.
class TextOutput {
 public:
  virtual ~TextOutput() = default;
  virtual void write(std::string_view text) = 0;
};
/// Opens an output. The caller keeps it, and puts it in place when all is written.
using OpenText = std::function<TextOutput&()>;

}  // namespace portatune::run
