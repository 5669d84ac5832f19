#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/verbs/several/several.h"

namespace portatune::data {
namespace {

constexpr const char* kInterleave = "interleave";

// The order is that of tf.data: when a dataset ends, the turn passes to the next slot, and a new dataset fills the
// empty slot at its next turn.
class InterleaveIterator final : public Iterator {
 public:
  InterleaveIterator(std::vector<StagePtr> inputs, Pass pass, InterleaveOptions options)
      : inputs_(std::move(inputs)),
        pass_(pass),
        block_length_(options.block_length),
        slots_(static_cast<size_t>(options.cycle_length)) {}

  std::optional<Example> next() override {
    while (open_ > 0 || begun_ < inputs_.size()) {
      Slot& slot = slots_[turn_];
      if (!slot.rows) begin_next(slot);
      if (slot.rows) {
        if (auto example = slot.rows->next()) {
          if (++given_ == block_length_) turn_to_next();
          return example;
        }
        slot.rows.reset();
        --open_;
      }
      turn_to_next();
    }
    return std::nullopt;
  }

  nlohmann::json state() const override {
    nlohmann::json places = nlohmann::json::array();
    for (const Slot& slot : slots_) {
      places.push_back(slot.rows ? nlohmann::json{{"input", slot.input}, {"state", slot.rows->state()}}
                                 : nlohmann::json());
    }
    return {
        {"stage", kInterleave}, {"begun", begun_}, {"turn", turn_}, {"given", given_}, {"places", std::move(places)}};
  }

  void restore(const nlohmann::json& state) override {
    const SavedState saved(kInterleave, state);
    begun_ = static_cast<size_t>(saved.count("begun", std::ssize(inputs_)));
    turn_ = static_cast<size_t>(saved.count("turn", std::ssize(slots_) - 1));
    given_ = saved.count("given", block_length_ - 1);
    const nlohmann::json& places = saved.part("places");
    if (!places.is_array() || places.size() != slots_.size()) {
      saved.refuse("places", std::to_string(slots_.size()) + ", the length of the cycle");
    }
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (!places[i].is_null()) restore(slots_[i], places[i], saved);
    }
  }

 private:
  struct Slot {
    size_t input = 0;
    std::unique_ptr<Iterator> rows;  // null before the first dataset and between two
  };

  void begin(Slot& slot, size_t input) {
    slot = {input, inputs_[input]->iterate(pass_)};
    ++open_;
  }

  void begin_next(Slot& slot) {
    if (begun_ < inputs_.size()) begin(slot, begun_++);
  }

  void restore(Slot& slot, const nlohmann::json& state, const SavedState& saved) {
    const bool fits = state.is_object() && state.contains("state") && state.contains("input") &&
                      state["input"].is_number_unsigned() && state["input"].get<size_t>() < inputs_.size();
    if (!fits) saved.refuse("places", "indices and states of datasets");
    begin(slot, state["input"].get<size_t>());
    slot.rows->restore(state["state"]);
  }

  void turn_to_next() {
    turn_ = (turn_ + 1) % slots_.size();
    given_ = 0;
  }

  const std::vector<StagePtr> inputs_;
  const Pass pass_;
  const int64_t block_length_;
  std::vector<Slot> slots_;
  size_t begun_ = 0;   // number of datasets that have begun
  size_t open_ = 0;    // number of datasets that have begun and not ended
  size_t turn_ = 0;    // index of the current slot
  int64_t given_ = 0;  // examples of the current slot in this turn
};

struct Interleave final : Stage {
  const std::vector<StagePtr> inputs;
  const InterleaveOptions options;
  Interleave(std::vector<StagePtr> inputs, InterleaveOptions options) : inputs(std::move(inputs)), options(options) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<InterleaveIterator>(inputs, pass, options);
  }
};

}  // namespace

Dataset interleave(std::vector<Dataset> datasets, InterleaveOptions options) {
  std::vector<StagePtr> inputs = stages_of(kInterleave, datasets);
  require_at_least(kInterleave, "cycle_length", options.cycle_length, 0);
  require_at_least(kInterleave, "block_length", options.block_length, 1);
  const int64_t all = std::ssize(inputs);
  options.cycle_length = options.cycle_length == 0 ? all : std::min(options.cycle_length, all);
  return Dataset(std::make_shared<Interleave>(std::move(inputs), options));
}

}  // namespace portatune::data
