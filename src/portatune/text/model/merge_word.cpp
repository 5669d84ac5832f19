#include "portatune/text/model/merge_word.h"

#include <algorithm>
#include <array>
#include <queue>

namespace portatune::text {
namespace {

constexpr size_t kShortWord = 32;

// Each round reads all ranks, which fit in one or two cache lines. For short words this is faster than a queue.
void merge_short(const Merges& merges, std::vector<Symbol>& symbols) {
  std::array<Merges::Merge, kShortWord> candidates;  // symbol i with the next one
  size_t size = symbols.size();
  const auto candidate = [&](size_t i) { return merges.find(symbols[i].id, symbols[i + 1].id); };
  for (size_t i = 0; i + 1 < size; ++i) candidates[i] = candidate(i);
  while (size > 1) {
    size_t best = size;
    for (size_t i = 0; i + 1 < size; ++i) {
      if (candidates[i] && (best == size || candidates[i].rank < candidates[best].rank)) best = i;
    }
    if (best == size) break;
    symbols[best] = {candidates[best].id, symbols[best].bytes + symbols[best + 1].bytes};
    std::copy(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 2,
              symbols.begin() + static_cast<std::ptrdiff_t>(size),
              symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    std::copy(candidates.begin() + best + 1, candidates.begin() + size - 1, candidates.begin() + best);
    --size;
    if (best + 1 < size) candidates[best] = candidate(best);
    if (best > 0) candidates[best - 1] = candidate(best - 1);
  }
  symbols.resize(size);
}

// A long word: a linked list of symbols, and a queue of the pairs that merge.
class LongWord {
 public:
  LongWord(const Merges& merges, const std::vector<Symbol>& symbols) : merges_(merges) {
    nodes_.reserve(symbols.size());
    for (size_t i = 0; i < symbols.size(); ++i) {
      const auto position = static_cast<int32_t>(i);
      nodes_.push_back({symbols[i], position - 1, i + 1 < symbols.size() ? position + 1 : kEnd});
    }
    for (int32_t i = 0; nodes_[static_cast<size_t>(i)].next != kEnd; ++i) push(i);
  }

  void merge(std::vector<Symbol>& symbols) && {
    while (!queue_.empty()) {
      const Entry top = queue_.top();
      queue_.pop();
      merge_at(top);
    }
    symbols.clear();
    for (int32_t i = 0; i != kEnd; i = at(i).next) symbols.push_back(at(i).symbol);
  }

 private:
  static constexpr int32_t kEnd = -1;
  struct Node {
    Symbol symbol;  // no bytes: it was merged into the previous one
    int32_t previous, next;
  };
  struct Entry {
    int32_t rank, position, id;
    // The order for std::priority_queue, whose top is the largest: the lowest rank, then the first.
    bool operator<(const Entry& other) const {
      return rank != other.rank ? rank > other.rank : position > other.position;
    }
  };

  Node& at(int32_t position) { return nodes_[static_cast<size_t>(position)]; }

  void push(int32_t position) {
    const Node& node = at(position);
    const auto merge = merges_.find(node.symbol.id, at(node.next).symbol.id);
    if (merge) queue_.push({merge.rank, position, merge.id});
  }

  void merge_at(const Entry& entry) {
    Node& node = at(entry.position);
    if (node.symbol.bytes == 0 || node.next == kEnd) return;
    Node& right = at(node.next);
    // The pair may have changed since it entered the queue.
    const auto merge = merges_.find(node.symbol.id, right.symbol.id);
    if (!merge || merge.id != entry.id) return;
    node.symbol = {entry.id, node.symbol.bytes + right.symbol.bytes};
    right.symbol.bytes = 0;
    node.next = right.next;
    if (node.next != kEnd) at(node.next).previous = entry.position;
    if (node.previous != kEnd) push(node.previous);
    if (node.next != kEnd) push(entry.position);
  }

  const Merges& merges_;
  std::vector<Node> nodes_;
  std::priority_queue<Entry> queue_;
};

}  // namespace

void merge_word(const Merges& merges, std::vector<Symbol>& symbols) {
  if (symbols.size() <= kShortWord) {
    merge_short(merges, symbols);
  } else {
    LongWord(merges, symbols).merge(symbols);
  }
}

}  // namespace portatune::text
