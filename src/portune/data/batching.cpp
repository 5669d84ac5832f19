#include "portune/data/batching.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "portune/data/saved_state.h"

namespace portune::data {
namespace {

constexpr const char* kStage = "batch";

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
    constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
    const int64_t rows = input_->skip(count > kAll / options_.size ? kAll : count * options_.size);
    const bool partial = rows % options_.size != 0 && !options_.drop_remainder;
    return rows / options_.size + (partial ? 1 : 0);
  }

  nlohmann::json state() const override { return {{"stage", kStage}, {"input", input_->state()}}; }
  void restore(const nlohmann::json& state) override { input_->restore(SavedState(kStage, state).part("input")); }

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

std::vector<BatchType> types_with_sizes(const Example& batch, std::span<const int64_t> sizes, size_t axis,
                                        const std::function<bool(const std::string& column)>& sized) {
  std::vector<BatchType> types(sizes.size());
  for (const auto& [name, value] : batch.columns()) {
    const Tensor* array = std::get_if<Tensor>(&value);
    if (array == nullptr) continue;
    const bool is_sized = sized(name);
    for (size_t i = 0; i < types.size(); ++i) {
      TensorType& type = types[i].emplace_back(name, array->type()).second;
      if (is_sized) type.shape[axis] = sizes[i];
    }
  }
  return types;
}

Dataset gather_batches(StagePtr input, const BatchOptions& options, Collate collate) {
  return Dataset(std::make_shared<Batch>(std::move(input), options, std::move(collate)));
}

}  // namespace portune::data
