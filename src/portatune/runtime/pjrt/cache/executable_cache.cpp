#include "portatune/runtime/pjrt/cache/executable_cache.h"

#include <utility>

#include "portatune/base/files/shipped_files.h"
#include "portatune/base/threads/clock.h"
#include "portatune/error.h"
#include "portatune/runtime/pjrt/cache/cache_file.h"
#include "portatune/runtime/pjrt/cache/cache_key.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune::pjrt {
namespace {

std::optional<LoadedExecutable> try_load(const Client& client, const std::filesystem::path& file,
                                         const KeyedProgram& program) {
  const std::optional<std::string> serialized = read_cache_file(file);
  if (!serialized) return {};
  try {
    return client.load(*serialized, program.module_text, program.options);
  } catch (const DeviceError&) {
    return {};  // the plugin refuses it; compiling is always possible
  }
}

// Caches a program; returns the reason if this failed, or an empty text.
std::string keep(const LoadedExecutable& executable, const std::filesystem::path& file, int64_t limit_bytes) {
  try {
    write_cache_file(file, executable.executable().serialize());
    trim_cache_folder(file.parent_path(), limit_bytes);
    return {};
  } catch (const Error& error) {
    return error.report().where + ": " + error.report().given;
  }
}

// The reason why the folder cannot be used; empty if it can.
std::string fault_of(const ExecutableCacheOptions& options) {
  if (!options.enabled) return {};
  if (!options.folder) return "no home folder for a cache";
  const std::string why = why_untrusted(*options.folder);
  if (why.empty()) return {};
  return why + ", so that another user could have put code there; to use it: " + command_to_trust(*options.folder);
}

}  // namespace

ExecutableCache::ExecutableCache(ExecutableCacheOptions options) : options_(std::move(options)) {
  if (options_.folder) return;
  if (const auto folder = cache_folder()) options_.folder = *folder / "executables";
}

CachedExecutable ExecutableCache::get_or_compile(const Client& client, std::string_view module_text,
                                                 const CompileOptions& options) const {
  const auto start = Clock::now();
  if (std::string fault = fault_of(options_); !options_.enabled || !fault.empty()) {
    return {client.compile(module_text, options), false, seconds_since(start), std::move(fault)};
  }
  const KeyedProgram program{module_text, options, options_.version};
  const std::filesystem::path file = *options_.folder / (cache_key(client, program) + std::string(kCacheFileExtension));
  if (auto loaded = try_load(client, file, program)) return {std::move(*loaded), true, seconds_since(start), {}};
  LoadedExecutable compiled = client.compile(module_text, options);
  std::string fault = keep(compiled, file, options_.limit_bytes);
  return {std::move(compiled), false, seconds_since(start), std::move(fault)};
}

}  // namespace portatune::pjrt
