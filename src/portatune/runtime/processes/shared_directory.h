// A folder that several processes write together and that appears whole or not at all.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "portatune/io/file/atomic_directory.h"
#include "portatune/process_group.h"

namespace portatune {

/// An io::AtomicDirectory of process 0, into whose staging folder several processes write their own files. Process 0
/// puts the folder in place when all have written; if one has failed, the staging folder is removed, the target stays
/// as it was, and all get the error. All processes call the constructor and commit(); work in between is independent.
class SharedDirectory {
 public:
  /// The reaction to a writer that does not see the folder of process 0, because they share no file system.
  enum class Unseen {
    kIsAnError,
    kLeavesItToTheFirst  ///< only process 0 writes
  };
  /// processes  the process group, or null for a single process
  /// writers    number of processes that write, from process 0
  /// errors     those of AtomicDirectory; IoError if a writer does not see the folder and that is an error. All
  ///            processes throw: the error itself, or one that names the process in which it arose
  SharedDirectory(const std::filesystem::path& target, ProcessGroup* processes, int64_t writers,
                  Unseen unseen = Unseen::kIsAnError);

  const std::filesystem::path& staging() const { return staging_; }
  int64_t writers() const { return writers_; }
  /// Rank of this process; 0 without a process group.
  int64_t rank() const { return processes_ == nullptr ? 0 : processes_->rank(); }

  /// Runs `work` and keeps its error for commit(), so that this process can take part in exchanges until then. Does
  /// nothing after an earlier error.
  void attempt(const std::function<void()>& work);

  /// The texts of all processes, by rank. All processes call it, even after an error.
  std::vector<std::string> texts_of_all(const std::string& text) const;

  /// Puts the folder in place when all processes have called it.
  /// check   last work of process 0 in the staging folder, after all have written; may be empty
  /// keep    see AtomicDirectory::commit
  /// errors  the first one of attempt() in this process, else that of another process, as require_no_failure() reports
  ///         it; likewise those of `check` and of AtomicDirectory::commit
  void commit(const std::function<void()>& check = {}, const io::EntryTest& keep = {});

 private:
  void agree();

  ProcessGroup* const processes_;
  int64_t writers_;
  std::optional<io::AtomicDirectory> directory_;  // present in process 0
  std::filesystem::path staging_;
  std::exception_ptr error_;  // error of this process
};

}  // namespace portatune
