#include "portatune/run/output/output_lock.h"

#include <unistd.h>

#include <vector>

#include "portatune/base/files/output_file.h"
#include "portatune/run/output/output_error.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

// Creates a folder and its parents. Their names survive a power cut, and with them the files that are saved there.
// Returns whether the folder was missing.
bool make_folders(const fs::path& folder) {
  std::vector<fs::path> missing;
  for (fs::path path = fs::absolute(folder).lexically_normal(); !fs::exists(path); path = path.parent_path()) {
    missing.push_back(path);
  }
  const bool made = fs::create_directories(folder);
  for (const fs::path& path : missing) sync_folder(path.parent_path());
  return made;
}

}  // namespace

OutputLock::OutputLock(const std::filesystem::path& folder, Events& events)
    : folder_(folder), events_(events), made_(make_folders(folder)) {
  const std::filesystem::path path = folder_ / kLockFile;
  if (auto held = io::LockFile::try_hold(path)) {
    file_.emplace(std::move(*held));
    events_.lock_file(path);
    if (file_->is_effective()) return;
    events_.warning("the file system of " + folder_.string() +
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
  events_.lock_file({});
  if (file_ && !file_->remove()) {
    events_.warning((folder_ / kLockFile).string() + " cannot be removed; it is no part of the model");
  }
  file_.reset();
  if (made_) rmdir(folder_.c_str());  // fails, as it should, if the folder has entries
}

}  // namespace portatune::run
