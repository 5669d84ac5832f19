#include "portatune/data.h"

namespace portatune::data {
namespace {

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
  // Shared, because passes may outlive the dataset.
  const auto shared = std::make_shared<const std::vector<Example>>(std::move(examples));
  const auto at = [shared](int64_t index) { return (*shared)[static_cast<size_t>(index)]; };
  return from_index("from_examples", std::ssize(*shared), at);
}

}  // namespace portatune::data
