#include "portatune/train/evaluation/row_order.h"

#include <algorithm>
#include <span>

namespace portatune::train {
namespace {

Tensor row_of(const Tensor& batch, size_t row) {
  TensorType type = batch.type();
  type.shape[0] = 1;
  Tensor result(type);
  const auto bytes = static_cast<size_t>(type.bytes());
  std::copy_n(batch.data() + row * bytes, bytes, result.data());
  return result;
}

data::Example row_of(const data::Example& batch, size_t row) {
  data::Example result(batch.origin());
  if (row < batch.row_origins().size()) result.set_row_origins({batch.row_origins()[row]});
  for (const auto& [name, value] : batch.columns()) {
    if (const Tensor* tensor = std::get_if<Tensor>(&value)) {
      result.set(name, row_of(*tensor, row));
    } else {
      result.set(name, std::vector<std::string>{batch.texts(name)[row]});
    }
  }
  return result;
}

}  // namespace

void RowOrder::add(const data::Example& batch, const data::Example& outputs) {
  const std::span<const int64_t> places = batch.tensor(data::kExamplePlace).as<int64_t>();
  for (size_t row = 0; row < places.size(); ++row) {
    if (places[row] > 0) waiting_.emplace(places[row], std::pair(row_of(batch, row), row_of(outputs, row)));
  }
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; ++next_) {
    take_(first->second.first, first->second.second);
    first = waiting_.erase(first);
  }
}

void RowOrder::finish() {
  for (const auto& [place, row] : waiting_) take_(row.first, row.second);
  waiting_.clear();
}

}  // namespace portatune::train
