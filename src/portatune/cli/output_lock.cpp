#include "portatune/cli/output_lock.h"

#include <unistd.h>

#include "portatune/cli/exit_code.h"
#include "portatune/cli/signals.h"

namespace portatune::cli {

OutputLock::OutputLock(const std::filesystem::path& folder)
    : folder_(folder), made_(std::filesystem::create_directories(folder)) {
  const std::filesystem::path path = folder_ / kLockFile;
  if (auto held = io::LockFile::try_hold(path)) {
    file_.emplace(std::move(*held));
    remove_at_second_signal(path);
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
  file_.reset();
  if (made_) rmdir(folder_.c_str());  // fails, as it should, if there is something in it
}

}  // namespace portatune::cli
