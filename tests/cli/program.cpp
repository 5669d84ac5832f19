#include "cli/program.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "cli/toy.h"
#include "io/forbid_call.h"
#include "runtime/processes/free_port.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kTimeout = std::chrono::minutes(10);  // machines under load take minutes for what takes seconds alone
constexpr uid_t kNobody = 65534;
// All commands have one cache, unless a test sets another.
[[maybe_unused]] const int kCacheIsSet = setenv("XDG_CACHE_HOME", PORTATUNE_TEST_CACHE, 1);

void redirect(int number, const std::string& file) { dup2(open(file.c_str(), O_WRONLY | O_CREAT, 0600), number); }

// A pipe of one page, which holds about 70 lines of a report.
std::array<int, 2> small_pipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  fcntl(ends[0], F_SETPIPE_SZ, 4096);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ends;
}

void limit(decltype(RLIMIT_AS) resource, const std::optional<int64_t>& most) {
  if (!most) return;
  const auto number = static_cast<rlim_t>(*most);
  const rlimit both{number, number};
  setrlimit(resource, &both);
}

void apply(const Conditions& conditions) {
  limit(RLIMIT_FSIZE, conditions.largest_file_bytes);
  limit(RLIMIT_AS, conditions.largest_address_space_bytes);
  limit(RLIMIT_NPROC, conditions.most_threads);
  if (!conditions.control_group.empty()) std::ofstream(conditions.control_group / "cgroup.procs") << getpid();
  // Of root alone; who is not root has nothing to give up.
  if (conditions.obeys_permissions) prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
  if (conditions.as_nobody && geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(99);
  if (conditions.without_file_locks) forbid_call(SYS_flock, ENOLCK);
}

[[noreturn]] void become(const Words& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(98);
}

template <class Condition>
bool wait_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

Words command(const Words& words) { return Words{PORTATUNE_COMMAND} + words; }

// Whether the compiler of another device than the CPU runs. It does not know all flags of PORTATUNE_FAST_XLA.
bool is_for_absent_device(const Words& words) {
  const auto on = std::ranges::find(words, "--on");
  return on != words.end() && words.end() - on > 1 && on[1] != "cpu";
}

// More processes than cores, and as root, as in a container.
Words mpirun(const Words& words, const Conditions& conditions) {
  const Words start = {"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"};
  const auto part = [](int processes, const Words& of_each) {
    return Words{"-n", std::to_string(processes)} + command(of_each);
  };
  if (conditions.last.empty()) return start + part(conditions.processes, words);
  return start + part(conditions.processes - 1, words) + Words{":"} + part(1, conditions.last);
}

constexpr const char* kExitCodes = "exit_codes";
constexpr size_t kMaxProcesses = 8;
volatile pid_t started[kMaxProcesses] = {};

// Starts the processes as a scheduler would, and passes signals on. Ends with the first exit code that is not 0; writes
// all of them to a file.
[[noreturn]] void launch(const Words& words, const Conditions& conditions, const std::string& codes_to) {
  if (static_cast<size_t>(conditions.processes) > kMaxProcesses) _exit(97);
  const std::string port = std::to_string(test::free_port());
  for (int rank = 0; rank < conditions.processes; ++rank) {
    started[rank] = fork();
    if (started[rank] != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("RANK", std::to_string(rank).c_str(), 1);
    setenv("WORLD_SIZE", std::to_string(conditions.processes).c_str(), 1);
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    setenv("MASTER_PORT", port.c_str(), 1);
    const bool is_last = rank + 1 == conditions.processes;
    become(command(is_last && !conditions.last.empty() ? conditions.last : words));
  }
  const auto pass_on = [](int number) {
    for (const pid_t process : started) {
      if (process > 0) kill(process, number);
    }
  };
  std::signal(SIGTERM, pass_on);
  std::signal(SIGUSR1, pass_on);
  int first = 0;
  int codes[kMaxProcesses] = {};
  for (int ended = 0; ended < conditions.processes;) {
    int status = 0;
    const pid_t process = wait(&status);
    if (process <= 0) continue;
    ++ended;
    codes[std::ranges::find(started, process) - started] = exit_code_of(status);
    if (first == 0) first = exit_code_of(status);
  }
  std::string all;
  for (int rank = 0; rank < conditions.processes; ++rank) all += std::to_string(codes[rank]) + "\n";
  write(codes_to, all);
  _exit(first);
}

}  // namespace

Program::Program(const Words& words, const Conditions& conditions) {
  const std::string out = conditions.stdout_to.empty() ? (folder_.path() / "out").string() : conditions.stdout_to;
  const std::string err = conditions.stderr_to.empty() ? (folder_.path() / "err").string() : conditions.stderr_to;
  const bool has_pipe = conditions.processes == 0 && conditions.stderr_to.empty();
  const std::array<int, 2> ends = has_pipe ? small_pipe() : std::array{-1, -1};
  pid_ = fork();
  if (pid_ == 0) {
    redirect(STDOUT_FILENO, out);
    if (has_pipe) {
      dup2(ends[1], STDERR_FILENO);
    } else {
      redirect(STDERR_FILENO, err);
    }
    apply(conditions);
    if (is_for_absent_device(words)) unsetenv("XLA_FLAGS");
    if (conditions.processes == 0) become(command(words));
    if (conditions.by == By::kEnvironment) launch(words, conditions, folder_.path() / kExitCodes);
    become(mpirun(words, conditions));
  }
  if (has_pipe) close(ends[1]);
  err_pipe_ = ends[0];
  if (pid_ < 0) throw std::runtime_error("fork failed");
}

Program::~Program() {
  if (!has_ended()) {
    kill(pid_, SIGKILL);
    wait();
  }
  if (err_pipe_ >= 0) close(err_pipe_);
}

bool Program::read_part() {
  if (err_pipe_ < 0) {
    err_ = read(folder_.path() / "err");
    return false;
  }
  char part[80];
  const ssize_t bytes = ::read(err_pipe_, part, sizeof part);
  if (bytes > 0) err_.append(part, static_cast<size_t>(bytes));
  return bytes > 0;
}

bool Program::has_ended_after_reading() {
  if (has_ended()) return true;
  while (err_pipe_ >= 0 && read_part()) continue;
  return false;
}

bool Program::says(const std::string& text) {
  const auto has_text = [&] { return err_.find(text) != std::string::npos; };
  const auto said = [&] {
    while (!has_text() && read_part()) continue;
    return has_text();
  };
  return wait_until([&] { return said() || has_ended(); }) && said();
}

bool Program::makes(const fs::path& folder, const std::string& beginning) {
  const auto made = [&] {
    return std::ranges::any_of(names_in(folder), [&](const std::string& name) { return name.starts_with(beginning); });
  };
  return wait_until([&] { return made() || has_ended_after_reading(); }) && !has_ended();
}

bool Program::writes(const fs::path& file, const std::string& text) {
  const auto has_text = [&] { return fs::exists(file) && read(file).find(text) != std::string::npos; };
  return wait_until([&] { return has_text() || has_ended_after_reading(); }) && !has_ended();
}

std::vector<pid_t> Program::processes() const {
  const std::string launcher = std::to_string(pid_);
  std::istringstream children(read("/proc/" + launcher + "/task/" + launcher + "/children"));
  std::vector<pid_t> found{std::istream_iterator<pid_t>(children), {}};
  std::ranges::sort(found);
  return found;
}

void Program::signal(int number) const { kill(pid_, number); }

bool Program::has_ended() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_.has_value();
}

