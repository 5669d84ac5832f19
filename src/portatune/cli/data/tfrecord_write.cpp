// portatune tfrecord write: writes rows of tables, images or recordings to TFRecord files.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/options/bad_rows.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"

namespace portatune::cli {
namespace {

std::string json_of(const run::WrittenRecords& written) {
  nlohmann::ordered_json object = {{"records", written.records}, {"files", written.files}};
  if (written.skipped_rows) object["skipped_rows"] = *written.skipped_rows;
  return line_of(object);
}

}  // namespace

int execute(const TfrecordWriteArguments& a) {
  catch_signals();  // so that no incomplete file is left
  const run::WrittenRecords written = run::write_tfrecord(a);
  print_remark(a.reporting,
               fmt::format("{} in {}", counted(written.records, "record"), counted(std::ssize(written.files), "file")));
  if (a.bad_rows) print_remark(a.reporting, skipped_text(*a.bad_rows));
  if (a.reporting.json) print_result(json_of(written));
  return kOk;
}

}  // namespace portatune::cli
