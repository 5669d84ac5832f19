// Examples that a function has made, kept for later passes over the same rows.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// Keeps what functions make of rows, in memory and up to a number of bytes. Rows are recognised by their columns and
/// their origin. Thread-safe.
class ExampleMemory {
 public:
  using Function = std::function<std::vector<Example>(const Example& row)>;

  explicit ExampleMemory(int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// f(row), or equal examples if `f` was called before for a row equal to this one.
  /// name  of the function; the same name means a function with the same results
  std::vector<Example> get(std::string_view name, const Example& row, const Function& f);

  /// Number of bytes that it holds. It never exceeds the number that the constructor got: further rows are not kept.
  int64_t bytes() const;

 private:
  const int64_t max_bytes_;
  mutable std::mutex mutex_;
  int64_t bytes_ = 0;
  // The bytes of the examples, by the name of the function and the bytes of the row.
  std::unordered_map<std::string, std::vector<std::string>> made_;
};

}  // namespace portatune::data
