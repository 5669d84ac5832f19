// map_local and batch_local: costly arrays for the local rows of a process alone.
#include "portatune/data/batch/batching.h"
#include "portatune/data/batch/stack.h"
#include "portatune/data/verbs/functions/parallel_map.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using Function = std::function<Example(Example, bool)>;

// Batches begin where a pass begins or resumes, so that the number of an example determines its index in its batch.
// Therefore the state is that of map(), for any number of processes.
struct MapLocal final : Stage {
  const StagePtr input;
  const Function f;
  const LocalRows local;
  const MapOptions options;
  MapLocal(StagePtr input, Function f, LocalRows local, MapOptions options)
      : input(std::move(input)), f(std::move(f)), local(std::move(local)), options(options) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    const bool all = pass.bad_rows != nullptr;
    const auto of_example = [f = f, local = local, all](Example example, int64_t number) {
      return f(std::move(example), all || local.has(number % local.size));
    };
    return parallel_map(input->iterate(pass), of_example, options, pass.bad_rows);
  }
};

void require_arrays(const std::vector<Example>& rows, const LocalRows& local) {
  for (size_t index = 0; index < rows.size(); ++index) {
    if (!local.has(static_cast<int64_t>(index))) continue;
    for (const auto& [name, type] : local.arrays) rows[index].column(name);
  }
}

void require_share(const char* verb, const LocalRows& local) {
  require_at_least(verb, "size", local.size, 1);
  const BatchShare& share = local.share;
  const bool is_range = 0 <= share.begin && share.begin < share.end && share.end <= share.parts;
  if (is_range && local.size % share.parts == 0) return;
  throw UsageError({.where = verb,
                    .given = "a share that begins at part " + std::to_string(share.begin) + " and ends before part " +
                             std::to_string(share.end) + ", of " + std::to_string(local.size) + " rows in " +
                             std::to_string(share.parts) + " parts",
                    .expected = "at least one of equal parts, numbered from 0"});
}

}  // namespace

bool LocalRows::has(int64_t index) const {
  const int64_t part = index * share.parts / size;
  return share.begin <= part && part < share.end;
}

Dataset Dataset::map_local(Function f, LocalRows local, MapOptions options) const {
  require_share("map_local", local);
  require_map_options("map_local", options);
  options.ordered = true;
  return Dataset(std::make_shared<MapLocal>(stage_, std::move(f), std::move(local), options));
}

Dataset Dataset::batch_local(LocalRows local) const {
  require_share("batch_local", local);
  const BatchOptions options{.size = local.size};
  const auto shared = std::make_shared<const LocalRows>(std::move(local));
  return gather_batches(stage_, options, [shared](const std::vector<Example>& rows, int64_t size) {
    require_arrays(rows, *shared);
    Example batch = stack("batch_local", rows, size, unpadded, shared->arrays);
    if (!shared->share.is_all()) batch.set_local_rows(shared);
    return batch;
  });
}

}  // namespace portatune::data
