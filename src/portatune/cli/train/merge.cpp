// portatune merge: writes the model of an adapter as a plain model folder.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/hub/adapters/merge_adapter.h"
#include "portatune/train/checkpoint/save_folder.h"

namespace portatune::cli {

int execute(const MergeArguments& a) {
  catch_signals();  // so that no incomplete folder is left
  const int64_t layers = hub::merge_adapter(a.model, a.output, {train::kSettingsFile});
  if (a.reporting.json) {
    print_result(line_of({{"model", a.output.string()}, {"merged_layers", layers}}));
    return kOk;
  }
  print_remark(a.reporting,
               fmt::format("the adapters of {} are merged: {}", counted(layers, "layer"), a.output.string()));
  return kOk;
}

}  // namespace portatune::cli
