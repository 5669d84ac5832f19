// A text on its way through the stages before the model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text.h"

namespace portatune::text {

/// Bytes [begin, end) of a text.
struct Span {
  size_t begin, end;
  bool operator==(const Span&) const = default;
};

/// What a normalizer makes of code points: `c` takes the place of the next `replaced` ones. 0: `c` is inserted.
struct Change {
  char32_t c;
  int32_t replaced = 1;
};

/// Text and, where asked for, the piece of the original text that each of its bytes stems from. All bytes of a code
/// point have the same origin. Origins are those that NormalizedString of `tokenizers` has.
class Normalized {
 public:
  /// `first` is the number of code points before `text` in the original.
  void assign(std::string_view text, int32_t first, bool with_origins);
  /// No text; what is appended stems from where `other`'s text does.
  void clear_like(const Normalized& other);

  const std::string& text() const { return text_; }
  bool has_origins() const { return has_origins_; }
  /// Where this piece of text began in the original, in code points.
  int32_t first() const { return first_; }

  /// Where the bytes [begin, end), at least one, come from. Only with origins.
  Offsets origin(size_t begin, size_t end) const { return {origins_[begin].begin, origins_[end - 1].end}; }
  /// That of the code point at a byte; nothing of interest without origins.
  Offsets origin_at(size_t at) const { return has_origins_ ? origins_[at] : Offsets{}; }

  /// Requires that normalizers may make the text so long: 32 times what assign() was given, and 1 KB. The longest that
  /// Unicode's forms make of a text is 11 times it (U+FDFA), which a byte-level normalizer doubles.
  /// errors  CheckpointError without a place, which the stage knows
  void require_room(size_t bytes) const;

  /// Makes room for that many bytes in all.
  void reserve(size_t bytes);
  void append(std::string_view text, Offsets origin) {
    text_ += text;
    if (has_origins_) origins_.resize(text_.size(), origin);
  }
  void append(char32_t c, Offsets origin);
  /// A piece of `other` with its origins.
  void append(const Normalized& other, Span piece);

  /// Replaces each byte of a text that is ASCII by map(byte), which is ASCII, too.
  template <class Map>
  void map_ascii(Map&& map) {
    for (char& byte : text_) byte = map(byte);
  }

  /// Replaces the text. An inserted code point has the origin of the one before it, another that of the first that it
  /// replaces. `dropped` code points at the beginning are replaced by none.
  void transform(std::span<const Change> changes, size_t dropped = 0);

  /// Puts `prefix` before the text, unless that is empty. It has the origin of the first code point.
  /// errors  those of require_room()
  void prepend(std::string_view prefix);

  /// Puts `content` in the place of each match; it has the origin of the last code point of the match.
  /// errors  those of require_room(), before anything is replaced
  void replace(std::span<const Span> matches, std::string_view content);

 private:
  std::string text_;
  std::vector<Offsets> origins_;
  bool has_origins_ = false;
  int32_t first_ = 0;
  size_t assigned_bytes_ = 0;
};

}  // namespace portatune::text
