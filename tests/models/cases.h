// The stored cases: every folder of tests/data/models, written by tests/oracle/models/make_model_cases.py, and of
// tests/data/adapters.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
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

/// Whether tests use all cases, as in `make test-all`, and not a sample.
inline bool wants_all_cases() { return std::getenv("PORTATUNE_TEST_ALL") != nullptr; }

/// Whether a case has optimizer steps. Each architecture has one such case.
inline bool is_whole(const parity::ReferenceCase& reference) { return !reference.names("after5").empty(); }

inline std::vector<std::string> whole_cases() {
  std::vector<std::string> names = case_names();
  std::erase_if(names, [](const std::string& name) { return !is_whole(parity::ReferenceCase(case_folder(name))); });
  return names;
}

/// A whole case of each kind of model.
inline constexpr std::array kSmallSample = {"bert_softmax", "gpt2_lm", "t5_lm", "vit_softmax", "wav2vec2_softmax"};

/// Whether a test that hardly depends on the architecture uses a case: one of kSmallSample; in `make test-all` each.
inline bool is_in_small_sample(const std::string& name) {
  return wants_all_cases() || std::ranges::find(kSmallSample, name) != kSmallSample.end();
}

/// A sample for tests in which heads and variants do not depend on the architecture: the whole cases, and the first
/// case of each head and variant ("token" of "albert_token"); all cases in `make test-all`.
inline std::vector<std::string> sampled_cases() {
  const std::vector<std::string> whole = whole_cases();
  std::vector<std::string> names = case_names();
  std::set<std::string> kinds;
  std::erase_if(names, [&](const std::string& name) {
    const bool is_first = kinds.insert(name.substr(name.find('_'))).second;
    return !is_first && !wants_all_cases() && !std::ranges::binary_search(whole, name);
  });
  return names;
}

}  // namespace portatune::test
