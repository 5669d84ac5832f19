#include "portune/data/random.h"
#include "portune/data/stage.h"

namespace portune::data {
namespace {

// With a buffer that holds all examples this is the shuffle of Fisher and Yates.
class ShuffleIterator final : public Iterator {
 public:
  ShuffleIterator(std::unique_ptr<Iterator> input, int64_t capacity, Random random)
      : input_(std::move(input)), capacity_(static_cast<size_t>(capacity)), random_(random) {}

  std::optional<Example> next() override {
    fill();
    if (buffer_.empty()) return std::nullopt;
    std::swap(buffer_[random_.below(buffer_.size())], buffer_.back());
    Example drawn = std::move(buffer_.back());
    buffer_.pop_back();
    return drawn;
  }

 private:
  void fill() {
    while (!input_ended_ && buffer_.size() < capacity_) {
      if (auto example = input_->next()) {
        buffer_.push_back(std::move(*example));
      } else {
        input_ended_ = true;
      }
    }
  }

  std::unique_ptr<Iterator> input_;
  size_t capacity_;
  Random random_;
  std::vector<Example> buffer_;
  bool input_ended_ = false;
};

struct Shuffle final : Stage {
  const StagePtr input;
  const ShuffleOptions options;
  Shuffle(StagePtr input, ShuffleOptions options) : input(std::move(input)), options(options) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    const int64_t epoch = options.reshuffle_each_iteration ? pass.epoch : 0;
    return std::make_unique<ShuffleIterator>(input->iterate(pass), options.buffer, Random(options.seed, epoch));
  }
};

}  // namespace

Dataset Dataset::shuffle(ShuffleOptions options) const {
  require_at_least("shuffle", "buffer", options.buffer, 1);
  return Dataset(std::make_shared<Shuffle>(stage_, options));
}

}  // namespace portune::data
