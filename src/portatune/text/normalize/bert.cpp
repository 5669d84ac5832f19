#include "portatune/text/normalize/bert.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

// The state of the normalizer in one text. It calls `write` with each code point and its origin.
template <class Write>
class Walk {
 public:
  Walk(const BertNormalizerOptions& options, const Write& write) : options_(options), write_(write) {}

  // Processes a code point with its origin.
  void take(char32_t c, Offsets origin) {
    if (options_.clean_text) {
      const uint32_t properties = tables_.properties(c);
      if ((properties & kControl) != 0) return;
      if ((properties & kSpace) != 0) c = U' ';
    }
    const uint32_t properties = tables_.properties(c);
    const bool set_apart = options_.handle_chinese_chars && (properties & kCjk) != 0;
    if (set_apart) {
      flush();
      put(U' ', origin);
    }
    if (options_.strip_accents) {
      decompose(c, properties, origin);
    } else {
      put(c, origin);
    }
    if (set_apart) {
      flush();
      put(U' ', origin);
    }
  }

  // Writes the waiting marks in order.
  void flush() {
    if (waiting_.empty()) return;
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Waiting& a, const Waiting& b) { return a.combining_class < b.combining_class; });
    // Origins keep their order when marks change positions. The first code point of a source's decomposition gets the
    // next source as its origin; the others get the one before, as in `tokenizers`.
    for (const Waiting& w : waiting_) {
      if (w.first_of_source) source_ = sources_[next_source_++];
      strip(w.c, source_);
    }
    waiting_.clear();
    if (next_source_ == sources_.size()) {
      sources_.clear();
      next_source_ = 0;
    }
  }

 private:
  struct Waiting {
    char32_t c;
    uint8_t combining_class;
    bool first_of_source;
  };

  void decompose(char32_t c, uint32_t properties, Offsets origin) {
    if ((properties & (kCombining | kDecomposes)) == 0 && !is_hangul_syllable(c)) {
      flush();
      strip(c, origin);
      return;
    }
    sources_.push_back(origin);
    if ((properties & kDecomposes) != 0) {
      wait(tables_.decomposition(c));
    } else if (is_hangul_syllable(c)) {
      const auto letters = decompose_hangul(c);
      wait(std::u32string_view(letters.data(), letters[2] == 0 ? 2 : 3));
    } else {
      wait(std::u32string_view(&c, 1));
    }
  }

  void wait(std::u32string_view decomposition) {
    for (size_t i = 0; i < decomposition.size(); ++i) {
      const uint8_t combining_class = tables_.combining_class(decomposition[i]);
      if (combining_class == 0) flush();  // marks are sorted between starters only
      waiting_.push_back({decomposition[i], combining_class, i == 0});
    }
  }

  void strip(char32_t c, Offsets origin) {
    if ((tables_.properties(c) & kMark) == 0) put(c, origin);
  }

  void put(char32_t c, Offsets origin) {
    if (options_.lowercase && (tables_.properties(c) & kUppercase) != 0) {
      write_(tables_.lowercase(c), origin);
      if (c == 0x130) write_(0x307, origin);
    } else {
      write_(c, origin);
    }
  }

  const UnicodeTables& tables_ = UnicodeTables::get();
  const BertNormalizerOptions& options_;
  const Write& write_;
  std::vector<Waiting> waiting_;
  std::vector<Offsets> sources_;  // origins of the code points with waiting decompositions
  size_t next_source_ = 0;        // index into sources_
  Offsets source_;                // the last source in use
};

}  // namespace

void BertNormalizer::normalize(std::string_view text, int32_t first, Normalized& out) const {
  const auto write = [&](char32_t c, Offsets origin) { out.append(c, origin); };
  Walk walk(options_, write);
  for (size_t at = 0; at < text.size(); ++first) walk.take(next_code_point(text, at), {first, first + 1});
  walk.flush();
}

void BertNormalizer::normalize(Normalized& text) const {
  Normalized result;
  result.clear_like(text);
  const auto write = [&](char32_t c, Offsets origin) { result.append(c, origin); };
  Walk walk(options_, write);
  for (size_t at = 0; at < text.text().size();) {
    const Offsets origin = text.origin_at(at);
    walk.take(next_code_point(text.text(), at), origin);
  }
  walk.flush();
  text = std::move(result);
}

}  // namespace portatune::text
