#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

constexpr const char* kEnumerate = "enumerate";

Example numbered(Example example, int64_t index, int64_t epoch) {
  example.set("index", Tensor({}, {index}));
  example.set("epoch", Tensor({}, {epoch}));
  return example;
}

class EnumerateIterator final : public Iterator {
 public:
  EnumerateIterator(std::unique_ptr<Iterator> input, int64_t epoch) : input_(std::move(input)), epoch_(epoch) {}

  std::optional<Example> next() override {
    auto example = input_->next();
    if (!example) return std::nullopt;
    return numbered(std::move(*example), index_++, epoch_);
  }

  int64_t skip(int64_t count) override {
    const int64_t skipped = input_->skip(count);
    index_ += skipped;
    return skipped;
  }

  nlohmann::json state() const override {
    return {{"stage", kEnumerate}, {"index", index_}, {"input", input_->state()}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kEnumerate, state);
    index_ = saved.count("index");
    input_->restore(saved.part("input"));
  }

 private:
  std::unique_ptr<Iterator> input_;
  const int64_t epoch_;
  int64_t index_ = 0;
};

struct Enumerate final : Stage {
  const StagePtr input;
  explicit Enumerate(StagePtr input) : input(std::move(input)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<EnumerateIterator>(input->iterate(pass), pass.epoch);
  }
  std::optional<int64_t> size() const override { return input->size(); }
  Example at(Pass pass, int64_t index) const override { return numbered(input->at(pass, index), index, pass.epoch); }
};

}  // namespace

Dataset Dataset::enumerate() const { return Dataset(std::make_shared<Enumerate>(stage_)); }

}  // namespace portatune::data
