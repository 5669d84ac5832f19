#include "portune/data/stage.h"

namespace portune::data {
namespace {

class EnumerateIterator final : public Iterator {
 public:
  EnumerateIterator(std::unique_ptr<Iterator> input, int64_t epoch) : input_(std::move(input)), epoch_(epoch) {}

  std::optional<Example> next() override {
    auto example = input_->next();
    if (!example) return std::nullopt;
    example->set("index", Tensor({}, {index_++}));
    example->set("epoch", Tensor({}, {epoch_}));
    return example;
  }

  int64_t skip(int64_t count) override {
    const int64_t skipped = input_->skip(count);
    index_ += skipped;
    return skipped;
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
};

}  // namespace

Dataset Dataset::enumerate() const { return Dataset(std::make_shared<Enumerate>(stage_)); }

}  // namespace portune::data
