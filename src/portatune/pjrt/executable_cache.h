// Compiled programs kept on disk, so that a program is compiled once on a machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/pjrt/client.h"
#include "portatune/pjrt/executable.h"

namespace portatune::pjrt {

struct CachedExecutable {
  LoadedExecutable executable;
  bool was_cached;    ///< loaded rather than compiled
  double seconds;     ///< that it took
  std::string fault;  ///< why what was compiled could not be kept; empty if it is, or should not be
};

struct ExecutableCacheOptions {
  /// Nothing: `executables` in the user's cache folder.
  std::optional<std::filesystem::path> folder = {};
  int64_t limit_bytes = int64_t{2} << 30;
  bool enabled = true;
  /// Of code that programs call, such as own kernels: a change of it invalidates what has been kept.
  std::string version = {};
};

/// The folder may be shared by processes and by machines. Whoever can write to it can make Portatune run any code: one
/// of another user than this one and root, or that every user may write to, is not used.
class ExecutableCache {
 public:
  explicit ExecutableCache(ExecutableCacheOptions options = {});

  /// Loads the program if it has been compiled before, for the same plugin, devices and options; else compiles and
  /// keeps it. A damaged or unusable file counts as none and is replaced. A folder that cannot be written, or is not
  /// trusted (why_untrusted), is a `fault`.
  /// errors    as Client::compile
  CachedExecutable get_or_compile(const Client& client, std::string_view module_text,
                                  const CompileOptions& options = {}) const;

 private:
  ExecutableCacheOptions options_;
};

}  // namespace portatune::pjrt
