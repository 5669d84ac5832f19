// The cache of compiled programs on disk, so that each program is compiled once per machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/runtime/pjrt/client.h"
#include "portatune/runtime/pjrt/executable.h"

namespace portatune::pjrt {

struct CachedExecutable {
  LoadedExecutable executable;
  bool was_cached;    ///< true if it was loaded, false if it was compiled
  double seconds;     ///< time for loading or compiling
  std::string fault;  ///< reason why a compiled program could not be cached; empty if it was, or need not be
};

struct ExecutableCacheOptions {
  /// Folder of the cache; nothing: `executables` in the user's cache folder.
  std::optional<std::filesystem::path> folder = {};
  int64_t limit_bytes = int64_t{2} << 30;
  bool enabled = true;
  /// Version of code that programs call, such as our kernels. A change invalidates cached programs.
  std::string version = {};
};

/// A cache whose folder processes and machines may share. A user who can write to the folder can make Portatune run any
/// code; therefore it is not used if it belongs to another user except root, or if every user may write to it.
class ExecutableCache {
 public:
  explicit ExecutableCache(ExecutableCacheOptions options = {});

  /// Loads the program if it has been compiled before for the same plugin, devices and options; else compiles and
  /// caches it. A damaged or unusable file is replaced. A folder that cannot be written or is not trusted
  /// (why_untrusted) is a `fault`.
  /// errors    those of Client::compile
  CachedExecutable get_or_compile(const Client& client, std::string_view module_text,
                                  const CompileOptions& options = {}) const;

 private:
  ExecutableCacheOptions options_;
};

}  // namespace portatune::pjrt
