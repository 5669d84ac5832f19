// Does what `portatune fit --overwrite-output` does:  run_fit MODEL TRAIN VALIDATION OUTPUT
// The tables have the columns "text" and "label".
#include <cstdio>

#include "portatune/portatune.h"

using namespace portatune;

// Observes the run; by default nothing is reported.
struct PrintWarnings final : run::Events {
  void warning(const std::string& text) override { std::fprintf(stderr, "warning: %s\n", text.c_str()); }
};

int main(int argc, char** argv) try {
  if (argc != 5) throw UsageError({.where = "run_fit", .expected = "run_fit MODEL TRAIN VALIDATION OUTPUT"});
  run::RunOptions options;
  options.model.folder = argv[1];
  options.train = {argv[2]};
  options.validation = {argv[3]};
  options.output = argv[4];
  options.overwrite_output = true;

  PrintWarnings events;
  const std::optional<run::Outcome> outcome = run::fit(options, events);
  for (const auto& [name, value] : outcome->after.value()) std::printf("%s %.4f\n", name.c_str(), value);
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
