#include "portatune/text/train/learn_pieces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>

#include "portatune/error.h"
#include "portatune/text/model/piece_trie.h"
#include "portatune/text/train/seed_pieces.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

using Pieces = std::vector<ScoredPiece>;

constexpr double kShrinkingFactor = 0.75;    // pieces that a pruning keeps
constexpr int kSubIterations = 2;            // of EM between two prunings
constexpr double kLeastExpectedCount = 0.5;  // a piece below it is removed
constexpr double kUnknownPenalty = 10;       // score of a character without a piece, below the lowest score
constexpr double kNewScoreStep = 0.0001;     // between the scores of characters that lost their piece
constexpr int64_t kTasks = 8;                // a fixed number, so that sums do not depend on the threads
constexpr size_t kUnknown = 0;               // id of the unknown piece, which has no text

double log_sum_exp(double x, double y) {
  const auto [low, high] = std::minmax(x, y);
  return high > low + 50 ? high : high + std::log1p(std::exp(low - high));
}

// source  Abramowitz and Stegun 1964, 6.3.5 and 6.3.18, around x - 1/2
double digamma(double x) {
  double result = 0;
  for (; x < 7; ++x) result -= 1 / x;
  x -= 0.5;
  const double r2 = 1 / (x * x), r4 = r2 * r2;
  return result + std::log(x) + r2 / 24 - 7.0 / 960 * r4 + 31.0 / 8064 * r4 * r2 - 127.0 / 30720 * r4 * r4;
}

// Where a piece lies in a word.
struct Node {
  size_t begin, end, id;
  double score;
};

// Pieces that are found in words. Id 0 is the unknown piece, piece i has id i + 1.
class PieceModel {
 public:
  explicit PieceModel(const Pieces& pieces) : pieces_(pieces), trie_(vocabulary_of(pieces)) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const ScoredPiece& piece : pieces) lowest = std::min(lowest, piece.score);
    lowest_ = lowest;
  }

  size_t size() const { return pieces_.size() + 1; }
  double lowest_score() const { return lowest_; }

  /// All pieces in a word, by their begin and then by their size.
  void find(const std::string& word, std::vector<Node>& nodes) const {
    nodes.clear();
    for (size_t begin = 0; begin < word.size();) {
      size_t next = begin;
      next_code_point(word, next);
      bool has_character = false;
      trie_.for_each_prefix(word, begin, [&](size_t size, int32_t id) {
        nodes.push_back({begin, begin + size, static_cast<size_t>(id) + 1, pieces_[static_cast<size_t>(id)].score});
        has_character |= begin + size == next;
      });
      if (!has_character) nodes.push_back({begin, next, kUnknown, lowest_ - kUnknownPenalty});
      begin = next;
    }
  }

 private:
  static Vocabulary vocabulary_of(const Pieces& pieces) {
    Vocabulary vocabulary;
    for (size_t i = 0; i < pieces.size(); ++i) vocabulary.add(pieces[i].text, static_cast<int32_t>(i));
    return vocabulary;
  }

  const Pieces& pieces_;
  const PieceTrie trie_;
  double lowest_;
};

struct Path {
  double score;
  std::vector<size_t> ids;
};

// Nodes of a word by their ends, in the order of their begins.
class Ends {
 public:
  explicit Ends(size_t size) : nodes_(size + 1) {}
  void add(size_t end, size_t node) { nodes_[end].push_back(node); }

  /// The node before `place` with the best `totals` + score; of equal ones the first. Equal scores are frequent, and
  /// the rounding of this sum decides about some of them, as in `tokenizers`.
  std::optional<size_t> best(size_t place, double score, const std::vector<double>& totals) const {
    std::optional<size_t> best;
    for (const size_t node : nodes_[place]) {
      if (!best || totals[node] + score > totals[*best] + score) best = node;
    }
    return best;
  }

 private:
  std::vector<std::vector<size_t>> nodes_;
};

