// Common part of the readers of tables: one file after the other.
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

/// Opens a file for reading. The iterator over its rows must have a state.
using OpenFile = std::function<std::unique_ptr<Iterator>(const std::string& path)>;

/// The examples of all files (table_files), in the order given. `verb` is named in errors.
/// errors  at once: UsageError if there are no files, NotFoundError if one is missing, those of table_files();
///         DataError, when the file is reached, for a file without examples
Dataset read_files(const std::string& verb, std::vector<std::string> paths, OpenFile open);

/// The state of rows of a text file: the position of the next row.
nlohmann::json state_of(std::string_view stage, io::TextPosition position);
io::TextPosition position_in(const SavedState& saved);

}  // namespace portatune::data
