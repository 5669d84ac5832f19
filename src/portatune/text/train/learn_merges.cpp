#include "portatune/text/train/learn_merges.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "portatune/error.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

// Two ids, the first in the upper half: pairs are ordered as their ids.
using Pair = uint64_t;

Pair pair_of(int32_t first, int32_t second) {
  return static_cast<Pair>(static_cast<uint32_t>(first)) << 32 | static_cast<uint32_t>(second);
}
int32_t first_of(Pair pair) { return static_cast<int32_t>(pair >> 32); }
int32_t second_of(Pair pair) { return static_cast<int32_t>(pair & 0xFFFFFFFF); }

struct PairHash {
  size_t operator()(Pair pair) const { return static_cast<size_t>((pair ^ (pair >> 29)) * 0x9E3779B97F4A7C15); }
};

std::string as_text(char32_t c) {
  std::string text;
  append_utf8(c, text);
  return text;
}

class TokenTable {
 public:
  /// The id of a token, which is added if it is new.
  int32_t add(const std::string& token) {
    const auto [place, is_new] = ids_.emplace(token, static_cast<int32_t>(tokens_.size()));
    if (is_new) tokens_.push_back(token);
    return place->second;
  }
  const std::string& token(int32_t id) const { return tokens_[static_cast<size_t>(id)]; }
  size_t size() const { return tokens_.size(); }
  std::vector<std::string> take() && { return std::move(tokens_); }

 private:
  std::unordered_map<std::string, int32_t> ids_;
  std::vector<std::string> tokens_;
};

// The characters to keep, in the order of their code points. Of equally frequent ones, those with the smaller code
// points are kept.
std::vector<char32_t> alphabet_of(std::span<const WordCount> words, const MergeOptions& options) {
  std::map<char32_t, int64_t> counts;
  for (const WordCount& word : words) {
    for (size_t at = 0; at < word.word.size();) counts[next_code_point(word.word, at)] += word.count;
  }
  for (const char32_t c : options.initial_alphabet) counts[c] = std::numeric_limits<int64_t>::max();
  std::vector<std::pair<char32_t, int64_t>> kept(counts.begin(), counts.end());
  if (options.limit_alphabet > 0 && kept.size() > options.limit_alphabet) {
    std::ranges::stable_sort(kept, std::greater(), &std::pair<char32_t, int64_t>::second);
    kept.resize(options.limit_alphabet);
    std::ranges::sort(kept);
  }
  std::vector<char32_t> alphabet;
  for (const auto& [c, count] : kept) alphabet.push_back(c);
  return alphabet;
}

// The ids of the characters at the beginning and inside of words.
class Characters {
 public:
  Characters(std::span<const WordCount> words, const MergeOptions& options, TokenTable& vocabulary) {
    for (const char32_t c : alphabet_of(words, options)) begin_[c] = vocabulary.add(as_text(c));
    if (options.continuing_subword_prefix.empty()) {
      inside_ = begin_;
      return;
    }
    std::set<char32_t> inside;
    for (const auto& [word, count] : words) {
      size_t at = 0;
      for (next_code_point(word, at); at < word.size();) inside.insert(next_code_point(word, at));
    }
    for (const char32_t c : inside) {
      if (begin_.contains(c)) inside_[c] = vocabulary.add(options.continuing_subword_prefix + as_text(c));
    }
  }

  /// The ids of a word. Characters outside of the alphabet are left out.
  void append_to(std::vector<int32_t>& ids, const std::string& word) const {
    for (size_t at = 0; at < word.size();) {
      const std::unordered_map<char32_t, int32_t>& known = at == 0 ? begin_ : inside_;
      if (const auto id = known.find(next_code_point(word, at)); id != known.end()) ids.push_back(id->second);
    }
  }

 private:
  std::unordered_map<char32_t, int32_t> begin_, inside_;
};

// Words as ids, in one array.
class Corpus {
 public:
  Corpus(std::span<const WordCount> words, const Characters& characters) {
    for (const auto& [word, count] : words) {
      const size_t begin = ids_.size();
      characters.append_to(ids_, word);
      words_.push_back({begin, ids_.size() - begin, count});
    }
  }

  size_t size() const { return words_.size(); }
  int64_t count(uint32_t word) const { return words_[word].count; }
  std::span<const int32_t> ids(uint32_t word) const { return {ids_.data() + words_[word].begin, words_[word].size}; }

  /// Replaces a pair of a word by `merged`. Calls change(pair, -1) for each neighbouring pair that disappears, and
  /// change(pair, 1) for each that appears.
  template <class Change>
  void merge(uint32_t word, Pair pair, int32_t merged, Change&& change) {
    const int32_t first = first_of(pair), second = second_of(pair);
    int32_t* const ids = ids_.data() + words_[word].begin;
    const size_t size = words_[word].size;
    size_t end = 0;  // of the result
    for (size_t i = 0; i < size;) {
      if (ids[i] != first || i + 1 == size || ids[i + 1] != second) {
        ids[end++] = ids[i++];
        continue;
      }
      if (end > 0) {
        change(pair_of(ids[end - 1], first), -1);
        change(pair_of(ids[end - 1], merged), 1);
      }
      i += 2;
      if (i < size) {
        change(pair_of(second, ids[i]), -1);
        change(pair_of(merged, ids[i]), 1);
      }
      ids[end++] = merged;
    }
    words_[word].size = end;
  }

