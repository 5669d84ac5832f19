// What the readers of tables have in common: one file after the other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "portune/data/stage.h"

namespace portune::data {

/// Begins to read a file.
using OpenFile = std::function<std::unique_ptr<Iterator>(const std::string& path)>;

/// The examples of all files (table_files), in the order given. `verb` is named in errors.
/// errors  at once: UsageError if there are no files, NotFoundError if one is missing, those of table_files();
///         DataError, when it is reached, for a file without examples
Dataset read_files(const std::string& verb, std::vector<std::string> paths, OpenFile open);

}  // namespace portune::data
