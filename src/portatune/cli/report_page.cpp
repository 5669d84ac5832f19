// portatune report: writes a page that shows runs side by side.
#include <fmt/format.h>

#include "portatune/cli/commands.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/report.h"
#include "portatune/cli/result_file.h"

namespace portatune::cli {

int report(const ReportArguments& a) {
  ResultFile file(a.output);
  file.write(report::page_of(a.runs));
  file.finish();
  if (a.output != "-") print_summary(fmt::format("{}\n", a.output.string()));
  return kOk;
}

}  // namespace portatune::cli