 private:
  struct Word {
    size_t begin, size;
    int64_t count;
  };
  std::vector<int32_t> ids_;
  std::vector<Word> words_;
};

// A pair may be merged again after another pair has made the same token. The last time decides, as in `tokenizers`.
std::vector<std::pair<int32_t, int32_t>> last_of_each(const std::vector<Pair>& merged) {
  std::vector<std::pair<int32_t, int32_t>> pairs;
  std::unordered_set<Pair, PairHash> seen;
  for (auto pair = merged.rbegin(); pair != merged.rend(); ++pair) {
    if (seen.insert(*pair).second) pairs.emplace_back(first_of(*pair), second_of(*pair));
  }
  std::ranges::reverse(pairs);
  return pairs;
}

// A pair with the words that got it in one step, and its count at that time.
struct Candidate {
  int64_t count;
  Pair pair;
  std::vector<uint32_t> words;

  bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

class Candidates {
 public:
  void push(Candidate candidate) {
    heap_.push_back(std::move(candidate));
    std::push_heap(heap_.begin(), heap_.end());
  }
  std::optional<Candidate> pop() {
    if (heap_.empty()) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end());
    Candidate top = std::move(heap_.back());
    heap_.pop_back();
    return top;
  }

 private:
  std::vector<Candidate> heap_;
};

class Learner {
 public:
  Learner(std::span<const WordCount> words, const MergeOptions& options, TokenTable& vocabulary)
      : options_(options), vocabulary_(vocabulary), corpus_(words, Characters(words, options, vocabulary)) {
    for (uint32_t word = 0; word < corpus_.size(); ++word) {
      const std::span<const int32_t> ids = corpus_.ids(word);
      for (size_t i = 1; i < ids.size(); ++i) {
        const Pair pair = pair_of(ids[i - 1], ids[i]);
        counts_[pair] += corpus_.count(word);
        added_.emplace_back(pair, word);
      }
    }
    push_added();
  }

  std::vector<std::pair<int32_t, int32_t>> learn() {
    std::vector<Pair> merged;
    while (vocabulary_.size() < options_.vocab_size) {
      stop_if_requested();
      std::optional<Candidate> top = candidates_.pop();
      if (!top) break;
      if (const int64_t count = counts_[top->pair]; count != top->count) {  // other merges took some of its places
        top->count = count;
        candidates_.push(*std::move(top));
        continue;
      }
      if (top->count < std::max<int64_t>(options_.min_frequency, 1)) break;
      merge(*top);
      merged.push_back(top->pair);
    }
    return last_of_each(merged);
  }

 private:
  void merge(const Candidate& top) {
    const std::string& second = vocabulary_.token(second_of(top.pair));
    const std::string& prefix = options_.continuing_subword_prefix;
    const size_t skipped = second.starts_with(prefix) ? prefix.size() : 0;
    const int32_t merged = vocabulary_.add(vocabulary_.token(first_of(top.pair)) + second.substr(skipped));
    for (const uint32_t word : top.words) {
      corpus_.merge(word, top.pair, merged, [&](Pair pair, int64_t change) {
        counts_[pair] += change * corpus_.count(word);
        if (change > 0) added_.emplace_back(pair, word);
      });
    }
    push_added();
  }

  // A candidate for each pair that the last step added.
  void push_added() {
    std::ranges::sort(added_);
    // clang 14, which compiles the fuzzers, has no std::ranges::unique with this standard library.
    added_.erase(std::unique(added_.begin(), added_.end()), added_.end());
    for (auto begin = added_.begin(); begin != added_.end();) {
      const Pair pair = begin->first;
      Candidate candidate{.count = counts_[pair], .pair = pair, .words = {}};
      for (; begin != added_.end() && begin->first == pair; ++begin) candidate.words.push_back(begin->second);
      if (candidate.count > 0) candidates_.push(std::move(candidate));
    }
    added_.clear();
  }

  const MergeOptions& options_;
  TokenTable& vocabulary_;
  Corpus corpus_;
  std::unordered_map<Pair, int64_t, PairHash> counts_;
  std::vector<std::pair<Pair, uint32_t>> added_;  // pairs with the words that got them in this step
  Candidates candidates_;
};

void require_room(const TokenTable& vocabulary, const MergeOptions& options) {
  if (vocabulary.size() <= options.vocab_size) return;
  throw UsageError({.where = "vocab_size",
                    .given = std::to_string(options.vocab_size),
                    .expected = "at least " + std::to_string(vocabulary.size()) +
                                ", the number of special tokens and characters of the texts"});
}

}  // namespace

LearnedMerges learn_merges(std::span<const WordCount> words, const MergeOptions& options) {
  TokenTable vocabulary;
  for (const std::string& token : options.special_tokens) vocabulary.add(token);
  Learner learner(words, options, vocabulary);
  require_room(vocabulary, options);
  LearnedMerges learned;
  learned.pairs = learner.learn();
  learned.tokens = std::move(vocabulary).take();
  return learned;
}

}  // namespace portatune::text