// The best way to split a word into nodes, without the node that is the whole word if `parts_only`; nothing if there is
// none.
std::optional<Path> best_path(const std::vector<Node>& nodes, size_t size, bool parts_only) {
  Ends ends(size);
  std::vector<double> totals(nodes.size());
  std::vector<std::optional<size_t>> previous(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto& [begin, end, id, score] = nodes[i];
    if (parts_only && begin == 0 && end == size) continue;
    if (begin > 0) {
      previous[i] = ends.best(begin, score, totals);
      if (!previous[i]) continue;
      totals[i] = totals[*previous[i]];
    }
    totals[i] += score;
    ends.add(end, i);
  }
  std::optional<size_t> node = ends.best(size, 0, totals);
  if (!node) return std::nullopt;
  Path path{totals[*node], {}};
  for (; node; node = previous[*node]) path.ids.push_back(nodes[*node].id);
  return path;
}

// Adds the expected number of each piece in a word that occurs `count` times.
void add_expected(const std::vector<Node>& nodes, size_t size, double count, std::vector<double>& expected) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::vector<double> before(size + 1, kNone), after(size + 1, kNone);  // log probabilities of the two parts of a word
  before[0] = after[size] = 0;
  const auto add = [](double& sum, double term) { sum = sum == kNone ? term : log_sum_exp(sum, term); };
  for (const Node& node : nodes) add(before[node.end], before[node.begin] + node.score);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
    add(after[node->begin], after[node->end] + node->score);
  for (const Node& node : nodes) {
    expected[node.id] += count * std::exp(before[node.begin] + node.score + after[node.end] - before[size]);
  }
}

// The sum over all words of what add(word, nodes, count, sums) adds, by the id of pieces.
template <class Add>
std::vector<double> sum_over_words(std::span<const WordCount> words, const PieceModel& model, ThreadPool& pool,
                                   Add&& add) {
  std::vector<std::vector<double>> parts(kTasks);
  pool.parallel_for(kTasks, 1, [&](int64_t task, int64_t) {
    std::vector<double>& sums = parts[static_cast<size_t>(task)];
    sums.resize(model.size());
    std::vector<Node> nodes;
    const int64_t count = std::ssize(words);
    for (int64_t i = task * count / kTasks; i < (task + 1) * count / kTasks; ++i) {
      const auto& [word, times] = words[static_cast<size_t>(i)];
      model.find(word, nodes);
      add(word, nodes, static_cast<double>(times), sums);
    }
  });
  std::vector<double> sums(model.size());
  for (const std::vector<double>& part : parts) {
    for (size_t id = 0; id < sums.size(); ++id) sums[id] += part[id];
  }
  return sums;
}

// An iteration of EM. The digamma function makes it a variational one, with a sparse prior.
Pieces improved(const Pieces& pieces, std::span<const WordCount> words, ThreadPool& pool) {
  const PieceModel model(pieces);
  const std::vector<double> expected =
      sum_over_words(words, model, pool, [](const std::string& word, const auto& nodes, double count, auto& sums) {
        add_expected(nodes, word.size(), count, sums);
      });
  Pieces kept;
  double sum = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (expected[i + 1] < kLeastExpectedCount) continue;
    kept.push_back({pieces[i].text, expected[i + 1]});
    sum += expected[i + 1];
  }
  for (ScoredPiece& piece : kept) piece.score = digamma(piece.score) - digamma(sum);
  return kept;
}

// How many times the best paths of the words have each piece.
std::vector<double> counts_in_best_paths(std::span<const WordCount> words, const PieceModel& model, ThreadPool& pool) {
  return sum_over_words(words, model, pool, [](const std::string& word, const auto& nodes, double count, auto& sums) {
    if (const auto path = best_path(nodes, word.size(), false)) {
      for (const size_t id : path->ids) sums[id] += count;
    }
  });
}

