// A small disk in memory for one test.
#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <string>

namespace portatune {

/// A file system mounted at an existing folder while this object lives, seen by this process and by those that it
/// starts. It needs the rights of root, which not every container gives.
class TemporaryDisk {
 public:
  TemporaryDisk(std::filesystem::path folder, int bytes) : folder_(std::move(folder)) {
    mount_at("tmpfs", "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str());
  }
  /// A second place for a folder that is there: a bind mount.
  TemporaryDisk(std::filesystem::path folder, const std::filesystem::path& bound) : folder_(std::move(folder)) {
    mount_at(bound.c_str(), nullptr, MS_BIND, nullptr);
  }
  ~TemporaryDisk() {
    if (is_mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  TemporaryDisk(const TemporaryDisk&) = delete;
  TemporaryDisk& operator=(const TemporaryDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }
  void resize(int bytes) const {
    mount(nullptr, folder_.c_str(), nullptr, MS_REMOUNT, ("size=" + std::to_string(bytes)).c_str());
  }

 private:
  void mount_at(const char* what, const char* kind, unsigned long flags, const char* options) {
    // In a name space of its own, which ends with the process.
    static const bool has_own_space =
        unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    is_mounted_ = has_own_space && mount(what, folder_.c_str(), kind, flags, options) == 0;
  }

  std::filesystem::path folder_;
  bool is_mounted_ = false;
};

/// Skips a test that cannot have its disk.
#define PORTATUNE_REQUIRE_DISK(disk) \
  if (!(disk).is_mounted()) GTEST_SKIP() << "mounting a disk needs root, and not in every container"

}  // namespace portatune
