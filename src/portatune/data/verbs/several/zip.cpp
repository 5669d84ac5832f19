#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/verbs/several/several.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kZip = "zip";

void add_columns(Example& example, const Example& other) {
  for (const Example::Entry& entry : other.columns()) {
    if (example.has(entry.name)) {
      throw DataError({.where = to_string(other.origin()),
                       .given = "a column '" + entry.name + "', which " + to_string(example.origin()) + " has too",
                       .expected = "columns with different names",
                       .fix = "rename one of them with map()"});
    }
    example.set(entry.name, entry.value);
  }
}

class ZipIterator final : public Iterator {
 public:
  explicit ZipIterator(Iterators inputs) : inputs_(std::move(inputs)) {}

  std::optional<Example> next() override {
    std::optional<Example> row;
    for (const auto& input : inputs_) {
      if (ended_) return std::nullopt;
      auto example = input->next();
      ended_ = !example;
      if (!row) {
        row = std::move(example);
      } else if (example) {
        add_columns(*row, *example);
      }
    }
    return ended_ ? std::nullopt : std::move(row);
  }

  int64_t skip(int64_t count) override {
    if (ended_) return 0;
    int64_t skipped = count;
    for (const auto& input : inputs_) skipped = std::min(skipped, input->skip(count));
    ended_ = skipped < count;
    return skipped;
  }

  nlohmann::json state() const override { return {{"stage", kZip}, {"ended", ended_}, {"inputs", states_of(inputs_)}}; }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kZip, state);
    ended_ = saved.flag("ended");
    restore_all(inputs_, saved);
  }

 private:
  Iterators inputs_;
  bool ended_ = false;
};

struct Zip final : Stage {
  const std::vector<StagePtr> inputs;
  explicit Zip(std::vector<StagePtr> inputs) : inputs(std::move(inputs)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    // A row skipped in only one input would shift all later rows against the other inputs.
    pass.bad_rows = nullptr;
    return std::make_unique<ZipIterator>(iterate_all(inputs, pass));
  }

  std::optional<int64_t> size() const override {
    std::optional<int64_t> smallest = inputs.front()->size();
    for (const StagePtr& input : inputs) {
      const std::optional<int64_t> size = input->size();
      if (!size) return std::nullopt;
      smallest = std::min(*smallest, *size);
    }
    return smallest;
  }
  Example at(Pass pass, int64_t index) const override {
    Example row = inputs.front()->at(pass, index);
    for (size_t i = 1; i < inputs.size(); ++i) add_columns(row, inputs[i]->at(pass, index));
    return row;
  }
};

}  // namespace

Dataset zip(std::vector<Dataset> datasets) { return Dataset(std::make_shared<Zip>(stages_of(kZip, datasets))); }

}  // namespace portatune::data
