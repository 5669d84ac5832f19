#include "portatune/cli/options/bad_rows.h"

#include <fmt/format.h>
#include <unistd.h>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

constexpr std::string_view kSkip = "skip:";

// The escape sequence erases a progress bar, which is soon drawn again below.
void report_row(const data::BadRow& row) {
  const char* const wipe = isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
  print_message(wipe);
  print_message_line(fmt::format("skipped {}: {}", row.where, row.reason));
}

}  // namespace

std::shared_ptr<data::BadRows> bad_rows_of(const std::string& word) {
  if (word == "fail") return nullptr;
  const bool skips = word.starts_with(kSkip);
  const auto limit = skips ? number_in<int64_t>(std::string_view(word).substr(kSkip.size())) : std::nullopt;
  if (limit && *limit > 0) return std::make_shared<data::BadRows>(*limit, report_row);
  throw UsageError({.where = "bad rows",
                    .given = "--bad-rows " + word,
                    .expected = "fail, or skip:N with the largest number of rows to skip"});
}

void add_bad_rows(Group group, std::shared_ptr<data::BadRows>& bad_rows) {
  group
      .word(
          "--bad-rows", [&](const std::string& word) { bad_rows = bad_rows_of(word); },
          "fail, or skip:N to skip at most N rows that cannot be read or used", "fail|skip:N")
      ->default_str("fail");
}

std::string skipped_text(const data::BadRows& bad_rows) { return counted(bad_rows.count(), "bad row") + " skipped"; }

}  // namespace portatune::cli
