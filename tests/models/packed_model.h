// A model that packs several texts into one row and computes the results of another model for each text.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "portatune/analysis/parity/reference_case.h"
#include "portatune/ops.h"
#include "portatune/tasks/rows/text_rows.h"

namespace portatune::test {

// The lengths of the texts of a case; empty if there is padding before a token, which packed texts cannot have.
inline std::vector<int64_t> text_lengths(const Tensor& mask) {
  const int64_t width = mask.shape()[mask.shape().rank() - 1];
  std::vector<int64_t> lengths;
  for (auto rest = mask.as<int32_t>(); !rest.empty(); rest = rest.subspan(static_cast<size_t>(width))) {
    const auto row = rest.first(static_cast<size_t>(width));
    lengths.push_back(std::accumulate(row.begin(), row.end(), int64_t{0}));
    if (!std::ranges::is_sorted(row, std::greater<>())) return {};
  }
  return lengths;
}

// A body that puts its texts into one row and returns the wrapped body's hidden states for each text.
class PackedBody final : public models::TextBody {
 public:
  PackedBody(std::shared_ptr<const models::TextModel> model, std::vector<int64_t> lengths, int64_t width)
      : model_(std::move(model)), lengths_(std::move(lengths)), width_(width) {}

  Values hidden_states(const nn::Scope& root, const models::TextInputs& in) const override {
    const tasks::TextRows layout = texts();
    models::TextInputs rows = layout.rows();
    rows.input_ids = layout.to_rows(in.input_ids, 0);
    if (in.token_type_ids) rows.token_type_ids = layout.to_rows(in.token_type_ids, 0);
    Values states = model_->body().hidden_states(root, rows);
    for (Value& state : states) state = layout.to_texts(state);
    return states;
  }
  Value pooler_output(const nn::Scope& root, const Value& x) const override {
    return model_->body().pooler_output(root, x);
  }

 private:
  // One row: a position of padding, the last text, ..., the first text, padding.
  tasks::TextRows texts() const {
    const int64_t length = std::accumulate(lengths_.begin(), lengths_.end(), int64_t{4});
    Tensor segments({DType::kInt32, {1, length}}), positions({DType::kInt32, {1, length}});
    std::vector<int32_t> places(lengths_.size() * static_cast<size_t>(width_), -1);
    int32_t at = 1;
    for (size_t text = lengths_.size(); text-- > 0;) {
      for (int32_t i = 0; i < lengths_[text]; ++i, ++at) {
        segments.as<int32_t>()[static_cast<size_t>(at)] = static_cast<int32_t>(text) + 1;
        positions.as<int32_t>()[static_cast<size_t>(at)] = i;
        places[text * static_cast<size_t>(width_) + static_cast<size_t>(i)] = at;
      }
    }
    const Value numbers = constant(std::move(segments));
    const models::TextInputs rows{.input_ids = numbers,
                                  .attention_mask = numbers,
                                  .position_ids = constant(std::move(positions)),
                                  .packed = true};
    return {rows, constant(Tensor({std::ssize(lengths_), width_}, std::span<const int32_t>(places))), 0};
  }

  std::shared_ptr<const models::TextModel> model_;
  std::vector<int64_t> lengths_;
  int64_t width_;
};

/// The packed model of a case whose texts are padded on the right.
inline std::unique_ptr<const models::TextModel> packed_model(const parity::ReferenceCase& reference) {
  const Tensor& mask = reference.inputs().tensor("attention_mask");
  const std::shared_ptr<const models::TextModel> model = models::text_model(reference.model().config());
  auto body = std::make_unique<PackedBody>(model, text_lengths(mask), mask.shape()[mask.shape().rank() - 1]);
  return std::make_unique<models::TextModel>(model->facts(), std::move(body), model->heads());
}

}  // namespace portatune::test
