// Options of rows that several commands have: files, tables, batches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/cli/options/arguments.h"
#include "portatune/cli/options/option_group.h"

namespace portatune::cli {

/// Files that a command reads once. Standard input may be one of them.
CLI::Option* add_data(Group group, const std::string& names, std::vector<std::string>& files, const std::string& help);
/// Refuses standard input for files that training reads several times.
void refuse_standard_input(CLI::App& command, const std::string& option);

/// The format of the rows, for files whose names do not show it.
void add_format(Group group, data::TableOptions& table);
/// How tables are read, and what happens to bad rows.
void add_table(Group group, run::ModelOptions& model);

/// The number of first rows to read; without the option, all rows.
void add_first_rows(Group group, const std::string& name, int64_t& rows, const std::string& help);
/// The number of rows of a batch on each device.
void add_batch_size(Group group, int64_t& size);
/// The lengths of batches.
void add_padding(Group group, std::optional<run::Padding>& padding);

}  // namespace portatune::cli
