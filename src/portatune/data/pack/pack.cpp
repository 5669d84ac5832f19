#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "portatune/data/batch/batching.h"
#include "portatune/data/order/rewindable.h"
#include "portatune/data/pack/packed_collate.h"
#include "portatune/data/pack/packed_parts.h"
#include "portatune/data/pack/row_packer.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kStage = "pack";

// Holds a window of waiting examples from which the next batch is chosen.
class PackIterator final : public Iterator {
 public:
  PackIterator(std::unique_ptr<Iterator> input, const PackOptions& options)
      : input_(std::move(input)), options_(options) {}

  std::optional<Example> next() override {
    std::vector<Part> parts = next_parts();
    if (parts.empty()) return std::nullopt;
    input_.release(oldest());
    Example batch = batch_of(std::move(parts));
    const std::vector<int64_t> counts = row_counts();
    batch.set_batch_types(
        types_with_sizes(batch, counts.size(), BatchAxis::kFirst, [&](const std::string& name, size_t i) {
          return is_of_tokens(name) ? std::optional(counts[i]) : std::nullopt;
        }));
    return batch;
  }

  // The waiting examples are restored by reading the input again from the oldest of them.
  nlohmann::json state() const override {
    std::vector<int64_t> waiting;
    for (const Waiting& w : waiting_) waiting.push_back(w.index - oldest());
    return {{"stage", kStage},
            {"waiting", waiting},
            {"read", input_.taken() - oldest()},
            {"input", input_.position_of(oldest())}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kStage, state);
    const nlohmann::json& waiting = saved.part("waiting");
    const int64_t read = saved.count("read");
    input_.restore(saved, "input");
    for (int64_t i = 0; i < read; ++i) {
      std::optional<Example> example = input_.next();
      if (!example) saved.refuse("read", "at most the number of elements of the input");
      if (std::count(waiting.begin(), waiting.end(), i) > 0) add(std::move(*example));
    }
    if (waiting_.size() != waiting.size()) saved.refuse("waiting", "distinct indices of elements that were read");
  }

 private:
  struct Waiting {
    int64_t index;  // in the input
    Example example;
  };

  // The examples of a part of a batch, and their offsets in its rows.
  struct Part {
    std::vector<Example> examples;
    PackedRows packed;
  };

  std::vector<Part> next_parts() {
    std::vector<Part> parts;
    while (std::ssize(parts) < options_.shapes.parts) {
      fill();
      if (waiting_.empty()) break;
      PackedRows packed = choose();
      std::vector<Example> taken = take(packed.examples);
      parts.push_back({std::move(taken), std::move(packed)});
    }
    return parts;
  }

  // Gives all parts the number of rows of the largest.
  Example batch_of(std::vector<Part> parts) const {
    const int64_t rows = std::ranges::max(parts, {}, [](const Part& part) { return part.packed.rows; }).packed.rows;
    std::vector<Example> batches;
    for (Part& part : parts) {
      part.packed.rows = rows;
      batches.push_back(packed_batch(std::move(part.examples), part.packed, options_));
    }
    return options_.shapes.parts == 1 ? std::move(batches.front()) : side_by_side(std::move(batches), options_);
  }

  // Index of the first waiting example; of the next element of the input, if none waits.
  int64_t oldest() const { return waiting_.empty() ? input_.taken() : waiting_.front().index; }

  void fill() {
    while (!input_ended_ && std::ssize(waiting_) < options_.shapes.window) {
      std::optional<Example> example = input_.next();
      input_ended_ = !example;
      if (example) add(std::move(*example));
    }
  }

  // Adds the element that was just read from the input.
  void add(Example example) {
    TextLengths lengths = fitting_lengths(example, options_);
    require_as_many_texts(example, std::ssize(lengths));
    lengths_.push_back(std::move(lengths));
    waiting_.push_back({input_.taken() - 1, std::move(example)});
  }

  void require_as_many_texts(const Example& example, int64_t texts) const {
    if (lengths_.empty() || texts == std::ssize(lengths_.front())) return;
    throw DataError({.where = to_string(example.origin()),
                     .given = std::to_string(texts) + " texts",
                     .expected = std::to_string(lengths_.front().size()) + ", as in the previous examples"});
  }

  PackedRows choose() const {
    const PackedShapes& shapes = options_.shapes;
    if (shapes.packing == Packing::kTokenBudget) {
      return pack_budget(lengths_, shapes.examples, shapes.rows.back(), shapes.length);
    }
    return pack_exactly(lengths_, shapes.examples, shapes.rows, shapes.length);
  }

  // Removes the chosen examples from the window.
  std::vector<Example> take(const std::vector<size_t>& chosen) {
    std::vector<Example> taken;
    std::vector<Waiting> left;
    std::vector<TextLengths> lengths_left;
    for (size_t i = 0; i < waiting_.size(); ++i) {
      if (std::ranges::binary_search(chosen, i)) {
        taken.push_back(std::move(waiting_[i].example));
      } else {
        left.push_back(std::move(waiting_[i]));
        lengths_left.push_back(std::move(lengths_[i]));
      }
    }
    waiting_ = std::move(left);
    lengths_ = std::move(lengths_left);
    return taken;
  }

  // Possible numbers of rows of a batch, over all parts.
  std::vector<int64_t> row_counts() const {
    std::vector<int64_t> rows = options_.shapes.rows;
    if (options_.shapes.packing == Packing::kTokenBudget) rows = {rows.back()};
    for (int64_t& count : rows) count *= options_.shapes.parts;
    return rows;
  }
  bool is_of_tokens(const std::string& name) const {
    return name == kAttentionMask || name == kPositionIds || std::ranges::count(options_.columns, name) > 0;
  }

  RewindableInput input_;
  const PackOptions options_;
  std::vector<Waiting> waiting_;      // in the order of the input
  std::vector<TextLengths> lengths_;  // of the waiting examples
  bool input_ended_ = false;
};

struct Pack final : Stage {
  const StagePtr input;
  const PackOptions options;
  Pack(StagePtr input, PackOptions options) : input(std::move(input)), options(std::move(options)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<PackIterator>(input->iterate(pass), options);
  }
};

}  // namespace

Dataset Dataset::pack(PackOptions options) const {
  PackedShapes& shapes = options.shapes;
  require_at_least("pack", "examples", shapes.examples, 1);
  require_at_least("pack", "length", shapes.length, 1);
  require_at_least("pack", "parts", shapes.parts, 1);
  require_at_least("pack", "window", shapes.window, shapes.packing == Packing::kExactExamples ? shapes.examples : 1);
  require_at_least("pack", "the number of rows", shapes.rows.empty() ? 0 : std::ranges::min(shapes.rows), 1);
  std::ranges::sort(shapes.rows);
  return Dataset(std::make_shared<Pack>(stage_, std::move(options)));
}

}  // namespace portatune::data
