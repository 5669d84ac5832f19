#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/order/buffered_shuffle.h"
#include "portatune/data/order/permutation.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/data/tolerance.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::data {
namespace {

// Reads examples by random access in the order of a permutation.
class PermutedShuffle final : public Iterator {
 public:
  PermutedShuffle(StagePtr input, Pass pass, const ShuffleOptions& options, const Permutation& permutation)
      : input_(std::move(input)), pass_(pass), options_(options), permutation_(permutation) {}

  std::optional<Example> next() override {
    while (next_ < permutation_.size()) {
      try {
        return input_->at(pass_, permutation_(next_++));
      } catch (const io::BadRecordError& error) {
        skip_bad_row(pass_.bad_rows.get(), error);
      }
    }
    return std::nullopt;
  }

  int64_t skip(int64_t count) override {
    if (pass_.bad_rows) return Iterator::skip(count);
    const int64_t skipped = std::min(count, permutation_.size() - next_);
    next_ += skipped;
    return skipped;
  }

  // Has the state of the input at its beginning, which detects changed data.
  nlohmann::json state() const override {
    if (input_state_.is_null()) input_state_ = input_->iterate(pass_)->state();
    return {{"stage", kShuffleStage}, {"seed", options_.seed}, {"buffer", 0}, {"next", next_}, {"input", input_state_}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kShuffleStage, state);
    require_same_shuffle(saved, options_);
    input_->iterate(pass_)->restore(saved.part("input"));
    next_ = saved.count("next", permutation_.size());
  }

 private:
  StagePtr input_;
  Pass pass_;
  const ShuffleOptions options_;
  Permutation permutation_;
  int64_t next_ = 0;
  mutable nlohmann::json input_state_;
};

struct Shuffle final : Stage {
  const StagePtr input;
  ShuffleOptions options;
  Shuffle(StagePtr from, ShuffleOptions given) : input(std::move(from)), options(given) {
    if (options.prefer_permutation && input->size()) options.buffer = 0;
  }

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    if (options.buffer == 0) return std::make_unique<PermutedShuffle>(input, pass, options, permutation(pass));
    return buffered_shuffle(input->iterate(pass), options, Random(options.seed, order_of(pass)));
  }
  std::optional<int64_t> size() const override { return options.buffer == 0 ? input->size() : std::nullopt; }
  Example at(Pass pass, int64_t index) const override { return input->at(pass, permutation(pass)(index)); }

  int64_t order_of(Pass pass) const { return options.reshuffle_each_iteration ? pass.epoch : 0; }

  Permutation permutation(Pass pass) const {
    if (const auto size = input->size()) return Permutation(*size, options.seed, order_of(pass));
    throw UsageError({.where = kShuffleStage,
                      .given = "no buffer, and an input without random access",
                      .expected = "a buffer, or an input with random access: from_examples, cache, ...",
                      .fix = "set a buffer, such as .buffer = 10'000; or call cache() before shuffle()"});
  }
};

}  // namespace

Dataset Dataset::shuffle(ShuffleOptions options) const {
  require_at_least(kShuffleStage, "buffer", options.buffer, 0);
  return Dataset(std::make_shared<Shuffle>(stage_, options));
}

}  // namespace portatune::data
