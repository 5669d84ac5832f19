#include "portatune/text/pattern/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "portatune/error.h"
#include "portatune/text/pattern/regex_syntax.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

template <auto free>
struct Free {
  void operator()(auto* p) const { free(p); }
};
using MatchData = std::unique_ptr<pcre2_match_data, Free<pcre2_match_data_free>>;

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

struct Regex::Code {
  std::unique_ptr<pcre2_code, Free<pcre2_code_free>> code;
};

Regex::Regex(const std::string& regex) : regex_(regex) {
  const std::string pattern = pcre2_syntax(regex);
  int error = 0;
  PCRE2_SIZE offset = 0;
  // The text is valid UTF-8 here. In Ruby's syntax ^ and $ match at the ends of lines.
  constexpr uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_NO_UTF_CHECK | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  const std::unique_ptr<pcre2_compile_context, Free<pcre2_compile_context_free>> context(
      pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  auto code = std::make_unique<Code>();
  code->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), kOptions, &error,
                                 &offset, context.get()));
  if (code->code == nullptr) {
    throw UsageError({.where = "regular expression " + regex,
                      .given = message_of(error),
                      .expected = "Oniguruma's syntax, as far as PCRE2 supports it"});
  }
  pcre2_jit_compile(code->code.get(), PCRE2_JIT_COMPLETE);  // without a JIT it is only slower
  code_ = std::move(code);
}

Regex::~Regex() = default;

void Regex::find(std::string_view text, std::vector<Span>& matches) const {
  const MatchData data(pcre2_match_data_create_from_pattern(code_->code.get(), nullptr));
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  for (size_t at = 0; at <= text.size();) {
    const int count = pcre2_match(code_->code.get(), subject, text.size(), at, PCRE2_NO_UTF_CHECK, data.get(), nullptr);
    if (count == PCRE2_ERROR_NOMATCH) return;
    if (count < 0) {
      throw DataError({.where = "regular expression " + regex_,
                       .given = "a text of " + std::to_string(text.size()) + " bytes",
                       .expected = "a text that it handles within its limits: " + message_of(count)});
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
    const Span match{ends[0], ends[1]};
    if (match.begin == match.end && !matches.empty() && matches.back().end == match.end) {
      // There is no empty match directly after another match.
      if (at == text.size()) return;
      next_code_point(text, at);
      continue;
    }
    matches.push_back(match);
    at = match.end;
  }
}

}  // namespace portatune::text
