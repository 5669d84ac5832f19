// Runs the real command and looks at what it says and leaves behind.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/temporary_folder.h"

namespace portatune::cli {

using Words = std::vector<std::string>;

/// The way in which several processes are started together.
enum class By {
  kMpirun,
  kEnvironment  ///< RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT
};

/// Under which conditions the command runs.
struct Conditions {
  std::optional<int64_t> largest_file_bytes;  ///< RLIMIT_FSIZE
  bool as_nobody = false;                     ///< gives up the rights of root, if it has them
  bool obeys_permissions = false;             ///< gives up root's right to write where permissions forbid it
  std::string stdout_to;                      ///< a file; empty: kept for Finished::out
  std::string stderr_to = {};                 ///< a file; empty: kept for Finished::err
  std::optional<int64_t> largest_address_space_bytes = {};  ///< RLIMIT_AS
  std::optional<int64_t> most_threads = {};                 ///< RLIMIT_NPROC, which root does not have
  bool without_file_locks = false;                          ///< flock() fails, as on some file systems
  std::filesystem::path control_group = {};                 ///< a folder below /sys/fs/cgroup; empty: that of the test
  int processes = 0;                                        ///< that are started together; 0: one, by itself
  By by = By::kMpirun;
  Words last = {};  ///< the words of the last process; empty: those of all
};

struct Finished {
  int exit_code;  ///< as in a shell: 128 + n for an end by signal n; of several processes, that of the first to end
  std::string out, err;
  std::vector<int> exit_codes = {};  ///< of processes by kEnvironment, by rank
};

/// A running command. Its cache of compiled programs is one folder for all tests. The stderr of one process is a pipe
/// of one page: between calls, a run is at most about 70 lines ahead of what was read, however slow the test is. While
/// makes(), writes() and wait() wait, they read all.
class Program {
 public:
  explicit Program(const Words& words, const Conditions& conditions = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Waits until stderr contains `text`; false if the command ends first.
  bool says(const std::string& text);
  /// Waits until something in `folder` has a name that begins so; false if the command ends first.
  bool makes(const std::filesystem::path& folder, const std::string& beginning);
  /// Waits until a file contains a text. Returns false if the program ends before.
  bool writes(const std::filesystem::path& file, const std::string& text);
  void signal(int number) const;
  pid_t pid() const { return pid_; }
  /// The processes that were started together, by rank.
  std::vector<pid_t> processes() const;
  Finished wait();

 private:
  bool has_ended();
  // Returns whether the command has ended. Before, it reads all of stderr, so that the command can continue.
  bool has_ended_after_reading();
  // Adds a part of stderr to err_; returns false if there is no more at present. A file is read as a whole.
  bool read_part();

  TemporaryFolder folder_;  // of stdout, and of stderr that is a file
  int err_pipe_ = -1;
  std::string err_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

Finished portatune(const Words& words, const Conditions& conditions = {});

/// The pasted line `portatune ...` of a message, run by a shell.
Finished portatune_by_shell(const std::string& line);

/// The command for resuming in a message; empty if there is none.
std::string pasted_command(const std::string& err);

std::string read(const std::filesystem::path& file);
/// The bytes of the weights of a model folder.
std::string weights_in(const std::string& folder);
void write(const std::filesystem::path& file, const std::string& text);
/// Without the line ends that keep the lines of a report short.
std::string unwrapped(std::string text);
/// The objects of JSON Lines.
std::vector<nlohmann::json> json_lines(const std::string& text);
/// The output of `evaluate --json` without the times.
nlohmann::json scores_in(const std::string& text);
/// Names in a folder, sorted; those of a folder that is not there are none.
std::vector<std::string> names_in(const std::filesystem::path& folder);
/// The same without the records of a run: metrics.jsonl and so on.
std::vector<std::string> names_without_records(const std::filesystem::path& folder);

}  // namespace portatune::cli
