#include "portatune/text/pattern/regex_syntax.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "portatune/error.h"
#include "portatune/text/unicode/unicode.h"

namespace portatune::text {
namespace {

constexpr std::array<std::string_view, 29> kCategoryNames{"Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd",
                                                          "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm",
                                                          "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co"};
constexpr char32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF, kLastCodePoint = 0x10FFFF;
constexpr size_t kMaxPatternBytes = 4 << 20;  // more than PCRE2 compiles

std::string hex(char32_t c) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (; c != 0 || digits.empty(); c /= 16) digits.insert(digits.begin(), kDigits[c % 16]);
  return "\\x{" + digits + "}";
}

using Ranges = std::vector<std::pair<char32_t, char32_t>>;

// Writes sorted ranges without surrogates, with neighbours joined.
std::string written(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end());
  Ranges joined;
  for (const auto& [first, last] : ranges) {
    if (!joined.empty() && joined.back().second + 1 == first) {
      joined.back().second = last;
    } else {
      joined.emplace_back(first, last);
    }
  }
  std::string text;
  for (const auto& [first, last] : joined) {
    if (first < kFirstSurrogate && last > kLastSurrogate) {
      text += hex(first) + "-" + hex(kFirstSurrogate - 1) + hex(kLastSurrogate + 1) + "-" + hex(last);
    } else if (first < kFirstSurrogate || first > kLastSurrogate) {
      text += hex(first) + (last > first ? "-" + hex(last) : "");
    }
  }
  return text;
}

// The ranges of each kind of code points, kind_of(c) < kinds, from one walk over all.
template <size_t kinds, class KindOf>
std::array<Ranges, kinds> ranges_by_kind(KindOf&& kind_of) {
  std::array<Ranges, kinds> ranges;
  for (char32_t c = 0; c <= kLastCodePoint; ++c) {
    Ranges& of_kind = ranges[static_cast<size_t>(kind_of(c))];
    if (!of_kind.empty() && of_kind.back().second + 1 == c) {
      of_kind.back().second = c;
    } else {
      of_kind.emplace_back(c, c);
    }
  }
  return ranges;
}

bool is(char32_t c, Property property) { return (UnicodeTables::get().properties(c) & property) != 0; }

std::string space_ranges(bool negated) {
  static const auto ranges = ranges_by_kind<2>([](char32_t c) { return is(c, kSpace) ? 0 : 1; });
  return written(ranges[negated ? 1 : 0]);
}

// The code points of \w, and all others. Oniguruma's \w differs from that of other engines in joiners and, outside of
// classes, in the superscripts and fractions of Latin-1.
std::array<Ranges, 2> word_kinds(bool in_class) {
  constexpr std::u32string_view kAdded = U"\u00b2\u00b3\u00b9\u00bc\u00bd\u00be", kRemoved = U"\u200c\u200d";
  return ranges_by_kind<2>([&](char32_t c) {
    const bool more = !in_class && kAdded.find(c) != kAdded.npos;
    return more || (is(c, kWord) && kRemoved.find(c) == kRemoved.npos) ? 0 : 1;
  });
}

std::string word_ranges(bool negated, bool in_class) {
  static const auto inside = word_kinds(true), outside = word_kinds(false);
  return written((in_class ? inside : outside)[negated ? 1 : 0]);
}

// The code points whose category begins with `name`, or all others.
std::string category_ranges(std::string_view name, bool negated) {
  static const auto table = ranges_by_kind<kCategoryNames.size()>(
      [](char32_t c) { return static_cast<size_t>(UnicodeTables::get().category(c)); });
  Ranges ranges;
  for (size_t i = 0; i < table.size(); ++i) {
    if (kCategoryNames[i].starts_with(name) != negated) ranges.insert(ranges.end(), table[i].begin(), table[i].end());
  }
  return written(std::move(ranges));
}

class Translator {
 public:
  explicit Translator(std::string_view regex) : regex_(regex) {}

