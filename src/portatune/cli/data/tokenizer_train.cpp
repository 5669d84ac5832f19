// portatune tokenizer train: learns the vocabulary of a tokenizer from rows of texts.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/terminal_events.h"

namespace portatune::cli {

int execute(const TokenizerTrainArguments& a) {
  catch_signals();  // so that no incomplete folder is left
  TerminalEvents events(a.reporting);
  const run::TrainedTokenizer trained = run::train_tokenizer(a, events);
  if (a.reporting.json) {
    print_result(
        line_of({{"tokenizer", a.output.string()}, {"vocab_size", trained.vocab_size}, {"rows", trained.rows}}));
    return kOk;
  }
  print_remark(a.reporting, fmt::format("a tokenizer of {} from {}: {}", counted(trained.vocab_size, "token"),
                                        counted(trained.rows, "row"), a.output.string()));
  return kOk;
}

}  // namespace portatune::cli
