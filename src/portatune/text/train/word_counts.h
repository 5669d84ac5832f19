// Counts of the words that a tokenizer's model gets.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/base/threads/thread_pool.h"
#include "portatune/text/normalize/normalizer.h"
#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

struct WordCount {
  std::string word;
  int64_t count;
};

/// Passes texts through the stages before the model and counts the words. Threads count in tables of their own.
class WordCounter {
 public:
  /// normalizer     null: none
  /// pre_tokenizer  must not need origins
  WordCounter(NormalizerPtr normalizer, PreTokenizerPtr pre_tokenizer);
  ~WordCounter();

  /// errors  DataError for a text that is not UTF-8
  void add(std::span<const std::string> texts, ThreadPool& pool);
  /// The words in the order of their bytes.
  std::vector<WordCount> counts() const;

 private:
  struct Table;
  std::unique_ptr<Table> take_table();
  void count(std::string_view text, Table& table) const;

  const NormalizerPtr normalizer_;
  const PreTokenizerPtr pre_tokenizer_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Table>> tables_;  // those that no thread uses
};

}  // namespace portatune::text
