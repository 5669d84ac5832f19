// The text of a completion while its tokens come in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text.h"

namespace portatune::generate {

/// What tokens add to the text of a prompt, special ones left out. Their text depends on what stands before them:
/// whether it begins with a space, say.
std::string text_after(const text::Tokenizer& tokenizer, std::span<const int32_t> prompt, std::span<const int32_t> ids);

/// The id of a text that is one special token, which decoded text does not show; else nothing.
std::optional<int32_t> special_token(const text::Tokenizer& tokenizer, std::string_view text);

/// How far a text may be shown: what its last tokens have begun and others will complete (characters of which bytes are
/// missing, decoded to U+FFFD) is left out.
size_t settled_size(std::string_view text);

/// Where the first of the stop strings ends in a text, or nothing.
std::optional<size_t> end_of_stop(std::string_view text, std::span<const std::string> stop_strings);

/// The completion of one prompt.
class GrowingText {
 public:
  GrowingText(const text::Tokenizer& tokenizer, std::span<const int32_t> prompt,
              std::span<const std::string> stop_strings);

  /// All new tokens so far; returns what is new in the text and settled. `is_last`: nothing more will come.
  std::string update(std::span<const int32_t> ids, bool is_last);

  const std::string& text() const { return text_; }
  /// Of a text that a stop string has ended: how many tokens it took. Its text is cut after that string.
  std::optional<size_t> stopped_after() const { return stopped_after_; }

 private:
  void decode(std::span<const int32_t> ids);
  size_t tokens_until_stop(std::span<const int32_t> ids) const;

  const text::Tokenizer* tokenizer_;
  std::span<const int32_t> prompt_;
  std::string before_;  // the prompt's text
  std::span<const std::string> stop_strings_;
  std::string text_;
  size_t seen_ = 0, shown_ = 0;  // tokens of the last call; bytes
  std::optional<size_t> stopped_after_;
};

}  // namespace portatune::generate
