#include "portatune/run/records/step_window.h"

#include <limits>
#include <string>

namespace portatune::run {
namespace {

constexpr const char* kSteps = "steps";
constexpr const char* kLossSum = "loss_sum";
constexpr const char* kReal = "tokens";
constexpr const char* kPositions = "positions";
constexpr const char* kWaited = "waited_seconds";
constexpr const char* kElapsed = "elapsed_seconds";

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

StepWindow::StepWindow(const Json& saved) {
  if (!saved.is_object() || !saved.contains(kLossSum)) return;
  const Json& loss = saved[kLossSum];  // null if it is not finite
  loss_sum_ = loss.is_number() ? loss.get<double>() : std::numeric_limits<double>::quiet_NaN();
  steps_ = saved.value(kSteps, int64_t{0});
  tokens_.real = saved.value(kReal, int64_t{0});
  tokens_.positions = saved.value(kPositions, int64_t{0});
  time_.waited_s = saved.value(kWaited, 0.0);
  time_.elapsed_s = saved.value(kElapsed, 0.0);
}

void StepWindow::add(const StepResult& result, const InputWait& wait) {
  ++steps_;
  loss_sum_ += result.loss();
  tokens_.unit = result.tokens().unit;
  tokens_.real += result.tokens().real;
  tokens_.positions += result.tokens().positions;
  time_.waited_s += wait.waited_s - last_.waited_s;
  time_.elapsed_s += wait.elapsed_s - last_.elapsed_s;
  last_ = wait;
}

void StepWindow::clear() {
  const InputWait last = last_;
  *this = StepWindow();
  last_ = last;
}

void StepWindow::describe_input(Json& line) const {
  const auto real = static_cast<double>(tokens_.real), positions = static_cast<double>(tokens_.positions);
  line[std::string(tokens_.unit) + "_per_second"] = number(real / time_.elapsed_s);
  line["padding_share"] = number(share(positions - real, positions));
  line["waiting_share"] = number(time_.share());
}

Json StepWindow::saved() const {
  return {{kSteps, steps_},          {kLossSum, loss_sum_},      {kReal, tokens_.real}, {kPositions, tokens_.positions},
          {kWaited, time_.waited_s}, {kElapsed, time_.elapsed_s}};
}

}  // namespace portatune::run
