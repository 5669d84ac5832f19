#include "portatune/text/train/word_counts.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

constexpr int64_t kTextsOfATask = 256;

struct Hash {
  using is_transparent = void;
  size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
};

using Counts = std::unordered_map<std::string, int64_t, Hash, std::equal_to<>>;

}  // namespace

struct WordCounter::Table {
  Counts counts;
  Normalized normalized;
  Words words;
};

WordCounter::WordCounter(NormalizerPtr normalizer, PreTokenizerPtr pre_tokenizer)
    : normalizer_(std::move(normalizer)), pre_tokenizer_(std::move(pre_tokenizer)) {}
WordCounter::~WordCounter() = default;

std::unique_ptr<WordCounter::Table> WordCounter::take_table() {
  const std::lock_guard lock(mutex_);
  if (tables_.empty()) return std::make_unique<Table>();
  std::unique_ptr<Table> table = std::move(tables_.back());
  tables_.pop_back();
  return table;
}

void WordCounter::count(std::string_view text, Table& table) const {
  require_utf8(text);
  table.normalized.assign(text, 0, false);
  if (normalizer_ != nullptr) normalizer_->normalize(table.normalized);
  table.words.text = table.normalized;
  table.words.assign_whole();
  pre_tokenizer_->split(table.words);
  for (const Words::Word& word : table.words.words) {
    const std::string_view characters = table.words.text_of(word);
    if (const auto known = table.counts.find(characters); known != table.counts.end()) {
      ++known->second;
    } else {
      table.counts.emplace(characters, 1);
    }
  }
}

void WordCounter::add(std::span<const std::string> texts, ThreadPool& pool) {
  pool.parallel_for(std::ssize(texts), kTextsOfATask, [&](int64_t begin, int64_t end) {
    std::unique_ptr<Table> table = take_table();
    for (int64_t i = begin; i < end; ++i) count(texts[static_cast<size_t>(i)], *table);
    const std::lock_guard lock(mutex_);
    tables_.push_back(std::move(table));
  });
}

std::vector<WordCount> WordCounter::counts() const {
  std::unordered_map<std::string_view, int64_t> sums;
  for (const std::unique_ptr<Table>& table : tables_) {
    for (const auto& [word, count] : table->counts) sums[word] += count;
  }
  std::vector<WordCount> counts;
  counts.reserve(sums.size());
  for (const auto& [word, count] : sums) counts.push_back({std::string(word), count});
  std::ranges::sort(counts, {}, &WordCount::word);
  return counts;
}

}  // namespace portatune::text
