// Custom sources and verbs: stages over the iterators of users.
#include <nlohmann/json.hpp>

#include "portatune/data/order/indexed.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

class CustomPass final : public Iterator {
 public:
  CustomPass(std::string stage, std::unique_ptr<CustomIterator> iterator)
      : stage_(std::move(stage)), iterator_(std::move(iterator)) {}

  std::optional<Example> next() override { return iterator_->next(); }
  int64_t skip(int64_t count) override { return iterator_->skip(count); }
  nlohmann::json state() const override { return {{"stage", stage_}, {"state", iterator_->state()}}; }
  void restore(const nlohmann::json& state) override { iterator_->restore(SavedState(stage_, state).text("state")); }

 private:
  const std::string stage_;
  const std::unique_ptr<CustomIterator> iterator_;
};

struct CustomStage final : Stage {
  using Begin = std::function<std::unique_ptr<CustomIterator>(Pass pass)>;

  const std::string name;
  const Begin begin;
  CustomStage(std::string name, Begin begin) : name(std::move(name)), begin(std::move(begin)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<CustomPass>(name, begin(pass));
  }
};

struct FromIndex final : Stage {
  const Indexed source;
  explicit FromIndex(Indexed source) : source(std::move(source)) {}

  std::unique_ptr<Iterator> iterate(Pass) const override { return iterate_by_index(source); }
  std::optional<int64_t> size() const override { return source.size; }
  Example at(Pass, int64_t index) const override { return source.at(index); }
};

}  // namespace

int64_t CustomIterator::skip(int64_t count) {
  int64_t skipped = 0;
  while (skipped < count && next()) ++skipped;
  return skipped;
}

Dataset from_iterator(std::string name, std::function<std::unique_ptr<CustomIterator>(int64_t epoch)> begin) {
  const auto begin_epoch = [begin = std::move(begin)](const Pass& pass) { return begin(pass.epoch); };
  return Dataset(std::make_shared<CustomStage>(std::move(name), begin_epoch));
}

Dataset from_index(std::string name, int64_t size, std::function<Example(int64_t index)> at) {
  require_at_least(name, "size", size, 0);
  return Dataset(std::make_shared<FromIndex>(Indexed{.stage = std::move(name), .size = size, .at = std::move(at)}));
}

Dataset Dataset::apply(std::string name, std::function<std::unique_ptr<CustomIterator>(Cursor input)> begin) const {
  const auto begin_over = [begin = std::move(begin), input = stage_](const Pass& pass) {
    return begin(Cursor(input->iterate(pass), pass.epoch));
  };
  return Dataset(std::make_shared<CustomStage>(std::move(name), begin_over));
}

}  // namespace portatune::data
