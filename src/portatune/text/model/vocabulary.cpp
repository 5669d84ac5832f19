#include "portatune/text/model/vocabulary.h"

namespace portatune::text {

void Vocabulary::reserve(size_t tokens, size_t bytes) {
  bytes_.reserve(bytes);
  by_id_.reserve(tokens);
  pieces_.reserve(tokens);
}

void Vocabulary::add(std::string_view token, int32_t id) {
  if (static_cast<size_t>(id) >= by_id_.size()) by_id_.resize(static_cast<size_t>(id) + 1);
  by_id_[static_cast<size_t>(id)] = {static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(token.size())};
  bytes_ += token;
  const bool is_new = token.empty() ? !empty_token_ : pieces_.insert(token, id);
  if (token.empty()) empty_token_ = id;
  size_ += is_new;
}

std::optional<int32_t> Vocabulary::find(std::string_view token) const {
  if (token.empty()) return empty_token_;
  const int32_t id = pieces_.find(token);
  return id == PieceTable::kAbsent ? std::nullopt : std::optional(id);
}

std::string_view Vocabulary::token(int32_t id) const {
  if (id < 0 || id >= id_limit()) return {};
  const Span span = by_id_[static_cast<size_t>(id)];
  return {bytes_.data() + span.begin, span.size};
}

}  // namespace portatune::text
