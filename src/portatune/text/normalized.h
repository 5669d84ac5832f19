// A text in the stages before the model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text.h"

namespace portatune::text {

/// The bytes [begin, end) of a text.
struct Span {
  size_t begin, end;
  bool operator==(const Span&) const = default;
};

/// One result of a normalizer: `c` replaces the next `replaced` code points. 0: `c` is inserted.
struct Change {
  char32_t c;
  int32_t replaced = 1;
};

/// A text and, on request, the range of the original text from which each of its bytes comes. All bytes of a code point
/// have the same origin. Origins equal those of NormalizedString in `tokenizers`.
class Normalized {
 public:
  /// Sets the text. `first` is the number of code points before it in the original.
  void assign(std::string_view text, int32_t first, bool with_origins);
  /// Clears the text. Its offset in the original becomes that of `other`; it has origins if `other` has.
  void clear_like(const Normalized& other);

  const std::string& text() const { return text_; }
  bool has_origins() const { return has_origins_; }
  /// The offset of this text in the original, in code points.
  int32_t first() const { return first_; }

  /// The origin of the bytes [begin, end), at least one. Requires origins.
  Offsets origin(size_t begin, size_t end) const { return {origins_[begin].begin, origins_[end - 1].end}; }
  /// The origin of the code point at a byte; meaningless without origins.
  Offsets origin_at(size_t at) const { return has_origins_ ? origins_[at] : Offsets{}; }

  /// Checks that a normalizer may make the text this long: at most 32 times the size given to assign(), plus 1 KB. The
  /// longest result of a Unicode form is 11 times the text (U+FDFA), and a byte-level normalizer doubles it.
  /// errors  CheckpointError without the stage, which the caller adds
  void require_room(size_t bytes) const;

  /// Reserves memory for `bytes` bytes in total.
  void reserve(size_t bytes);
  void append(std::string_view text, Offsets origin) {
    text_ += text;
    if (has_origins_) origins_.resize(text_.size(), origin);
  }
  void append(char32_t c, Offsets origin);
  /// Appends a range of `other` with its origins.
  void append(const Normalized& other, Span piece);

  /// Replaces each byte of an ASCII text by map(byte), which is ASCII, too.
  template <class Map>
  void map_ascii(Map&& map) {
    for (char& byte : text_) byte = map(byte);
  }

  /// Replaces the text. An inserted code point has the origin of the one before it; any other has the origin of the
  /// first code point that it replaces. The first `dropped` code points are removed.
  void transform(std::span<const Change> changes, size_t dropped = 0);

  /// Inserts `prefix` at the beginning, unless the text is empty. The prefix has the origin of the first code point.
  /// errors  those of require_room()
  void prepend(std::string_view prefix);

  /// Replaces each match by `content`, which has the origin of the match's last code point.
  /// errors  those of require_room(), before any replacement
  void replace(std::span<const Span> matches, std::string_view content);

 private:
  std::string text_;
  std::vector<Offsets> origins_;
  bool has_origins_ = false;
  int32_t first_ = 0;
  size_t assigned_bytes_ = 0;
};

}  // namespace portatune::text
