// portatune parity: compares a model with the results of transformers for it; compare_runs.cpp has the other half.
#include "portatune/analysis/parity/parity.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/cli/commands.h"
#include "portatune/cli/options/commands/process_options.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

using parity::Comparison;
using parity::ParityResult;

std::string table_of(const ParityResult& result) {
  std::string text = fmt::format("{:<15}{:<56}{:<18}{:>10}{:>10}{:>10}  {}\n", "", "tensor", "shape", "abs error",
                                 "rel error", "allowed", "verdict");
  for (const Comparison& c : result.comparisons) {
    const std::string verdict = c.passed ? "ok" : fmt::format("FAILED, {} elements", c.strays);
    text += fmt::format("{:<15}{:<56}{:<18}{:>10.1e}{:>10.1e}{:>10.1e}  {}\n", c.kind, c.tensor, to_string(c.shape),
                        c.max_abs_error, c.max_rel_error, c.allowed, verdict);
  }
  const auto failed = std::ranges::count(result.comparisons, false, &Comparison::passed);
  return text + (failed == 0 ? fmt::format("all {} tensors agree\n", result.comparisons.size())
                             : fmt::format("{} of {} tensors disagree\n", failed, result.comparisons.size()));
}

// A case has a model and a batch, which one device computes.
bool is_of_a_case(const std::string& option) {
  const bool is_of_training = option == "--mesh" || option == "--compiled";
  return option == "--case" || option == "--dump" || option == "--dtype" || is_of_report(option) ||
         (is_of_device(option) && !is_of_training);
}

void require_options_of_a_case(const std::vector<run::GivenOption>& given) {
  for (const run::GivenOption& option : given) {
    if (is_of_a_case(option.name)) continue;
    throw UsageError({.where = option.place,
                      .given = option.name + " with --case",
                      .expected = "no option of a training run, as a case has all that is compared"});
  }
}

int compare_with_case(const ParityArguments& a) {
  require_options_of_a_case(a.fit.model.given);
  if (!a.dump.empty()) parity::require_place_of_dump(a.dump);
  const parity::ReferenceCase reference(a.reference);
  const Device device(a.fit.device);
  const ParityResult result = check_parity(device, reference, a.fit.training.dtype);
  if (!a.dump.empty()) dump(result, a.dump);
  print_result(a.fit.reporting.json ? json_of(result, reference, a.fit.training.dtype) : table_of(result));
  return result.passed() ? kOk : kFailed;
}

}  // namespace

int execute(const ParityArguments& a) { return a.reference.empty() ? compare_runs(a) : compare_with_case(a); }

}  // namespace portatune::cli
