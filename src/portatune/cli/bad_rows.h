// What --bad-rows asks for.
#pragma once

#include <memory>
#include <string>

#include "portatune/bad_rows.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/option_group.h"

namespace portatune::cli {

/// "fail": null. "skip:N": passes over N rows, each of which is told on stderr; nothing else may be written to the line
/// that a progress bar stands on.
/// errors  UsageError for another word
std::shared_ptr<data::BadRows> bad_rows_of(const std::string& word);

/// The option --bad-rows.
void add_bad_rows(Group group, std::shared_ptr<data::BadRows>& bad_rows);

/// "3 bad rows passed over".
std::string told(const data::BadRows& bad_rows);

}  // namespace portatune::cli
