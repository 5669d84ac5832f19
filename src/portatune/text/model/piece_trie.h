// A trie that finds all pieces at the beginning of a text in one walk.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "portatune/text/model/vocabulary.h"

namespace portatune::text {

/// A trie over bytes as a double array: the child of a node for a byte is at the node's base plus that byte, if the
/// entry there names the node as its parent.
class PieceTrie {
 public:
  /// A trie of all tokens that are not empty.
  explicit PieceTrie(const Vocabulary& vocabulary);

  /// Calls visit(size, id) for each token at the beginning of text[begin..], the shortest first.
  template <class Visit>
  void for_each_prefix(std::string_view text, size_t begin, Visit&& visit) const {
    int32_t node = 0;
    for (size_t at = begin; at < text.size(); ++at) {
      const size_t child = static_cast<size_t>(units_[static_cast<size_t>(node)].base) + label_of(text[at]);
      if (child >= units_.size() || units_[child].parent != node) return;
      node = static_cast<int32_t>(child);
      if (units_[child].id >= 0) visit(at + 1 - begin, units_[child].id);
    }
  }

 private:
  static constexpr int32_t kFree = -1;
  struct Unit {
    int32_t base = 0, parent = kFree, id = -1;
  };
  class Builder;

  static size_t label_of(char byte) { return static_cast<unsigned char>(byte); }

  std::vector<Unit> units_;
};

}  // namespace portatune::text
