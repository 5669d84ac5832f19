#include <limits>
#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

constexpr const char* kRepeat = "repeat";

struct Repeat final : Stage {
  const StagePtr input;
  const std::optional<int64_t> count;
  Repeat(StagePtr input, std::optional<int64_t> count) : input(std::move(input)), count(count) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override;

  // The first of the consecutive input epochs of a pass. No two passes share an epoch; without a count, each pass has
  // 2^32 epochs, more than any training needs.
  Pass first(Pass pass) const {
    pass.epoch *= count.value_or(int64_t{1} << 32);
    return pass;
  }
};

class RepeatIterator final : public Iterator {
 public:
  RepeatIterator(StagePtr input, Pass first, std::optional<int64_t> count)
      : input_(std::move(input)), first_(first), count_(count) {}

  int64_t skip(int64_t count) override {
    int64_t skipped = 0;
    while (skipped < count && (current_ || begin_epoch())) {
      const int64_t of_epoch = current_->skip(count - skipped);
      empty_ = empty_ && of_epoch == 0;
      skipped += of_epoch;
      if (skipped < count) current_.reset();
    }
    return skipped;
  }

  std::optional<Example> next() override {
    for (;;) {
      if (!current_ && !begin_epoch()) return std::nullopt;
      if (auto example = current_->next()) {
        empty_ = false;
        return example;
      }
      current_.reset();
    }
  }

  nlohmann::json state() const override {
    return {{"stage", kRepeat},
            {"begun", begun_},
            {"empty", empty_},
            {"input", current_ ? current_->state() : nlohmann::json()}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kRepeat, state);
    begun_ = saved.count("begun", count_.value_or(std::numeric_limits<int64_t>::max()));
    empty_ = saved.flag("empty");
    if (saved.part("input").is_null()) return;
    if (begun_ == 0) saved.refuse("begun", "at least 1, as an epoch has begun");
    current_ = input_->iterate(epoch(begun_ - 1));
    current_->restore(saved.part("input"));
  }

 private:
  Pass epoch(int64_t number) const {
    Pass pass = first_;
    pass.epoch += number;
    return pass;
  }

  bool begin_epoch() {
    // After an epoch without examples all others are empty, too: stop in place of an endless search.
    if (begun_ == count_ || empty_) return false;
    current_ = input_->iterate(epoch(begun_++));
    empty_ = true;
    return true;
  }

  StagePtr input_;
  const Pass first_;
  const std::optional<int64_t> count_;
  int64_t begun_ = 0;  // number of epochs that have begun
  std::unique_ptr<Iterator> current_;
  bool empty_ = false;  // whether the current epoch has given no example yet
};

std::unique_ptr<Iterator> Repeat::iterate(Pass pass) const {
  return std::make_unique<RepeatIterator>(input, first(pass), count);
}

}  // namespace

Dataset Dataset::repeat(std::optional<int64_t> count) const {
  if (count) require_at_least("repeat", "count", *count, 0);
  return Dataset(std::make_shared<Repeat>(stage_, count));
}

}  // namespace portatune::data
