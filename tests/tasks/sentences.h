// Rows for the tiny BERT of tests/data/tiny_bert.
#pragma once

#include <filesystem>
#include <string>
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

}  // namespace portatune::test
