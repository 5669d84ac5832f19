#include "portatune/analysis/plan/timed_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/threads/clock.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"

namespace portatune::plan {
namespace {

using Seconds = std::chrono::duration<double>;
using Log = std::function<void(const std::string&)>;

constexpr Seconds kBetweenMessages{30};
constexpr Seconds kDefaultLimit{600}, kNoLimit{1e9};

// The plan of a target so far. Two threads share it.
class PlanProgress {
 public:
  explicit PlanProgress(const Target& target) { planned_.target = target; }

  void set(const PlannedTarget& planned) {
    const std::lock_guard lock(mutex_);
    planned_ = planned;
  }
  void set_activity(const std::string& activity) {
    const std::lock_guard lock(mutex_);
    activity_ = activity;
  }
  PlannedTarget planned() const {
    const std::lock_guard lock(mutex_);
    return planned_;
  }
  std::string activity() const {
    const std::lock_guard lock(mutex_);
    return activity_;
  }

 private:
  mutable std::mutex mutex_;
  PlannedTarget planned_;
  std::string activity_ = "its compiler is still being opened";
};

// A plan that outlives the call that has started it, if it is slow.
struct Planning {
  Planning(const Target& target, std::shared_ptr<const Run> run, const TimedPlanOptions& options, Log log)
      : run(std::move(run)), options(options), log(std::move(log)), progress(target) {}

  const std::shared_ptr<const Run> run;
  const TimedPlanOptions options;
  const Log log;
  PlanProgress progress;
};

// Saves the programs. Returns the reason if nothing is saved, else an empty text.
std::string save_programs(ProgramWriter& programs, const Compiler& compiler, const PlannedTarget& planned,
                          const Planning& planning) {
  if (!planned.outcome.refusal.empty()) return planned.outcome.refusal;
  if (!planned.outcome.fits) return "the run does not fit";
  programs.commit(compiler.origin(), planned.target.name);
  planning.log(fmt::format("saved {} programs; start with them by  --compiled {}", programs.count(),
                           planning.options.save.string()));
  return {};
}

std::unique_ptr<Compiler> compiler_of(PlannedTarget& planned, const DeviceOptions& device) {
  try {
    auto compiler = open_compiler(planned.target, device);
    planned.memory_bytes = compiler->memory_bytes();
    planned.peaks = compiler->peaks();
    return compiler;
  } catch (const DeviceError& error) {
    const std::string& fix = error.report().fix;
    planned.unavailable = one_line(error.report()) + (fix.empty() ? "" : "; " + fix);
    planned.not_saved = planned.unavailable;
    return nullptr;
  }
}

Run with_messages(Run run, const std::string& target, Planning& planning) {
  run.on_compile = [target, &planning](const std::string& what) {
    planning.progress.set_activity(what + " is still being compiled");
    planning.log(fmt::format("compiling for {}: {}", target, what));
  };
  return run;
}

// Plans part by part; each finished part is published at once.
void plan_parts(Planning& planning) {
  const TimedPlanOptions& options = planning.options;
  PlanProgress& progress = planning.progress;
  PlannedTarget planned = progress.planned();
  const Target& target = planned.target;
  const Run run = with_messages(*planning.run, target.name, planning);
  const std::unique_ptr<Compiler> compiler = compiler_of(planned, options.device);
  progress.set(planned);
  if (!compiler) return;
  std::optional<ProgramWriter> programs;
  if (!options.save.empty()) programs.emplace(options.save);
  planned.outcome = plan_target(*compiler, run, programs ? &*programs : nullptr);
  if (programs) planned.not_saved = save_programs(*programs, *compiler, planned, planning);
  progress.set(planned);
  if (planned.outcome.is_too_large) planned.remedies = remedies_for(*compiler, run, target.devices);
  progress.set(planned);
  if (!options.largest_batch || !(planned.outcome.fits || planned.outcome.is_too_large)) return;
  planned.largest_batch = largest_batch_of(*compiler, run, planned.outcome);
  progress.set(planned);
}

// Programs to be saved are needed later, so there is no time limit for them by default.
Seconds limit_of(const TimedPlanOptions& options) {
  if (options.time_limit_s) return *options.time_limit_s > 0 ? Seconds(*options.time_limit_s) : kNoLimit;
  return options.save.empty() ? kDefaultLimit : kNoLimit;
}

PlannedTarget too_slow(const PlanProgress& progress, Seconds limit) {
  PlannedTarget planned = progress.planned();
  planned.slow = fmt::format("{} after {:g} s", progress.activity(), limit.count());
  if (planned.not_saved.empty() && planned.outcome.shapes.empty()) planned.not_saved = planned.slow;
  return planned;
}

}  // namespace

double PlannedTarget::compile_seconds() const {
  double seconds = outcome.evaluation_compile_s;
  for (const ShapePlan& shape : outcome.shapes) seconds += shape.step.compile_s;
  return seconds;
}

PlannedTarget plan_in_time(const Target& target, const std::shared_ptr<const Run>& run, const TimedPlanOptions& options,
                           const Log& log) {
  const Seconds limit = limit_of(options);
  const auto planning = std::make_shared<Planning>(target, run, options, log);
  log(fmt::format("compiling for {}", target.name));
  std::packaged_task<void()> work(with_current_stop([planning] { plan_parts(*planning); }));
  std::future<void> done = work.get_future();
  std::thread thread(std::move(work));
  const Clock::time_point start = Clock::now();
  for (Seconds elapsed{0}; elapsed < limit; elapsed = Clock::now() - start) {
    if (done.wait_for(std::min(kBetweenMessages, limit - elapsed)) == std::future_status::ready) {
      thread.join();
      done.get();  // throws the thread's error
      return planning->progress.planned();
    }
    log(fmt::format("compiling for {}: {} after {:.0f} s", target.name, planning->progress.activity(),
                    seconds_since(start)));
  }
  thread.detach();
  return too_slow(planning->progress, limit);
}

}  // namespace portatune::plan
