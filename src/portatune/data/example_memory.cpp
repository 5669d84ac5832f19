#include "portatune/data/example_memory.h"

#include <utility>

#include "portatune/data/example_bytes.h"

namespace portatune::data {
namespace {

// Bytes of an entry beside those of its texts: two nodes of the map, and the heads of strings.
constexpr int64_t kBytesOfEntry = 128, kBytesOfExample = 64;

std::vector<std::string> bytes_of(const std::vector<Example>& examples) {
  std::vector<std::string> all;
  for (const Example& example : examples) append_bytes(all.emplace_back(), example);
  return all;
}

std::vector<Example> examples_of(const std::vector<std::string>& all) {
  std::vector<Example> examples;
  for (const std::string& bytes : all) examples.push_back(example_of_bytes(bytes, "memory of examples"));
  return examples;
}

int64_t size_of(const std::string& key, const std::vector<std::string>& made) {
  int64_t size = kBytesOfEntry + std::ssize(key);
  for (const std::string& bytes : made) size += kBytesOfExample + std::ssize(bytes);
  return size;
}

}  // namespace

std::vector<Example> ExampleMemory::get(std::string_view name, const Example& row, const Function& f) {
  std::string key(name);
  key += '\0';
  append_bytes(key, row);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = made_.find(key); found != made_.end()) return examples_of(found->second);
  }
  std::vector<Example> examples = f(row);
  std::vector<std::string> made = bytes_of(examples);
  const int64_t size = size_of(key, made);
  const std::lock_guard lock(mutex_);
  if (size <= max_bytes_ - bytes_ && made_.try_emplace(std::move(key), std::move(made)).second) bytes_ += size;
  return examples;
}

int64_t ExampleMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace portatune::data
