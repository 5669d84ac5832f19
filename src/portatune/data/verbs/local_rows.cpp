// map_local and batch_local: what one of several processes makes of rows that stand on the devices of another.
#include "portatune/data/batch/batching.h"
#include "portatune/data/batch/stack.h"
#include "portatune/data/verbs/parallel_map.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using Function = std::function<Example(Example, bool)>;

// Batches begin where a pass begins, and only between batches it is left to be resumed: an example's number there tells
// its place. So the state is that of map(), in however many processes.
struct MapOwn final : Stage {
  const StagePtr input;
  const Function f;
  const LocalRows own;
  const MapOptions options;
  MapOwn(StagePtr input, Function f, LocalRows own, MapOptions options)
      : input(std::move(input)), f(std::move(f)), own(std::move(own)), options(options) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    const bool all = pass.bad_rows != nullptr;
    const auto of_example = [f = f, own = own, all](Example example, int64_t number) {
      return f(std::move(example), all || own.has(number % own.size));
    };
    return parallel_map(input->iterate(pass), of_example, options, pass.bad_rows);
  }
};

void require_arrays(const std::vector<Example>& rows, const LocalRows& own) {
  for (size_t place = 0; place < rows.size(); ++place) {
    if (!own.has(static_cast<int64_t>(place))) continue;
    for (const auto& [name, type] : own.arrays) rows[place].column(name);
  }
}

void require_share(const char* verb, const LocalRows& own) {
  require_at_least(verb, "size", own.size, 1);
  const BatchShare& share = own.share;
  const bool is_range = 0 <= share.begin && share.begin < share.end && share.end <= share.parts;
  if (is_range && own.size % share.parts == 0) return;
  throw UsageError({.where = verb,
                    .given = "a share that begins at part " + std::to_string(share.begin) + " and ends before part " +
                             std::to_string(share.end) + ", of " + std::to_string(own.size) + " rows in " +
                             std::to_string(share.parts) + " parts",
                    .expected = "at least one of equal parts, which are counted from 0"});
}

}  // namespace

bool LocalRows::has(int64_t place) const {
  const int64_t part = place * share.parts / size;
  return share.begin <= part && part < share.end;
}

Dataset Dataset::map_local(Function f, LocalRows own, MapOptions options) const {
  require_share("map_local", own);
  require_map_options("map_local", options);
  options.ordered = true;
  return Dataset(std::make_shared<MapOwn>(stage_, std::move(f), std::move(own), options));
}

Dataset Dataset::batch_local(LocalRows own) const {
  require_share("batch_local", own);
  const BatchOptions options{.size = own.size};
  const auto shared = std::make_shared<const LocalRows>(std::move(own));
  return gather_batches(stage_, options, [shared](const std::vector<Example>& rows, int64_t size) {
    require_arrays(rows, *shared);
    Example batch = stack("batch_local", rows, size, unpadded, shared->arrays);
    if (!shared->share.is_all()) batch.set_local_rows(shared);
    return batch;
  });
}

}  // namespace portatune::data
