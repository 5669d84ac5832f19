// portatune report: writes a page that shows runs side by side.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/result_file.h"
#include "portatune/run/output/output_error.h"

namespace portatune::cli {
namespace {

constexpr const char* kMark = "<meta name=\"generator\" content=\"portatune report\">";

// A page of another program, or of the user, is never replaced.
void require_own_page(const std::filesystem::path& file) {
  if (file == "-" || !std::filesystem::exists(file)) return;
  std::ifstream in(file);
  if (std::string(std::istreambuf_iterator(in), {}).find(kMark) != std::string::npos) return;
  throw run::OutputError({.where = "--output " + file.string(),
                          .given = "a file that portatune report has not written",
                          .expected = "a new file, or an earlier report",
                          .fix = "name another file: --output runs.html"});
}

}  // namespace

int execute(const ReportArguments& a) {
  const std::string page = report::page_of(a.runs);
  require_own_page(a.output);
  ResultFile file(a.output);
  file.write(page);
  file.finish();
  if (a.output != "-") print_summary(fmt::format("{}\n", a.output.string()));
  return kOk;
}

}  // namespace portatune::cli
