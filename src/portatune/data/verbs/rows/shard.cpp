#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kShard = "shard";

struct Part {
  int64_t count, index;
};

class ShardIterator final : public Iterator {
 public:
  ShardIterator(std::unique_ptr<Iterator> input, Part part)
      : input_(std::move(input)), part_(part), before_next_(part.index) {}

  std::optional<Example> next() override {
    if (!skip_others()) return std::nullopt;
    auto example = input_->next();
    before_next_ = part_.count - 1;
    return example;
  }

  int64_t skip(int64_t count) override {
    int64_t skipped = 0;
    for (; skipped < count && skip_others() && input_->skip(1) == 1; ++skipped) before_next_ = part_.count - 1;
    return skipped;
  }

  nlohmann::json state() const override {
    return {{"stage", kShard},
            {"count", part_.count},
            {"index", part_.index},
            {"before_next", before_next_},
            {"input", input_->state()}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kShard, state);
    saved.require_same("count", part_.count);
    saved.require_same("index", part_.index);
    before_next_ = saved.count("before_next", part_.count - 1);
    input_->restore(saved.part("input"));
  }

 private:
  // Skips the examples of other workers; false at the end.
  bool skip_others() {
    before_next_ -= input_->skip(before_next_);
    return before_next_ == 0;
  }

  std::unique_ptr<Iterator> input_;
  const Part part_;
  int64_t before_next_;  // number of examples of other workers before the next one
};

struct Shard final : Stage {
  const StagePtr input;
  const Part part;
  Shard(StagePtr input, Part part) : input(std::move(input)), part(part) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<ShardIterator>(input->iterate(pass), part);
  }
  std::optional<int64_t> size() const override {
    const std::optional<int64_t> of_input = input->size();
    return of_input ? std::optional((*of_input + part.count - 1 - part.index) / part.count) : std::nullopt;
  }
  Example at(Pass pass, int64_t index) const override { return input->at(pass, index * part.count + part.index); }
};

}  // namespace

Dataset Dataset::shard(int64_t count, int64_t index) const {
  require_at_least(kShard, "count", count, 1);
  if (index < 0 || index >= count) {
    throw UsageError({.where = kShard,
                      .given = "index = " + std::to_string(index),
                      .expected = "0 to " + std::to_string(count - 1) + ", for " + std::to_string(count) + " workers"});
  }
  return Dataset(std::make_shared<Shard>(stage_, Part{.count = count, .index = index}));
}

}  // namespace portatune::data