Finished Program::wait() {
  const bool ends = wait_until([&] { return has_ended_after_reading(); });
  while (read_part()) continue;
  if (!ends) {
    kill(pid_, SIGKILL);
    throw std::runtime_error("the command does not end; it said: " + err_);
  }
  std::istringstream codes(read(folder_.path() / kExitCodes));
  return {exit_code_of(*status_), read(folder_.path() / "out"), err_, {std::istream_iterator<int>(codes), {}}};
}

Finished portatune(const Words& words, const Conditions& conditions) { return Program(words, conditions).wait(); }

Finished portatune_by_shell(const std::string& line) {
  const TemporaryFolder folder;
  const std::string err = folder.path() / "err";
  const std::string path = "PATH=" + fs::path(PORTATUNE_COMMAND).parent_path().string() + ":$PATH ";
  const int status = std::system((path + line + " >/dev/null 2>" + err).c_str());
  return {exit_code_of(status), "", read(err), {}};
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::string weights_in(const std::string& folder) { return read(folder + "/model.safetensors"); }

std::string pasted_command(const std::string& err) {
  const size_t begin = err.find("portatune fit ");
  return begin == std::string::npos ? "" : err.substr(begin, err.find('\n', begin) - begin);
}

std::string unwrapped(std::string text) {
  constexpr std::string_view kBreak = "\n        ";
  for (size_t at = 0; (at = text.find(kBreak, at)) != std::string::npos;) text.replace(at, kBreak.size(), " ");
  return text;
}

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> objects;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

nlohmann::json scores_in(const std::string& text) {
  nlohmann::json scores = nlohmann::json::parse(text);
  for (const char* key : {"examples", "seconds", "examples_per_second"}) scores.erase(key);
  return scores;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> names_without_records(const fs::path& folder) {
  const Words records = {"README.md", "evaluations.jsonl",  "metrics.jsonl",     "report.html", "report.json",
                         "runs",      "trainer_state.json", "training_args.json"};
  std::vector<std::string> names = names_in(folder);
  std::erase_if(names, [&](const std::string& name) { return std::ranges::find(records, name) != records.end(); });
  return names;
}

}  // namespace portatune::cli
