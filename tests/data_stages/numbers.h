// Datasets of numbered examples.
#pragma once

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// Examples with a text column "n": "0", "1", ..., count - 1.
inline Dataset numbers(int count) {
  std::vector<Example> examples(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) examples[static_cast<size_t>(i)].set("n", std::to_string(i));
  return from_examples(std::move(examples));
}

inline int number_of(const Example& example) { return std::stoi(example.text("n")); }

inline Example same(Example example) { return example; }

/// The numbers of a pass.
inline std::vector<int> collect(Cursor cursor) {
  std::vector<int> result;
  for (const Example& example : cursor) result.push_back(number_of(example));
  return result;
}

inline std::vector<int> collect(const Dataset& dataset) { return collect(dataset.iterate()); }

/// All examples of a pass.
inline std::vector<Example> all(Cursor cursor) {
  std::vector<Example> result;
  for (Example& example : cursor) result.push_back(std::move(example));
  return result;
}

/// A function that counts examples.
inline std::function<Example(Example)> counting(std::atomic<int>& count) {
  return [&count](Example example) {
    ++count;
    return example;
  };
}

/// A function that fails for example `n`.
inline std::function<Example(Example)> failing_at(const std::string& n) {
  return [n](Example example) {
    if (example.text("n") == n) throw std::runtime_error("failed at " + n);
    return example;
  };
}

}  // namespace portatune::data