// Removes the pieces without which the likelihood falls least, about a quarter of them.
Pieces pruned(const Pieces& pieces, std::span<const WordCount> words, size_t wanted, ThreadPool& pool) {
  const PieceModel model(pieces);
  const std::vector<double> counts = counts_in_best_paths(words, model, pool);
  double sum = 0, all_words = 0;
  for (const double count : counts) sum += count;
  for (const WordCount& word : words) all_words += static_cast<double>(word.count);
  Pieces kept;
  std::vector<std::pair<double, size_t>> candidates;  // loss of likelihood, index of the piece
  std::vector<Node> nodes;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string& text = pieces[i].text;
    const double count = counts[i + 1];
    model.find(text, nodes);
    const std::optional<Path> parts = best_path(nodes, text.size(), true);
    if (!parts) {  // a piece that cannot be split
      kept.push_back(pieces[i]);
      continue;
    }
    const bool is_best = pieces[i].score >= parts->score;
    if (count == 0) continue;
    if (!is_best) {
      kept.push_back(pieces[i]);
      continue;
    }
    // Without the piece, its parts have its count. As in `tokenizers`, the sum grows by more, once for each piece.
    const double log_sum = std::log(sum + count * static_cast<double>(pieces.size()));
    double parts_score = 0;
    for (const size_t id : parts->ids) parts_score += std::log(counts[id] + count) - log_sum;
    candidates.emplace_back(count / all_words * (std::log(count) - std::log(sum) - parts_score), i);
  }
  const size_t size = std::max(wanted, static_cast<size_t>(static_cast<double>(pieces.size() + 1) * kShrinkingFactor));
  std::ranges::stable_sort(candidates, std::greater(), &std::pair<double, size_t>::first);
  for (const auto& [loss, i] : candidates) {
    if (kept.size() + 1 >= size) break;  // the unknown piece counts
    kept.push_back(pieces[i]);
  }
  return kept;
}

std::set<std::string> characters_of(std::span<const WordCount> words) {
  std::set<std::string> characters;
  for (const auto& [word, count] : words) {
    for (size_t at = 0; at < word.size();) {
      const size_t begin = at;
      next_code_point(word, at);
      characters.insert(word.substr(begin, at - begin));
    }
  }
  return characters;
}

// All characters, then the first pieces, sorted by their scores.
Pieces finished(const Pieces& pieces, const std::set<std::string>& characters, size_t count) {
  std::unordered_map<std::string, double> scores;
  for (const ScoredPiece& piece : pieces) scores.emplace(piece.text, piece.score);
  double new_score = PieceModel(pieces).lowest_score();
  Pieces result;
  for (const std::string& character : characters) {
    const auto known = scores.find(character);
    result.push_back({character, known == scores.end() ? new_score : known->second});
    if (known == scores.end()) new_score += kNewScoreStep;
  }
  for (const ScoredPiece& piece : pieces) {
    if (result.size() == count) break;
    if (!characters.contains(piece.text)) result.push_back(piece);
  }
  std::ranges::stable_sort(result, std::greater(), &ScoredPiece::score);
  return result;
}

}  // namespace

std::vector<ScoredPiece> learn_pieces(std::span<const WordCount> words, size_t vocab_size, size_t special_tokens,
                                      ThreadPool& pool) {
  const std::set<std::string> characters = characters_of(words);
  if (characters.size() + special_tokens > vocab_size) {
    throw UsageError({.where = "vocab_size",
                      .given = std::to_string(vocab_size),
                      .expected = "at least " + std::to_string(characters.size() + special_tokens) +
                                  ", the number of special tokens and characters of the texts"});
  }
  const size_t wanted = vocab_size + vocab_size / 10;  // before the last choice
  Pieces pieces = seed_pieces(words);
  while (true) {
    stop_if_requested();
    for (int i = 0; i < kSubIterations; ++i) pieces = improved(pieces, words, pool);
    if (pieces.size() < wanted) break;
    pieces = pruned(pieces, words, wanted, pool);
  }
  return finished(pieces, characters, vocab_size - special_tokens);
}

}  // namespace portatune::text
