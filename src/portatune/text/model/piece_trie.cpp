#include "portatune/text/model/piece_trie.h"

#include <algorithm>
#include <utility>

namespace portatune::text {

// Assigns entries to the nodes, level by level: the children of a node go where all their entries are free.
class PieceTrie::Builder {
 public:
  Builder(const Vocabulary& vocabulary, std::vector<Unit>& units) : units_(units) {
    for (int32_t id = 0; id < vocabulary.id_limit(); ++id) {
      const std::string_view token = vocabulary.token(id);
      if (!token.empty()) tokens_.emplace_back(token, *vocabulary.find(token));
    }
    std::sort(tokens_.begin(), tokens_.end());
  }

  void build() {
    grow(1);
    units_[0].parent = 0;  // taken without a parent: no node has node 0 as its child
    std::vector<Range> level{{0, tokens_.size(), 0}}, below;
    for (size_t depth = 0; !level.empty(); ++depth, level.swap(below)) {
      below.clear();
      for (const Range& range : level) place_children(range, depth, below);
    }
  }

 private:
  // The tokens that begin with the text of a node.
  struct Range {
    size_t begin, end, node;
  };

  void place_children(Range range, size_t depth, std::vector<Range>& below) {
    while (range.begin < range.end && tokens_[range.begin].first.size() == depth) {
      units_[range.node].id = tokens_[range.begin++].second;
    }
    std::vector<Range> children;
    labels_.clear();
    for (size_t i = range.begin; i < range.end; ++i) {
      const size_t label = label_of(tokens_[i].first[depth]);
      if (labels_.empty() || labels_.back() != label) {
        labels_.push_back(label);
        children.push_back({i, i, 0});
      }
      children.back().end = i + 1;
    }
    if (labels_.empty()) return;
    const size_t base = free_base();
    units_[range.node].base = static_cast<int32_t>(base);
    for (size_t i = 0; i < children.size(); ++i) {
      children[i].node = base + labels_[i];
      units_[children[i].node].parent = static_cast<int32_t>(range.node);
      below.push_back(children[i]);
    }
  }

  // All entries before first_free_ are taken. Many failures in a row show that there is little room. A node with many
  // children then gives up all entries before its own, so that building takes linear time.
  size_t free_base() {
    constexpr size_t kMaxFailures = 256;
    while (first_free_ < units_.size() && units_[first_free_].parent != kFree) ++first_free_;
    size_t failures = 0;
    for (size_t entry = std::max(first_free_, labels_.front() + 1);; ++entry) {
      grow(entry + kLabels);
      if (units_[entry].parent != kFree) continue;
      const size_t base = entry - labels_.front();
      const auto is_free = [&](size_t label) { return units_[base + label].parent == kFree; };
      if (std::all_of(labels_.begin(), labels_.end(), is_free)) {
        if (failures > kMaxFailures) first_free_ = entry;
        return base;
      }
      ++failures;
    }
  }

  void grow(size_t size) {
    if (size > units_.size()) units_.resize(std::max(size, 2 * units_.size()));
  }

  static constexpr size_t kLabels = 256;
  std::vector<Unit>& units_;
  std::vector<std::pair<std::string_view, int32_t>> tokens_;
  std::vector<size_t> labels_;  // labels of the current node's children
  size_t first_free_ = 1;
};

PieceTrie::PieceTrie(const Vocabulary& vocabulary) {
  Builder(vocabulary, units_).build();
  while (units_.size() > 1 && units_.back().parent == kFree) units_.pop_back();
}

}  // namespace portatune::text
