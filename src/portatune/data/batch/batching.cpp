#include "portatune/data/batch/batching.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"

namespace portatune::data {
namespace {

constexpr const char* kBatch = "batch";

class BatchIterator final : public Iterator {
 public:
  BatchIterator(std::unique_ptr<Iterator> input, const BatchOptions& options, Collate collate)
      : input_(std::move(input)), options_(options), collate_(std::move(collate)) {}

  std::optional<Example> next() override {
    const std::vector<Example> rows = gather();
    const auto count = static_cast<int64_t>(rows.size());
    const bool full = count == options_.size;
    if (count == 0 || (!full && options_.drop_remainder)) return std::nullopt;
    return collate_(rows, options_.fill_remainder ? options_.size : count);
  }

  int64_t skip(int64_t count) override {
    return skip_batches(count, options_, [this](int64_t rows) { return input_->skip(rows); });
  }

  nlohmann::json state() const override { return {{"stage", kBatch}, {"input", input_->state()}}; }
  void restore(const nlohmann::json& state) override { input_->restore(SavedState(kBatch, state).part("input")); }

 private:
  std::vector<Example> gather() {
    std::vector<Example> rows;
    rows.reserve(static_cast<size_t>(options_.size));
    while (static_cast<int64_t>(rows.size()) < options_.size) {
      auto example = input_->next();
      if (!example) break;
      rows.push_back(std::move(*example));
    }
    return rows;
  }

  std::unique_ptr<Iterator> input_;
  BatchOptions options_;
  Collate collate_;
};

struct Batch final : Stage {
  const StagePtr input;
  const BatchOptions options;
  const Collate collate;
  Batch(StagePtr input, const BatchOptions& options, Collate collate)
      : input(std::move(input)), options(options), collate(std::move(collate)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<BatchIterator>(input->iterate(pass), options, collate);
  }
};

}  // namespace

int64_t skip_batches(int64_t count, const BatchOptions& options, const std::function<int64_t(int64_t)>& skip_rows) {
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  const int64_t rows = skip_rows(count > kAll / options.size ? kAll : count * options.size);
  const bool partial = rows % options.size != 0 && !options.drop_remainder;
  return rows / options.size + (partial ? 1 : 0);
}

std::vector<BatchType> types_with_sizes(const Example& batch, size_t count, BatchAxis axis, const SizeOf& size_of) {
  std::vector<BatchType> types(count);
  for (const auto& [name, value] : batch.columns()) {
    const Tensor* array = std::get_if<Tensor>(&value);
    if (array == nullptr) continue;
    for (size_t i = 0; i < types.size(); ++i) {
      TensorType& type = types[i].emplace_back(name, array->type()).second;
      const std::optional<int64_t> size = size_of(name, i);
      if (size) type.shape[axis == BatchAxis::kFirst ? 0 : type.shape.rank() - 1] = *size;
    }
  }
  return types;
}

Dataset gather_batches(StagePtr input, const BatchOptions& options, Collate collate) {
  return Dataset(std::make_shared<Batch>(std::move(input), options, std::move(collate)));
}

}  // namespace portatune::data
