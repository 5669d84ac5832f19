// The stored cases: every folder of tests/data/models, written by tests/oracle/make_model_cases.py.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace portatune::test {

inline std::filesystem::path case_folder(const std::string& name) {
  return std::filesystem::path(PORTATUNE_TEST_DATA) / "models" / name;
}

/// The names of the cases, sorted.
inline std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(case_folder(""))) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace portatune::test
