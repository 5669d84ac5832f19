#include "portatune/data/order/indexed.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

// Shared, because passes may outlive the dataset.
using Examples = std::shared_ptr<const std::vector<Example>>;

struct FromExamples final : Stage {
  const Examples examples;
  explicit FromExamples(std::vector<Example> examples)
      : examples(std::make_shared<const std::vector<Example>>(std::move(examples))) {}

  std::unique_ptr<Iterator> iterate(Pass) const override {
    return iterate_by_index(
        {.stage = "from_examples", .size = std::ssize(*examples), .at = [examples = examples](int64_t index) {
           return (*examples)[static_cast<size_t>(index)];
         }});
  }
  std::optional<int64_t> size() const override { return std::ssize(*examples); }
  Example at(Pass, int64_t index) const override { return (*examples)[static_cast<size_t>(index)]; }
};

Example numbered(const Example& example, int64_t row) {
  Example result(Origin{.row = row});
  for (const Example::Entry& entry : example.columns()) result.set(entry.name, entry.value);
  return result;
}

}  // namespace

Dataset from_examples(std::vector<Example> examples) {
  for (size_t i = 0; i < examples.size(); ++i) {
    const Origin& origin = examples[i].origin();
    if (!origin.file && origin.row < 0) examples[i] = numbered(examples[i], static_cast<int64_t>(i));
  }
  return Dataset(std::make_shared<FromExamples>(std::move(examples)));
}

}  // namespace portatune::data
