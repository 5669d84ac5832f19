#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/verbs/several.h"

namespace portatune::data {
namespace {

constexpr const char* kStage = "interleave";

// As tf.data has it: when a dataset ends it is the next one's turn, and its own place is taken by another when it is
// that place's turn again.
class InterleaveIterator final : public Iterator {
 public:
  InterleaveIterator(std::vector<StagePtr> inputs, Pass pass, InterleaveOptions options)
      : inputs_(std::move(inputs)),
        pass_(pass),
        block_length_(options.block_length),
        places_(static_cast<size_t>(options.cycle_length)) {}

  std::optional<Example> next() override {
    while (open_ > 0 || begun_ < inputs_.size()) {
      Place& place = places_[turn_];
      if (!place.rows) begin_next(place);
      if (place.rows) {
        if (auto example = place.rows->next()) {
          if (++given_ == block_length_) turn_to_next();
          return example;
        }
        place.rows.reset();
        --open_;
      }
      turn_to_next();
    }
    return std::nullopt;
  }

  nlohmann::json state() const override {
    nlohmann::json places = nlohmann::json::array();
    for (const Place& place : places_) {
      places.push_back(place.rows ? nlohmann::json{{"input", place.input}, {"state", place.rows->state()}}
                                  : nlohmann::json());
    }
    return {{"stage", kStage}, {"begun", begun_}, {"turn", turn_}, {"given", given_}, {"places", std::move(places)}};
  }

  void restore(const nlohmann::json& state) override {
    const SavedState saved(kStage, state);
    begun_ = static_cast<size_t>(saved.count("begun", std::ssize(inputs_)));
    turn_ = static_cast<size_t>(saved.count("turn", std::ssize(places_) - 1));
    given_ = saved.count("given", block_length_ - 1);
    const nlohmann::json& places = saved.part("places");
    if (!places.is_array() || places.size() != places_.size()) {
      saved.refuse("places", std::to_string(places_.size()) + ", the length of the cycle");
    }
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!places[i].is_null()) restore(places_[i], places[i], saved);
    }
  }

 private:
  struct Place {
    size_t input = 0;
    std::unique_ptr<Iterator> rows;  // null before the first and between two datasets
  };

  void begin(Place& place, size_t input) {
    place = {input, inputs_[input]->iterate(pass_)};
    ++open_;
  }

  void begin_next(Place& place) {
    if (begun_ < inputs_.size()) begin(place, begun_++);
  }

  void restore(Place& place, const nlohmann::json& state, const SavedState& saved) {
    const bool fits = state.is_object() && state.contains("state") && state.contains("input") &&
                      state["input"].is_number_unsigned() && state["input"].get<size_t>() < inputs_.size();
    if (!fits) saved.refuse("places", "the numbers and states of datasets");
    begin(place, state["input"].get<size_t>());
    place.rows->restore(state["state"]);
  }

  void turn_to_next() {
    turn_ = (turn_ + 1) % places_.size();
    given_ = 0;
  }

  const std::vector<StagePtr> inputs_;
  const Pass pass_;
  const int64_t block_length_;
  std::vector<Place> places_;
  size_t begun_ = 0;   // datasets
  size_t open_ = 0;    // of them, those that have not ended
  size_t turn_ = 0;    // the place whose turn it is
  int64_t given_ = 0;  // by it, in this turn
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
  std::vector<StagePtr> inputs = stages_of(kStage, datasets);
  require_at_least(kStage, "cycle_length", options.cycle_length, 0);
  require_at_least(kStage, "block_length", options.block_length, 1);
  const int64_t all = std::ssize(inputs);
  options.cycle_length = options.cycle_length == 0 ? all : std::min(options.cycle_length, all);
  return Dataset(std::make_shared<Interleave>(std::move(inputs), options));
}

}  // namespace portatune::data
