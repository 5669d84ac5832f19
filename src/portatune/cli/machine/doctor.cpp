// portatune doctor: checks the machine and the installation, and writes an archive for bug reports.
#include <filesystem>

#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/machine/doctor/diagnosis.h"

namespace portatune::cli {

int execute(const DoctorArguments& a) {
  const doctor::Diagnosis diagnosis = doctor::diagnose(std::filesystem::read_symlink("/proc/self/exe"));
  if (!a.bundle.empty()) doctor::write_bundle(a.bundle, diagnosis);
  print_result(a.reporting.json ? doctor::json_of(diagnosis) : doctor::text_of(diagnosis));
  return diagnosis.is_usable ? kOk : kFailed;
}

}  // namespace portatune::cli
