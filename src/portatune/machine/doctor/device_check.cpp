#include "portatune/machine/doctor/device_check.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <sysexits.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/text/shell_word.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/error.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune::doctor {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kTimeoutS = 60;
constexpr int kTimedOut = 124;  // exit code of timeout(1)
constexpr int kSignal = 128;    // exit code of the shell for an end by a signal, without the signal's number

struct Output {
  int exit_code;  ///< 128 + n for an end by signal n
  std::string text;
};

// Runs a line of the shell.
Output output_of(const std::string& line) {
  Output output{.exit_code = EX_SOFTWARE, .text = {}};
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  while (const size_t bytes = fread(buffer, 1, sizeof buffer, pipe)) output.text.append(buffer, bytes);
  const int status = pclose(pipe);
  if (status != -1) output.exit_code = WIFSIGNALED(status) ? kSignal + WTERMSIG(status) : WEXITSTATUS(status);
  return output;
}

bool is_needed(const std::string& platform) {
  std::error_code none;
  return platform == "cpu" || (platform == "cuda" && fs::exists("/dev/nvidia0", none));
}

// The text of a line of an error of Portatune: that after "given" or "fix"; empty if there is none.
std::string line_called(const std::string& name, const std::string& error) {
  std::istringstream lines(error);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  " + name + " ")) return line.substr(line.find_first_not_of(' ', name.size() + 2));
  }
  return {};
}

std::string complaint(const Output& output) {
  // `timeout` ends with the second code if the program ignores SIGTERM.
  if (output.exit_code == kTimedOut || output.exit_code == kSignal + SIGKILL)
    return fmt::format("no answer within {} seconds", kTimeoutS);
  if (output.exit_code > kSignal) return fmt::format("the plugin crashed: signal {}", output.exit_code - kSignal);
  const std::string given = line_called("given", output.text);
  return without_secrets(given.empty() ? printable(output.text) : given);
}

// The line that is an object; null if there is none. A plugin, or the loader of libraries, may write other lines.
Json object_in(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (Json facts = Json::parse(line, nullptr, /*allow_exceptions=*/false); facts.is_object()) return facts;
  }
  return nullptr;
}

Json run_devices(const fs::path& command, const std::string& platform, std::vector<Problem>& problems) {
  const Output output = output_of(fmt::format("timeout --kill-after=5 {} {} devices --device {} --json 2>&1", kTimeoutS,
                                              shell_word(command), platform));
  if (output.exit_code == EX_OK) {
    if (Json facts = object_in(output.text); facts.is_object()) return facts;
  }
  const std::string error = complaint(output), fix = line_called("fix", output.text);
  if (is_needed(platform) || output.exit_code != EX_UNAVAILABLE) {
    problems.push_back({platform + ": " + error, fix.empty() ? "see portatune devices --device " + platform : fix});
  }
  return {{"error", error}};
}

}  // namespace

Json check_devices(const fs::path& command, const std::string& platform, std::vector<Problem>& problems) {
  try {
    pjrt::find_plugin(platform);
  } catch (const DeviceError& error) {
    const bool is_missing = error.report().given.starts_with("no such file");
    if (is_needed(platform) || !is_missing) {
      problems.push_back({fmt::format("{}: {}", error.report().where, error.report().given), error.report().fix});
    }
    return {{"error", is_missing ? "no plugin" : error.report().given}};
  }
  return run_devices(command, platform, problems);
}

}  // namespace portatune::doctor
