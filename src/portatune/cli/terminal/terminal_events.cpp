#include "portatune/cli/terminal/terminal_events.h"

#include <fmt/format.h>

#include "portatune/base/text/number.h"
#include "portatune/base/text/shell_word.h"
#include "portatune/cli/terminal/opening_report.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/training_log.h"

namespace portatune::cli {

void TerminalEvents::notice(const std::string& text) { print_remark(reporting_, text); }
void TerminalEvents::warning(const std::string& text) { print_remark(reporting_, "warning: " + text); }
void TerminalEvents::alert(const std::string& text) { print_message(fmt::format("portatune: {}\n", text)); }

std::unique_ptr<run::RowProgress> TerminalEvents::progress(const std::string& activity, const std::string& unit) {
  return std::make_unique<RowBar>(reporting_, activity, unit);
}

void TrainingEvents::opening(const run::Opening& opening) {
  if (reporting_.quiet) return;
  for (const std::string& line : opening_report(opening)) print_message_line(line);
}

void TrainingEvents::scores_before(const Scores& scores) { notice("before: " + describe(scores)); }

void TrainingEvents::scores_beside_others(const std::string& name, int64_t step, const Scores& scores) {
  notice(fmt::format("{}: {} after step {}", name, describe(scores), grouped(step)));
}

void TrainingEvents::rescued(const std::filesystem::path& model, const std::filesystem::path& output) {
  print_message(
      fmt::format("portatune: the model is not saved in {}; it is in {}, without a checkpoint\n"
                  "  put it in place with  mkdir -p {} && cp -r {}/. {}\n",
                  output.string(), model.string(), shell_word(output), shell_word(model), shell_word(output)));
}

std::unique_ptr<run::TrainingObserver> TrainingEvents::training(const FitOptions& length,
                                                                run::RowProgress& evaluation) {
  return std::make_unique<TrainingLog>(reporting_, length, evaluation);
}

}  // namespace portatune::cli
