#include "portatune/analysis/plan/target_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/error.h"
#include "portatune/runtime/pjrt/call_error.h"

namespace portatune::plan {
namespace {

constexpr int64_t kMaxBatch = 1'000'000;   // the maximum of --batch-size
constexpr int kCompilations = 12;          // for the largest batch
constexpr int kCompilationsForRemedy = 6;  // from half a batch down to a 64th

int64_t bytes_of_batch(const train::Signature& batch) {
  int64_t bytes = 0;
  for (const auto& [name, type] : batch) bytes += type.bytes();
  return bytes;
}
int64_t bytes_of_shape(const BatchShape& shape) { return bytes_of_batch(shape.batch); }

// The shape whose step needs the most memory.
const BatchShape& largest(const std::vector<BatchShape>& shapes) {
  return *std::ranges::max_element(shapes, {}, bytes_of_shape);
}

std::vector<train::Signature> evaluations_of(const Run& run, int64_t batch_size, const Mesh& mesh) {
  return run.evaluations_with ? run.evaluations_with(batch_size, mesh) : std::vector<train::Signature>();
}

void report(const Run& run, const char* program, const train::Signature& batch, const train::StepOptions& options) {
  if (!run.on_compile) return;
  run.on_compile(fmt::format("{} of {} rows in {}{}", program, batch.front().second.shape[0],
                             name_of(options.compute_dtype),
                             options.remat == Remat::kNone ? "" : ", layers computed again"));
}

StepPlan compiled_step(const Compiler& compiler, const Run& run, const train::Signature& batch,
                       const train::StepOptions& options, ProgramWriter* keep = nullptr) {
  report(run, "the training step", batch, options);
  return plan_step(compiler, run.task, batch, options, keep);
}

EvaluationPlan compiled_evaluation(const Compiler& compiler, const Run& run, const train::Signature& batch,
                                   const train::StepOptions& options, ProgramWriter* keep = nullptr) {
  report(run, "the evaluation", batch, options);
  return plan_evaluation(compiler, run.task, batch, options, keep);
}

MemoryOfBatch memory_of_batch(const Compiler& compiler, const Run& run, const train::StepOptions& options) {
  return [&compiler, &run, options](int64_t size) -> std::optional<int64_t> {
    try {
      const std::vector<BatchShape> shapes = run.shapes_with(size, options.mesh);
      Memory memory = compiled_step(compiler, run, largest(shapes).batch, options).memory;
      const std::vector<train::Signature> evaluations = evaluations_of(run, size, options.mesh);
      if (!evaluations.empty()) {
        const train::Signature& batch = *std::ranges::max_element(evaluations, {}, bytes_of_batch);
        memory = together(memory, compiled_evaluation(compiler, run, batch, options).memory);
      }
      return memory.total();
    } catch (const pjrt::CallError& error) {
      if (error.kind() != pjrt::CallError::Kind::kOutOfMemory) throw;
      return {};
    }
  };
}

// Tries options with which the run might fit.
class Remedies {
 public:
  Remedies(const Compiler& compiler, const Run& run, int64_t devices) : compiler_(compiler), run_(run) {
    if (run.step.compute_dtype == DType::kFloat32) changes_.push_back(compute_in_bfloat16);
    if (run.step.remat == Remat::kNone) changes_.push_back(compute_layers_again);
    const Mesh& mesh = run.step.mesh;
    const int64_t alone = mesh.size(kBatchAxes);  // 1: the user chose no number
    const int64_t sharing = alone > 1 ? alone : devices / mesh.tensor;
    if (sharing > 1 && mesh.fsdp == 1) {
      changes_.push_back([divided = Mesh{.fsdp = sharing, .tensor = mesh.tensor}](train::StepOptions& options) {
        options.mesh = divided;
      });
    }
  }

  std::vector<Remedy> found() {
    train::StepOptions all = run_.step;
    for (const Change& change : changes_) {
      train::StepOptions options = run_.step;
      for (train::StepOptions* changed : {&options, &all}) change(*changed);
      if (fits(options)) add(options, run_.batch_size);
    }
    if (found_.empty() && changes_.size() > 1 && fits(all)) add(all, run_.batch_size);
    if (found_.empty() && !changes_.empty()) add_smaller_batch(all);
    add_smaller_batch(run_.step);
    return std::move(found_);
  }

 private:
  using Change = std::function<void(train::StepOptions&)>;

  static void compute_in_bfloat16(train::StepOptions& options) { options.compute_dtype = DType::kBFloat16; }
  static void compute_layers_again(train::StepOptions& options) { options.remat = Remat::kLayers; }

