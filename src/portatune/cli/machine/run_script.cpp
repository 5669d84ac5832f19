// portatune run: replaces this process by a Python script with the allocator of the command.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "portatune/base/environment.h"
#include "portatune/base/files/shipped_files.h"
#include "portatune/cli/commands.h"
#include "portatune/error.h"

extern char** environ;  // NOLINT: the name of POSIX

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAllocator = "libtcmalloc_minimal.so.4";
constexpr const char* kPythonVariable = "PORTATUNE_PYTHON";
constexpr const char* kPreloaded = "LD_PRELOAD";

// Exits with 3 if a script at sys.argv[1] cannot import the module.
constexpr const char* kCheck =
    "import importlib.util, os, sys\n"
    "sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[1]))\n"
    "sys.exit(3 if importlib.util.find_spec('portatune') is None else 0)\n";
constexpr int kNoModule = 3;

// The Python that the script of the wheel runs in, or the first one in PATH.
std::string python() { return environment_variable(kPythonVariable).value_or("python3"); }

NotFoundError no_python(const std::string& python) {
  return NotFoundError({.where = "run",
                        .given = "no program " + python,
                        .expected = "Python 3.11 or later",
                        .fix = fmt::format("install python3, or set {} to its path", kPythonVariable)});
}

std::vector<char*> argv_of(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

void require_module(const std::string& python, const std::string& script) {
  std::vector<std::string> words = {python, "-c", kCheck, script};
  pid_t child = 0;
  if (posix_spawnp(&child, python.c_str(), nullptr, nullptr, argv_of(words).data(), environ) != 0) {
    throw no_python(python);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != kNoModule) return;
  throw NotFoundError({.where = "run",
                       .given = python + " without the module portatune",
                       .expected = "a Python in which `import portatune` works",
                       .fix = "pip install the wheel of Portatune into it, or set PYTHONPATH: docs/python.md"});
}

fs::path allocator() {
  const std::vector<fs::path> places = shipped_places(kAllocator, "lib/portatune");
  const auto found = std::ranges::find_if(places, [](const fs::path& path) { return fs::exists(path); });
  if (found == places.end()) {
    throw NotFoundError({.where = "run",
                         .given = fmt::format("no {} beside the command", kAllocator),
                         .expected = "the command of the wheel, or of a build with libgoogle-perftools-dev",
                         .fix = "run the script by python3 itself, which gives the same results more slowly"});
  }
  if (found->string().find_first_of(" :") == std::string::npos) return *found;
  throw UsageError({.where = "run",
                    .given = found->string(),
                    .expected = fmt::format("a path that {} can hold, without blanks and colons", kPreloaded)});
}

void preload(const fs::path& library) {
  const char* others = std::getenv(kPreloaded);
  const std::string all = others == nullptr ? library.string() : library.string() + ":" + others;
  setenv(kPreloaded, all.c_str(), 1);
}

}  // namespace

int execute(const RunScriptArguments& a) {
  if (!fs::exists(a.script)) {
    throw NotFoundError({.where = "run", .given = "no file " + a.script.string(), .expected = "a Python script"});
  }
  std::vector<std::string> words = {python(), a.script};
  require_module(words.front(), a.script);
  preload(allocator());
  words.insert(words.end(), a.arguments.begin(), a.arguments.end());
  for (const int ignored : {SIGPIPE, SIGXFSZ}) std::signal(ignored, SIG_DFL);  // as a shell starts a program
  execvp(words.front().c_str(), argv_of(words).data());
  throw no_python(words.front());
}

}  // namespace portatune::cli
