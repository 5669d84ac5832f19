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
  /// Makes room for that many tokens, `bytes` long together.
  void reserve(size_t tokens, size_t bytes);

  /// Adds a token, or gives the one with that text another id. `id` is at least 0.
  void add(std::string_view token, int32_t id);

  std::optional<int32_t> find(std::string_view token) const;
  /// Empty if no token has this id.
  std::string_view token(int32_t id) const;
  /// Number of different tokens.
  int64_t size() const { return size_; }
  /// All ids are below.
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
  std::optional<int32_t> empty_token_;  // the table cannot hold ""
};

}  // namespace portatune::text
