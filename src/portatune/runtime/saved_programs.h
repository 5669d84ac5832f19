// Programs that have been compiled before they are needed, on this machine or on another one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/io/file/atomic_directory.h"
#include "portatune/pjrt/client.h"
#include "portatune/pjrt/executable.h"

namespace portatune {

namespace pjrt {
class Plugin;
}

/// What compiled programs depend on besides their text, in words.
struct ProgramOrigin {
  std::string platform;   ///< "cuda"
  std::string plugin;     ///< its versions and size
  std::string flags;      ///< that the environment gives the plugin
  std::string kernels;    ///< of the CPU, or "none"; for other devices empty, as what follows
  std::string processor;  ///< a hash that differs where code for it could
  std::string cores;      ///< that the process may use, as the work is split when a program is compiled
};
/// use_kernels  whether programs for a CPU call its kernels
ProgramOrigin origin_of(const pjrt::Plugin& plugin, const std::string& platform, bool use_kernels);

/// A folder of programs in the making, which appears with commit().
class ProgramWriter {
 public:
  /// errors  as io::AtomicDirectory; UsageError if there is something else than saved programs, which would be lost
  explicit ProgramWriter(const std::filesystem::path& folder);

  void add(std::string_view module_text, const pjrt::Executable& executable);
  int64_t count() const { return count_; }
  /// target  "tpu:v5e-8", for people
  void commit(const ProgramOrigin& origin, const std::string& target);

 private:
  io::AtomicDirectory folder_;
  int64_t count_ = 0;
};

class SavedPrograms {
 public:
  /// here    what programs of this device depend on
  /// errors  NotFoundError if there is no such folder; UsageError if it is a file; CheckpointError if it is of something else; DeviceError if its
  ///         programs are for another device, or by another plugin
  SavedPrograms(const std::filesystem::path& folder, const ProgramOrigin& here);

  /// Nothing if it is not there.
  /// errors  CheckpointError if its file is damaged; pjrt::CallError if the plugin does not take it
  std::optional<pjrt::LoadedExecutable> load(const pjrt::Client& client, std::string_view module_text,
                                             const pjrt::CompileOptions& options) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace portatune