  std::string translate() {
    while (at_ < regex_.size()) {
      if (regex_[at_] == '\\') {
        escape();
      } else if (regex_[at_] == '[') {
        open_class();
      } else if (regex_[at_] == ']' && in_class_) {
        close_class();
      } else if (in_class_ && regex_.substr(at_).starts_with("&&")) {
        refuse("an intersection of classes");
      } else if (!in_class_ && regex_[at_] == '(') {
        open_group();
      } else if (!in_class_ && regex_[at_] == '{') {
        repeat();
      } else {
        out_ += regex_[at_++];
      }
      if (out_.size() > kMaxPatternBytes) refuse("too many classes");
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError({.where = "regular expression " + std::string(regex_),
                      .given = what + " at byte " + std::to_string(at_),
                      .expected = "groups, classes, repetitions, look-around and \\p{..} of a general category"});
  }

  // Opens a class. PCRE2 has no nested classes, but the content of an inner one can go into the outer one.
  void open_class() {
    const std::string_view rest = regex_.substr(at_);
    if (in_class_ && rest.starts_with("[:")) refuse("a POSIX class");
    if (in_class_ && rest.starts_with("[^")) refuse("a negated class in a class");
    if (in_class_) {
      ++inner_classes_;
      ++at_;
      return;
    }
    in_class_ = true;
    out_ += regex_[at_++];
    if (at_ < regex_.size() && regex_[at_] == '^') out_ += regex_[at_++];
    if (at_ < regex_.size() && regex_[at_] == ']') refuse("an empty class");
  }

  void close_class() {
    if (inner_classes_ > 0) {
      --inner_classes_;
    } else {
      in_class_ = false;
      out_ += ']';
    }
    ++at_;
  }

  // Opens a group. (?i: and (?i) have the same meaning in both; Oniguruma's m is PCRE2's s.
  void open_group() {
    const std::string_view rest = regex_.substr(at_);
    if (rest.starts_with("(?")) {
      const size_t end = std::min(rest.find_first_of(":)=!<>~", 2), rest.size());
      if (rest.substr(2, end - 2).find_first_not_of("ix-") != std::string_view::npos || rest.starts_with("(?~")) {
        refuse("a group (?" + std::string(rest.substr(2, 1)));
      }
    }
    if (rest.starts_with("(*")) refuse("a verb");
    out_ += regex_[at_++];
  }

  // Reads a repetition. {2,3}+ is a repeated repetition in Ruby's syntax, and a possessive one in PCRE2's.
  void repeat() {
    const size_t end = regex_.find('}', at_);
    if (end == std::string_view::npos) refuse("{ without }");
    const std::string_view count = regex_.substr(at_, end + 1 - at_);
    if (count.find_first_not_of("0123456789,{}") != std::string_view::npos || count.size() < 3) refuse("a brace");
    if (end + 1 < regex_.size() && regex_[end + 1] == '+') refuse("a repetition of a repetition");
    out_ += count.starts_with("{,") ? "{0" + std::string(count.substr(1)) : std::string(count);
    at_ = end + 1;
  }

  // Writes a class as ranges, inside of another class or alone.
  void put_class(const std::string& ranges) { out_ += in_class_ ? ranges : "[" + ranges + "]"; }

  void escape() {
    if (at_ + 1 == regex_.size()) refuse("a backslash");
    const char c = regex_[at_ + 1];
    at_ += 2;
    switch (c) {
      case 's':
      case 'S':
        return put_class(space_ranges(c == 'S'));
      case 'w':
      case 'W':
        return put_class(word_ranges(c == 'W', in_class_));
      case 'd':
      case 'D':
        return put_class(category_ranges("Nd", c == 'D'));
      case 'p':
      case 'P':
        return property(c == 'P');
      case 'n':
        out_ += "\\n";
        return;
      case 'r':
      case 't':
      case 'f':
      case 'v':
      case 'a':
      case 'e':
        out_ += c == 'v' ? std::string("\\x{b}") : std::string("\\") + c;
        return;
      case 'A':
      case 'z':
      case 'b':
      case 'B':
        if (in_class_ || c == 'b' || c == 'B') refuse(std::string("\\") + c);
        out_ += std::string("\\") + c;
        return;
      case 'x':
      case 'u':
        return code_point(c);
      default:
        at_ -= 2;
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) refuse(std::string("\\") + c);
        out_ += '\\';
        out_ += c;
        at_ += 2;
        return;
    }
  }

  // Reads \p{L}, \p{^L} or \P{L}.
  void property(bool negated) {
    const size_t end = regex_.find('}', at_);
    if (at_ == regex_.size() || regex_[at_] != '{' || end == std::string_view::npos) refuse("\\p without {..}");
    std::string_view name = regex_.substr(at_ + 1, end - at_ - 1);
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    const bool known = (name.size() == 1 || name.size() == 2) &&
                       std::any_of(kCategoryNames.begin(), kCategoryNames.end(),
                                   [&](std::string_view category) { return category.starts_with(name); });
    if (!known) refuse("\\p{" + std::string(name) + "}");
    at_ = end + 1;
    put_class(category_ranges(name, negated));
  }

  // Reads \x{2581}, \x20 or \u2581.
  void code_point(char kind) {
    const bool braces = at_ < regex_.size() && regex_[at_] == '{';
    const size_t begin = at_ + (braces ? 1 : 0);
    const size_t end = std::min(std::min(regex_.find_first_not_of("0123456789abcdefABCDEF", begin), regex_.size()),
                                begin + (braces        ? 6
                                         : kind == 'x' ? 2
                                                       : 4));
    const bool closed = !braces || (end < regex_.size() && regex_[end] == '}');
    if (end == begin || !closed || (kind == 'u' && (braces || end - begin != 4))) refuse("an unclear code point");
    const auto value = static_cast<char32_t>(std::stoul(std::string(regex_.substr(begin, end - begin)), nullptr, 16));
    // Oniguruma reads \x80 and above as a byte, not as a code point.
    if (value > kLastCodePoint || (!braces && kind == 'x' && value > 0x7F)) refuse("a byte that is not a code point");
    out_ += hex(value);
    at_ = end + (braces ? 1 : 0);
  }

  std::string_view regex_;
  std::string out_;
  size_t at_ = 0;
  bool in_class_ = false;
  int inner_classes_ = 0;  // open inner classes of the current class
};

}  // namespace

std::string pcre2_syntax(std::string_view regex) { return Translator(regex).translate(); }

}  // namespace portatune::text
