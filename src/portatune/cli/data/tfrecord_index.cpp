// portatune tfrecord index: writes the missing indexes of TFRecord files.
#include <fmt/format.h>

#include "portatune/base/text/message.h"
#include "portatune/base/threads/stop.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/sources.h"

namespace portatune::cli {

int execute(const TfrecordIndexArguments& a) {
  catch_signals();
  for (const std::string& file : data::table_files(a.files)) {
    stop_if_requested();
    const int64_t records = data::index_tfrecord(file);
    print_remark(a.reporting, fmt::format("{}: {}", file, counted(records, "record")));
  }
  return kOk;
}

}  // namespace portatune::cli
