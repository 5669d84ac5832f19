#include "portatune/runtime/compiled_model.h"

#include <algorithm>
#include <optional>

#include "portatune/base/threads/cores.h"
#include "portatune/base/threads/thread_pool.h"

namespace portatune {

void CompiledModel::compile(const std::vector<ModelProgram>& programs, const OnCompile& on_compile) {
  const auto count = std::ssize(programs);
  if (count == 0) return;
  for (const ModelProgram& program : programs) load_(program.parameters);
  std::vector<std::optional<Program>> compiled(programs.size());
  ThreadPool pool(static_cast<int>(std::min<int64_t>(count, usable_cores())));
  pool.parallel_for(count, 1, [&](int64_t begin, int64_t) {
    const auto i = static_cast<size_t>(begin);
    compiled[i] = device_.compile(programs[i].function);
  });
  for (size_t i = 0; i < programs.size(); ++i) {
    if (on_compile) on_compile(programs[i].what, compiled[i]->compile_seconds(), compiled[i]->from_cache());
    programs_.emplace(programs[i].key, std::move(*compiled[i]));
  }
}

}  // namespace portatune
