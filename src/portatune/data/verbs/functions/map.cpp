#include <nlohmann/json.hpp>

#include "portatune/data/order/rewindable.h"
#include "portatune/data/tolerance.h"
#include "portatune/data/verbs/functions/parallel_map.h"

namespace portatune::data {
namespace {

using MapFunction = std::function<Example(Example)>;

class SequentialMap final : public Iterator {
 public:
  SequentialMap(std::unique_ptr<Iterator> input, MapFunction f, std::shared_ptr<BadRows> bad_rows)
      : input_(std::move(input)), f_(std::move(f)), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override {
    while (auto example = input_->next()) {
      if (auto mapped = call_tolerantly(bad_rows_.get(), std::move(*example), f_)) return mapped;
    }
    return std::nullopt;
  }

  int64_t skip(int64_t count) override { return bad_rows_ ? Iterator::skip(count) : input_->skip(count); }

  // The state has the format of parallel_map(), so that a run may resume with another number of threads.
  nlohmann::json state() const override {
    return {{"stage", kMapStage}, {"input", position_after(input_->state(), 0)}};
  }
  void restore(const nlohmann::json& state) override { go_to_position(*input_, SavedState(kMapStage, state), "input"); }

 private:
  std::unique_ptr<Iterator> input_;
  MapFunction f_;
  std::shared_ptr<BadRows> bad_rows_;
};

struct Map final : Stage {
  const StagePtr input;
  const MapFunction f;
  const MapOptions options;
  Map(StagePtr input, MapFunction f, MapOptions options) : input(std::move(input)), f(std::move(f)), options(options) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    if (options.threads == 1) return std::make_unique<SequentialMap>(input->iterate(pass), f, pass.bad_rows);
    const auto of_example = [f = f](Example example, int64_t) { return f(std::move(example)); };
    return parallel_map(input->iterate(pass), of_example, options, pass.bad_rows);
  }
  std::optional<int64_t> size() const override { return input->size(); }
  Example at(Pass pass, int64_t index) const override {
    Example example = input->at(pass, index);
    if (!pass.bad_rows) return call_on(std::move(example), f);
    const Origin origin = example.origin();  // the example is moved away
    try {
      return call_on(std::move(example), f);
    } catch (const DataError& error) {
      throw as_bad_record(error, origin, index);
    } catch (const NotFoundError& error) {
      throw as_bad_record(error, origin, index);
    }
  }
};

}  // namespace

Dataset Dataset::map(std::function<Example(Example)> f, MapOptions options) const {
  require_map_options("map", options);
  return Dataset(std::make_shared<Map>(stage_, std::move(f), options));
}

}  // namespace portatune::data
