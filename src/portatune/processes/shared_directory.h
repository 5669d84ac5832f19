// A folder that several processes write together, and that appears whole or not at all.
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

/// An io::AtomicDirectory of process 0, into whose staging folder it and others write files of their own. Process 0
/// puts it in place when all have written theirs; if one has failed, the folder is removed, the place stays as it was,
/// and all get the error. All call the constructor and commit(); what lies between them each does by itself.
class SharedDirectory {
 public:
  /// processes  null: this one is alone
  /// writers    so many processes write, from process 0 on
  /// unseen     what if one of them does not see the folder that process 0 has made, as they share no file system
  /// errors     as those of AtomicDirectory; IoError for such a one. In all processes: the error, or one that names the
  ///            process in which it arose
  enum class Unseen { kIsAnError, kLeavesItToTheFirst };
  SharedDirectory(const std::filesystem::path& target, ProcessGroup* processes, int64_t writers,
                  Unseen unseen = Unseen::kIsAnError);

  const std::filesystem::path& staging() const { return staging_; }
  int64_t writers() const { return writers_; }
  /// 0 if this process is alone.
  int64_t rank() const { return processes_ == nullptr ? 0 : processes_->rank(); }

  /// Does something of which commit() tells the error, so that this process may still take part in exchanges until
  /// then. Does nothing once something has failed here.
  void attempt(const std::function<void()>& work);

  /// A text of each process, by rank. All call it, also those in which something has failed.
  std::vector<std::string> texts_of_all(const std::string& text) const;

  /// check   what process 0 still does in the staging folder when all have written; may be empty
  /// keep    as AtomicDirectory::commit
  /// errors  the first one of attempt() in this process, else that of another one as require_no_failure() has it.
  ///         Likewise those of `check` and of AtomicDirectory::commit
  void commit(const std::function<void()>& check = {}, const io::EntryTest& keep = {});

 private:
  void agree();

  ProcessGroup* const processes_;
  int64_t writers_;
  std::optional<io::AtomicDirectory> directory_;  // of process 0
  std::filesystem::path staging_;
  std::exception_ptr error_;  // of this process
};

}  // namespace portatune
