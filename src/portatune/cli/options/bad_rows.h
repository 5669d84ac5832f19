// The policy for bad rows: the option --bad-rows.
#pragma once

#include <memory>
#include <string>

#include "portatune/cli/options/arguments.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/sources.h"

namespace portatune::cli {

/// "fail": null. "skip:N": skips up to N rows and reports each of them on stderr; nothing else may be written to the
/// line of a progress bar.
/// errors  UsageError for another word
std::shared_ptr<data::BadRows> bad_rows_of(const std::string& word);

/// The option --bad-rows.
void add_bad_rows(Group group, std::shared_ptr<data::BadRows>& bad_rows);

/// The number of skipped bad rows as a text for reports.
std::string skipped_text(const data::BadRows& bad_rows);

}  // namespace portatune::cli
