// The text of a continuation while its tokens arrive.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text.h"

namespace portatune::generate {

/// The text that `ids` add to the text of a prompt, without special tokens. It depends on the prompt: the tokens before
/// decide, for example, whether it begins with a space.
std::string text_after(const text::Tokenizer& tokenizer, std::span<const int32_t> prompt, std::span<const int32_t> ids);

/// The id of a text that is one special token, which decoded text does not show; else empty.
std::optional<int32_t> special_token(const text::Tokenizer& tokenizer, std::string_view text);

/// The number of bytes that later tokens cannot change. It excludes incomplete characters at the end, which decode to
/// U+FFFD.
size_t settled_size(std::string_view text);

/// The end of the first stop string in a text, in bytes; empty if there is none.
std::optional<size_t> end_of_stop(std::string_view text, std::span<const std::string> stop_strings);

/// The continuation of one prompt.
class GrowingText {
 public:
  GrowingText(const text::Tokenizer& tokenizer, std::span<const int32_t> prompt,
              std::span<const std::string> stop_strings);

  /// Takes all new tokens so far. Returns the new text that later tokens cannot change. `is_last`: no more tokens
  /// follow.
  std::string update(std::span<const int32_t> ids, bool is_last);

  const std::string& text() const { return text_; }
  /// Number of tokens up to the stop string that ended the text; empty if none did. The text ends after that string.
  std::optional<size_t> stopped_after() const { return stopped_after_; }

 private:
  void decode(std::span<const int32_t> ids);
  size_t tokens_until_stop(std::span<const int32_t> ids) const;

  const text::Tokenizer* tokenizer_;
  std::span<const int32_t> prompt_;
  std::string before_;  // text of the prompt
  std::span<const std::string> stop_strings_;
  std::string text_;
  size_t seen_ = 0, shown_ = 0;  // tokens of the last call; bytes returned so far
  std::optional<size_t> stopped_after_;
};

}  // namespace portatune::generate
