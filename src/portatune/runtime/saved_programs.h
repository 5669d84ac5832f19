// Programs that were compiled ahead of time, on this machine or another one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/io/file/atomic_directory.h"
#include "portatune/runtime/pjrt/client.h"
#include "portatune/runtime/pjrt/executable.h"

namespace portatune {

namespace pjrt {
class Plugin;
}

/// The properties on which compiled programs depend besides their text, in words.
struct ProgramOrigin {
  std::string platform;   ///< "cuda"
  std::string plugin;     ///< versions and size of the plugin
  std::string flags;      ///< flags of the plugin from the environment
  std::string kernels;    ///< version of the CPU's kernels, or "none"; empty for other devices, as are the next two
  std::string processor;  ///< hash of the properties of the processor that affect code
  std::string cores;      ///< number of cores of the process, among which compiled programs divide work
};
/// use_kernels  whether programs for a CPU call its kernels
ProgramOrigin origin_of(const pjrt::Plugin& plugin, const std::string& platform, bool use_kernels);

/// A new folder of programs, which appears with commit().
class ProgramWriter {
 public:
  /// errors  those of io::AtomicDirectory; UsageError if the folder has files other than saved programs
  explicit ProgramWriter(const std::filesystem::path& folder);

  void add(std::string_view module_text, const pjrt::Executable& executable);
  int64_t count() const { return count_; }
  /// target  description for users, "tpu:v5e-8"
  void commit(const ProgramOrigin& origin, const std::string& target);

 private:
  io::AtomicDirectory folder_;
  int64_t count_ = 0;
};

class SavedPrograms {
 public:
  /// here    properties on which programs of this device depend
  /// errors  NotFoundError if there is no such folder; UsageError if it is a file; CheckpointError if it has no saved
  ///         programs; DeviceError if its programs are for another device or plugin
  SavedPrograms(const std::filesystem::path& folder, const ProgramOrigin& here);

  /// Loads the program for a module; nothing if it was not saved.
  /// errors  CheckpointError if its file is damaged; pjrt::CallError if the plugin refuses it
  std::optional<pjrt::LoadedExecutable> load(const pjrt::Client& client, std::string_view module_text,
                                             const pjrt::CompileOptions& options) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace portatune