  bool has_room_for_state(const train::StepOptions& options) const {
    const train::Signature batch = run_.shapes_with(run_.batch_size, options.mesh).front().batch;
    const Memory memory = memory_of_arguments(run_.task, batch, options);
    return memory.parameters + memory.optimizer() <= compiler_.memory_bytes();
  }
  // The result of `search`; a default value if the run cannot have these options, or the compiler refuses them.
  template <class Search>
  static auto tried(const Search& search) -> decltype(search()) {
    try {
      return search();
    } catch (const UsageError&) {
    } catch (const pjrt::CallError&) {
    }
    return {};
  }
  bool fits(const train::StepOptions& options) const {
    return tried([&] {
      if (!has_room_for_state(options)) return false;
      const std::optional<int64_t> memory = memory_of_batch(compiler_, run_, options)(run_.batch_size);
      return memory && *memory <= compiler_.memory_bytes();
    });
  }
  void add(const train::StepOptions& options, int64_t batch_size) {
    found_.push_back({options.compute_dtype, options.remat, options.mesh, batch_size});
  }
  void add_smaller_batch(const train::StepOptions& options) {
    if (run_.batch_size < 2) return;
    const LargestBatch smaller = tried([&] {
      if (!has_room_for_state(options)) return LargestBatch();
      return largest_batch(memory_of_batch(compiler_, run_, options), compiler_.memory_bytes(), run_.batch_size / 2,
                           run_.batch_size - 1, kCompilationsForRemedy);
    });
    if (smaller.fits > 0) add(options, smaller.fits);
  }

  const Compiler& compiler_;
  const Run& run_;
  std::vector<Change> changes_;
  std::vector<Remedy> found_;
};

}  // namespace

TargetPlan plan_target(const Compiler& compiler, const Run& run, ProgramWriter* keep) {
  TargetPlan plan;
  try {
    for (const BatchShape& shape : run.shapes) {
      const StepPlan step = compiled_step(compiler, run, shape.batch, run.step, keep);
      plan.shapes.push_back({shape, step, roofline(step.work, compiler.peaks())});
      plan.memory = together(plan.memory, step.memory);
    }
    for (const train::Signature& batch : evaluations_of(run, run.batch_size, run.step.mesh)) {
      const EvaluationPlan evaluation = compiled_evaluation(compiler, run, batch, run.step, keep);
      plan.memory = together(plan.memory, evaluation.memory);
      plan.evaluation_compile_s += evaluation.compile_s;
    }
    plan.fits = plan.memory.total() <= compiler.memory_bytes();
  } catch (const pjrt::CallError& error) {
    plan = TargetPlan();
    plan.refusal = error.report().where;
    if (error.kind() != pjrt::CallError::Kind::kOutOfMemory) return plan;
    plan.memory = memory_of_arguments(run.task, largest(run.shapes).batch, run.step);
  }
  plan.is_too_large = !plan.fits;
  return plan;
}

MeanStep mean_step(const std::vector<ShapePlan>& shapes) {
  MeanStep sum;
  double steps = 0;
  for (const ShapePlan& shape : shapes) {
    const double share = static_cast<double>(shape.shape.steps);
    sum.flops += share * shape.step.work.all_flops();
    sum.bytes += share * shape.step.work.bytes;
    sum.sent_bytes += share * shape.step.work.sent_bytes;
    sum.seconds += share * shape.time.seconds();
    sum.compute_s += share * shape.time.compute_s;
    sum.memory_s += share * shape.time.memory_s;
    sum.exchange_s += share * shape.time.exchange_s;
    steps += share;
  }
  for (double* figure :
       {&sum.flops, &sum.bytes, &sum.sent_bytes, &sum.seconds, &sum.compute_s, &sum.memory_s, &sum.exchange_s}) {
    *figure /= steps;
  }
  return sum;
}

std::vector<Remedy> remedies_for(const Compiler& compiler, const Run& run, int64_t devices) {
  return Remedies(compiler, run, devices).found();
}

LargestBatch largest_batch_of(const Compiler& compiler, const Run& run, const TargetPlan& plan) {
  const MemoryOfBatch compile = memory_of_batch(compiler, run, run.step);
  const auto memory = [&](int64_t size) -> std::optional<int64_t> {
    if (size != run.batch_size) return compile(size);
    if (plan.shapes.empty()) return {};
    return plan.memory.total();
  };
  return largest_batch(memory, compiler.memory_bytes(), run.batch_size, kMaxBatch, kCompilations);
}

}  // namespace portatune::plan
