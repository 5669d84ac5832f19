#include "portatune/text/normalize/unicode_form.h"

#include <algorithm>
#include <optional>

#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

// Decomposes a text into canonical order. The first code point of a decomposition replaces its source; the others are
// inserted. Each keeps this role when marks change positions, as in `tokenizers`.
class Decomposer {
 public:
  explicit Decomposer(bool compatibly) : compatibly_(compatibly) {}

  std::vector<Change> decompose(std::string_view text) && {
    for (size_t at = 0; at < text.size();) take(next_code_point(text, at));
    sort_marks();
    return std::move(changes_);
  }

 private:
  void take(char32_t c) {
    const uint32_t properties = tables_.properties(c);
    if (compatibly_ && (properties & kDecomposesCompatibly) != 0) {
      put_all(tables_.compatibility_decomposition(c));
    } else if ((properties & kDecomposes) != 0) {
      put_all(tables_.decomposition(c));
    } else if (is_hangul_syllable(c)) {
      const auto letters = decompose_hangul(c);
      put_all(std::u32string_view(letters.data(), letters[2] == 0 ? 2 : 3));
    } else {
      put(c, 1);
    }
  }

  void put_all(std::u32string_view decomposition) {
    for (size_t i = 0; i < decomposition.size(); ++i) put(decomposition[i], i == 0 ? 1 : 0);
  }

  void put(char32_t c, int32_t replaced) {
    if ((tables_.properties(c) & kCombining) == 0) {
      sort_marks();
      changes_.push_back({c, replaced});
      first_mark_ = changes_.size();
    } else {
      changes_.push_back({c, replaced});
    }
  }

  void sort_marks() {
    if (changes_.size() < first_mark_ + 2) return;
    std::stable_sort(changes_.begin() + static_cast<std::ptrdiff_t>(first_mark_), changes_.end(),
                     [this](const Change& a, const Change& b) {
                       return tables_.combining_class(a.c) < tables_.combining_class(b.c);
                     });
  }

  const UnicodeTables& tables_ = UnicodeTables::get();
  const bool compatibly_;
  std::vector<Change> changes_;
  size_t first_mark_ = 0;  // index into changes_ of the first mark that is not in order yet
};

// Composes in place: a composite replaces the sources of its parts. A mark composes with the last starter unless a mark
// of its own or a higher class is between them.
void compose(std::vector<Change>& changes) {
  const UnicodeTables& tables = UnicodeTables::get();
  std::optional<size_t> starter;
  uint8_t last_class = 0;  // class of the last mark after the starter, 0 if there is none
  size_t size = 0;
  for (const Change& change : changes) {
    const uint8_t combining_class =
        (tables.properties(change.c) & kCombining) != 0 ? tables.combining_class(change.c) : 0;
    const bool adjacent = starter && size == *starter + 1;
    if (starter && (adjacent || last_class < combining_class)) {
      if (const char32_t composite = tables.composition(changes[*starter].c, change.c); composite != 0) {
        changes[*starter].c = composite;
        changes[*starter].replaced += change.replaced;
        continue;
      }
    }
    if (combining_class == 0) starter = size;
    last_class = combining_class;
    changes[size++] = change;
  }
  changes.resize(size);
}

}  // namespace

bool UnicodeNormalizer::keeps(std::string_view text) const { return is_ascii(text); }

void UnicodeNormalizer::normalize(Normalized& text) const {
  if (keeps(text.text())) return;
  const bool compatibly = form_ == UnicodeForm::kNfkc || form_ == UnicodeForm::kNfkd;
  std::vector<Change> changes = Decomposer(compatibly).decompose(text.text());
  if (form_ == UnicodeForm::kNfc || form_ == UnicodeForm::kNfkc) compose(changes);
  text.transform(changes);
}

}  // namespace portatune::text
