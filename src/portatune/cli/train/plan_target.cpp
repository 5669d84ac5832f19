#include "portatune/cli/train/plan_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include "portatune/base/plain_text.h"
#include "portatune/base/stop.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kBetweenMessages{30};
constexpr Seconds kDefaultLimit{600}, kNoLimit{1e9};

// The plan of a target so far. Two threads share it.
class PlanProgress {
 public:
  explicit PlanProgress(const plan::Target& target) { planned_.target = target; }

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

// Saves the programs. Returns the reason if nothing is saved, else an empty text.
std::string save(ProgramWriter& programs, const plan::Compiler& compiler, const PlannedTarget& planned,
                 const PlanArguments& arguments) {
  if (!planned.outcome.refusal.empty()) return planned.outcome.refusal;
  if (!planned.outcome.fits) return "the run does not fit";
  programs.commit(compiler.origin(), planned.target.name);
  print_remark(arguments.fit.talk, fmt::format("saved {} programs; start with them by  --compiled {}", programs.count(),
                                               arguments.save.string()));
  return {};
}

std::unique_ptr<plan::Compiler> open_compiler(PlannedTarget& planned, const PlanArguments& arguments) {
  try {
    auto compiler = plan::open_compiler(planned.target, arguments.fit.device);
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

plan::Run with_messages(plan::Run run, const std::string& target, const Talk& talk, PlanProgress& progress) {
  run.on_compile = [target, talk, &progress](const std::string& what) {
    progress.set_activity(what + " is still being compiled");
    print_remark(talk, fmt::format("compiling for {}: {}", target, what));
  };
  return run;
}

// Plans part by part; each finished part is published at once.
void plan_parts(const plan::Run& asked, const PlanArguments& arguments, PlanProgress& progress) {
  PlannedTarget planned = progress.planned();
  const plan::Target& target = planned.target;
  const plan::Run run = with_messages(asked, target.name, arguments.fit.talk, progress);
  const std::unique_ptr<plan::Compiler> compiler = open_compiler(planned, arguments);
  progress.set(planned);
  if (!compiler) return;
  std::optional<ProgramWriter> programs;
  if (!arguments.save.empty()) programs.emplace(arguments.save);
  planned.outcome = plan::plan_target(*compiler, run, programs ? &*programs : nullptr);
  if (programs) planned.not_saved = save(*programs, *compiler, planned, arguments);
  progress.set(planned);
  if (planned.outcome.is_too_large) planned.remedies = plan::remedies_for(*compiler, run, target.devices);
  progress.set(planned);
  if (!arguments.largest_batch || !(planned.outcome.fits || planned.outcome.is_too_large)) return;
  planned.largest_batch = plan::largest_batch_of(*compiler, run, planned.outcome);
  progress.set(planned);
}

// Programs to be saved are needed later, so there is no time limit for them by default.
Seconds limit_of(const PlanArguments& arguments) {
  if (arguments.time_limit) return *arguments.time_limit > 0 ? Seconds(*arguments.time_limit) : kNoLimit;
  return arguments.save.empty() ? kDefaultLimit : kNoLimit;
}

PlannedTarget too_slow(const PlanProgress& progress, Seconds limit) {
  PlannedTarget planned = progress.planned();
  planned.slow = fmt::format("{} after {:g} s", progress.activity(), limit.count());
  if (planned.not_saved.empty() && planned.outcome.shapes.empty()) planned.not_saved = planned.slow;
  return planned;
}

}  // namespace

PlannedTarget plan_in_time(const plan::Target& target, const plan::Run& run, const PlanArguments& arguments) {
  const Seconds limit = limit_of(arguments);
  const auto progress = std::make_shared<PlanProgress>(target);  // shared, as the thread may outlive this call
  print_remark(arguments.fit.talk, fmt::format("compiling for {}", target.name));
  std::packaged_task<void()> work(
      with_current_stop([&run, &arguments, progress] { plan_parts(run, arguments, *progress); }));
  std::future<void> done = work.get_future();
  std::thread thread(std::move(work));
  const Clock::time_point start = Clock::now();
  for (Seconds elapsed{0}; elapsed < limit; elapsed = Clock::now() - start) {
    if (done.wait_for(std::min(kBetweenMessages, limit - elapsed)) == std::future_status::ready) {
      thread.join();
      done.get();  // throws the thread's error
      return progress->planned();
    }
    print_remark(arguments.fit.talk, fmt::format("compiling for {}: {} after {:.0f} s", target.name,
                                                 progress->activity(), Seconds(Clock::now() - start).count()));
  }
  thread.detach();
  return too_slow(*progress, limit);
}

}  // namespace portatune::cli
