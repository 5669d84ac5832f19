// portatune tokenize: writes ids and offsets for each row, in the order of the rows.
#include "portatune/run/tokenizer/tokenize.h"

#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/result_file.h"
#include "portatune/cli/terminal/terminal_events.h"

namespace portatune::cli {

int execute(const TokenizeArguments& a) {
  catch_signals();  // so that no incomplete file is left
  ResultFile file(a.output, a.input);
  TerminalEvents events(a.reporting);
  run::tokenize(a, events, [&file](std::string_view lines) { file.write(lines); });
  file.finish();
  return kOk;
}

}  // namespace portatune::cli
