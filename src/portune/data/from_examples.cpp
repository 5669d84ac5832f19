#include <algorithm>

#include "portune/data/stage.h"

namespace portune::data {
namespace {

// Shared by all passes, which may outlive the dataset.
using Examples = std::shared_ptr<const std::vector<Example>>;

class ExamplesIterator final : public Iterator {
 public:
  explicit ExamplesIterator(Examples examples) : examples_(std::move(examples)) {}

  std::optional<Example> next() override {
    if (next_ == examples_->size()) return std::nullopt;
    return (*examples_)[next_++];
  }

  int64_t skip(int64_t count) override {
    const auto skipped = std::min(static_cast<size_t>(count), examples_->size() - next_);
    next_ += skipped;
    return static_cast<int64_t>(skipped);
  }

 private:
  Examples examples_;
  size_t next_ = 0;
};

struct FromExamples final : Stage {
  const Examples examples;
  explicit FromExamples(std::vector<Example> examples)
      : examples(std::make_shared<const std::vector<Example>>(std::move(examples))) {}

  std::unique_ptr<Iterator> iterate(Pass) const override { return std::make_unique<ExamplesIterator>(examples); }
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

}  // namespace portune::data
