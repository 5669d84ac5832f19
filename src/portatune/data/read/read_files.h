// What the readers of tables have in common: one file after the other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/io/text/text_file.h"

namespace portatune::data {

/// Begins to read a file. The rows must be able to say where they stand.
using OpenFile = std::function<std::unique_ptr<Iterator>(const std::string& path)>;

/// The examples of all files (table_files), in the order given. `verb` is named in errors.
/// errors  at once: UsageError if there are no files, NotFoundError if one is missing, those of table_files();
///         DataError, when it is reached, for a file without examples
Dataset read_files(const std::string& verb, std::vector<std::string> paths, OpenFile open);

/// The state of rows of a text file: where the next is looked for.
nlohmann::json state_of(std::string_view stage, io::TextPosition position);
io::TextPosition position_in(const SavedState& saved);

}  // namespace portatune::data
