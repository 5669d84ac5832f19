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

template <class Number>
Number value_at(const Json& saved, const char* name) {
  const auto found = saved.find(name);
  return found != saved.end() && found->is_number() ? found->get<Number>() : Number();
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

StepWindow::StepWindow(const Json& saved) {
  if (!saved.is_object() || !saved.contains(kLossSum)) return;
  const Json& loss = saved[kLossSum];  // null if it is not finite
  loss_sum_ = loss.is_number() ? loss.get<double>() : std::numeric_limits<double>::quiet_NaN();
  steps_ = value_at<int64_t>(saved, kSteps);
  tokens_.real = value_at<int64_t>(saved, kReal);
  tokens_.positions = value_at<int64_t>(saved, kPositions);
  time_.waited_s = value_at<double>(saved, kWaited);
  time_.elapsed_s = value_at<double>(saved, kElapsed);
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
