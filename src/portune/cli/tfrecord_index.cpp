// portune tfrecord index: indexes of TFRecord files that have none.
#include <fmt/format.h>

#include "portune/base/stop.h"
#include "portune/cli/commands.h"
#include "portune/cli/exit_code.h"
#include "portune/cli/report.h"
#include "portune/cli/signals.h"
#include "portune/sources.h"
#include "portune/tfrecord.h"

namespace portune::cli {

int tfrecord_index(const TfrecordIndexArguments& a) {
  catch_signals();
  for (const std::string& file : data::table_files(a.files)) {
    stop_if_requested();
    const int64_t records = data::index_tfrecord(file);
    say(a.talk, fmt::format("{}: {} records", file, records));
  }
  return kOk;
}

}  // namespace portune::cli
