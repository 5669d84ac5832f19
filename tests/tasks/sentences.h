// Rows for the tiny BERT of tests/data/tiny_bert.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data.h"

namespace portatune::test {

inline const std::filesystem::path kTinyBert = std::filesystem::path(PORTATUNE_TEST_DATA) / "tiny_bert";

inline data::Example sentence(const std::string& text, const std::string& label) {
  data::Example row;
  row.set("text", text);
  row.set("label", label);
  return row;
}

/// The integers of a column, row after row.
inline std::vector<int32_t> ints(const data::Example& example, std::string_view column) {
  const auto values = example.tensor(column).as<int32_t>();
  return {values.begin(), values.end()};
}

}  // namespace portatune::test
