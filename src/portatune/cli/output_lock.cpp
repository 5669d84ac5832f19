#include "portatune/cli/output_lock.h"

#include <unistd.h>

#include "portatune/cli/exit_code.h"
#include "portatune/cli/report.h"
#include "portatune/cli/signals.h"

namespace portatune::cli {

OutputLock::OutputLock(const std::filesystem::path& folder, const Talk& talk)
    : folder_(folder), talk_(talk), made_(std::filesystem::create_directories(folder)) {
  const std::filesystem::path path = folder_ / kLockFile;
  if (auto held = io::LockFile::try_hold(path)) {
    file_.emplace(std::move(*held));
    remove_at_second_signal(path);
    if (file_->is_effective()) return;
    say(talk_, "warning: the file system of " + folder_.string() +
                   " has no locks: make sure that no other run writes to this folder");
    return;
  }
  const std::string holder = io::LockFile::holder(path);
  throw OutputError({.where = "--output " + folder_.string(),
                     .given = "a folder to which another run writes" + (holder.empty() ? "" : ", process " + holder),
                     .expected = "one run at a time",
                     .fix = "wait for that run, end it, or choose another folder"});
}

OutputLock::~OutputLock() {
  remove_at_second_signal({});
  if (file_ && !file_->remove()) {
    say(talk_, "warning: " + (folder_ / kLockFile).string() + " cannot be removed; it is no part of the model");
  }
  file_.reset();
  if (made_) rmdir(folder_.c_str());  // fails, as it should, if there is something in it
}

}  // namespace portatune::cli
