// The tokens of a model, by id and by text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/model/piece_table.h"

namespace portatune::text {

class Vocabulary {
 public:
  /// Reserves memory for `tokens` tokens with `bytes` bytes in total.
  void reserve(size_t tokens, size_t bytes);

  /// Adds a token, or changes the id of the token with that text. `id` must be at least 0.
  void add(std::string_view token, int32_t id);

  std::optional<int32_t> find(std::string_view token) const;
  /// The token of an id; empty if there is none.
  std::string_view token(int32_t id) const;
  /// Number of different tokens.
  int64_t size() const { return size_; }
  /// An exclusive upper bound of all ids.
  int32_t id_limit() const { return static_cast<int32_t>(by_id_.size()); }

  const PieceTable& pieces() const { return pieces_; }

 private:
  struct Span {
    uint32_t begin = 0, size = 0;
  };
  std::string bytes_;
  std::vector<Span> by_id_;
  PieceTable pieces_;
  int64_t size_ = 0;
  std::optional<int32_t> empty_token_;  // because the table cannot hold ""
};

}  // namespace portatune::text
