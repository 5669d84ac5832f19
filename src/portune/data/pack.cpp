#include <algorithm>

#include "portune/data/packed_collate.h"
#include "portune/data/row_packer.h"
#include "portune/data/stage.h"
#include "portune/error.h"

namespace portune::data {
namespace {

// Holds a window of examples that wait, from which the next batch is chosen.
class PackIterator final : public Iterator {
 public:
  PackIterator(std::unique_ptr<Iterator> input, const PackOptions& options)
      : input_(std::move(input)), options_(options) {}

  std::optional<Example> next() override {
    fill();
    if (waiting_.empty()) return std::nullopt;
    const PackedRows packed = choose();
    return packed_batch(take(packed.examples), packed, options_);
  }

 private:
  void fill() {
    while (!input_ended_ && std::ssize(waiting_) < options_.shapes.window) {
      std::optional<Example> example = input_->next();
      input_ended_ = !example;
      if (input_ended_) return;
      lengths_.push_back(text_lengths(*example, options_));
      require_as_many_texts(*example);
      waiting_.push_back(std::move(*example));
    }
  }

  void require_as_many_texts(const Example& example) const {
    if (lengths_.back().size() == lengths_.front().size()) return;
    throw DataError({.where = to_string(example.origin()),
                     .given = std::to_string(lengths_.back().size()) + " texts",
                     .expected = std::to_string(lengths_.front().size()) + ", as in the examples before"});
  }

  PackedRows choose() const {
    const PackedShapes& shapes = options_.shapes;
    if (shapes.packing == Packing::kTokenBudget) {
      return pack_budget(lengths_, shapes.examples, shapes.rows.back(), shapes.length);
    }
    return pack_exactly(lengths_, shapes.examples, shapes.rows, shapes.length);
  }

  // Takes examples out of the window.
  std::vector<Example> take(const std::vector<size_t>& chosen) {
    std::vector<Example> taken, left;
    std::vector<TextLengths> lengths_left;
    for (size_t i = 0; i < waiting_.size(); ++i) {
      const bool is_chosen = std::ranges::binary_search(chosen, i);
      (is_chosen ? taken : left).push_back(std::move(waiting_[i]));
      if (!is_chosen) lengths_left.push_back(std::move(lengths_[i]));
    }
    waiting_ = std::move(left);
    lengths_ = std::move(lengths_left);
    return taken;
  }

  std::unique_ptr<Iterator> input_;
  const PackOptions options_;
  std::vector<Example> waiting_;
  std::vector<TextLengths> lengths_;  // of those that wait
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
  require_at_least("pack", "window", shapes.window, shapes.packing == Packing::kExactExamples ? shapes.examples : 1);
  require_at_least("pack", "the number of rows", shapes.rows.empty() ? 0 : std::ranges::min(shapes.rows), 1);
  std::ranges::sort(shapes.rows);
  return Dataset(std::make_shared<Pack>(stage_, std::move(options)));
}

}  // namespace portune::data
