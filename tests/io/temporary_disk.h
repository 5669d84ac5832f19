// A small disk in memory for a test.
#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <string>

namespace portatune {

/// A file system mounted at an existing folder while this object lives, visible to this process and its child
/// processes. Mounting needs the rights of root, which some containers lack.
class TemporaryDisk {
 public:
  TemporaryDisk(std::filesystem::path folder, int bytes) : folder_(std::move(folder)) {
    mount_at("tmpfs", "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str());
  }
  /// Mounts an existing folder at a second path (bind mount).
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
    // Uses a mount namespace of this process, which ends with it.
    static const bool has_own_space =
        unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    is_mounted_ = has_own_space && mount(what, folder_.c_str(), kind, flags, options) == 0;
  }

  std::filesystem::path folder_;
  bool is_mounted_ = false;
};

/// Skips a test if its disk cannot be mounted.
#define PORTATUNE_REQUIRE_DISK(disk) \
  if (!(disk).is_mounted()) GTEST_SKIP() << "mounting a disk needs root and a container that allows it"

}  // namespace portatune
