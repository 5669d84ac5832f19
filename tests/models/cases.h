// The stored cases: every folder of tests/data/models, written by tests/oracle/models/make_model_cases.py, and of
// tests/data/adapters.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "portatune/analysis/parity/reference_case.h"

namespace portatune::test {

inline std::filesystem::path case_folder(const std::string& name, const char* kind = "models") {
  return std::filesystem::path(PORTATUNE_TEST_DATA) / kind / name;
}

/// The names of the cases, sorted.
inline std::vector<std::string> case_names(const char* kind = "models") {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(case_folder("", kind))) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// The cases with optimizer steps, one for each architecture.
inline std::vector<std::string> whole_cases() {
  std::vector<std::string> names = case_names();
  std::erase_if(
      names, [](const std::string& name) { return parity::ReferenceCase(case_folder(name)).names("after5").empty(); });
  return names;
}

}  // namespace portatune::test
