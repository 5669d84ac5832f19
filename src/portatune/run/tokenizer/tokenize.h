// Token ids and offsets of rows of texts: `portatune tokenize`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/run.h"

namespace portatune::run {

struct TokenizeOptions {
  std::filesystem::path tokenizer;
  std::vector<std::string> input;  ///< files of rows
  std::string text_column = "text";
  std::string text_pair_column;  ///< empty: text_pair in rows that have it
  int64_t max_length = 0;        ///< 0: no limit
  bool add_special_tokens = true;
};

/// Encodes rows and hands their lines to `write`, in the order of the rows: {"ids":[101,7592],"offsets":[[0,0],[0,5]]}.
/// errors  DataError for a row without the columns; Stopped; those of the tokenizer and of the rows
void tokenize(const TokenizeOptions& options, Events& events, const std::function<void(std::string_view)>& write);

}  // namespace portatune::run
