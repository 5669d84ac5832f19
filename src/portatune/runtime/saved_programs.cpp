#include "portatune/runtime/saved_programs.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "portatune/base/threads/cores.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json.h"
#include "portatune/kernels/cpu/registry.h"
#include "portatune/runtime/pjrt/cache/cache_file.h"
#include "portatune/runtime/pjrt/cache/cache_key.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFacts = "programs.json";

fs::path file_of(const fs::path& folder, std::string_view module_text) {
  return folder / fmt::format("{:016x}{}", io::hash_of(module_text), pjrt::kCacheFileExtension);
}

bool is_of_programs(const fs::directory_entry& entry) {
  return entry.path().filename() == kFacts || entry.path().extension() == pjrt::kCacheFileExtension;
}

const fs::path& require_replaceable(const fs::path& folder) {
  io::recover_directory(folder);
  io::require_nothing_else(folder, is_of_programs, "saved programs");
  return folder;
}

// A member of ProgramOrigin with its name in programs.json.
struct ProgramFact {
  const char* name;
  std::string ProgramOrigin::*value;
  const char* fix;
};
constexpr std::array<ProgramFact, 6> kOrigin = {{
    {"platform", &ProgramOrigin::platform, "compile for this device: portatune plan --on ... --save"},
    {"plugin", &ProgramOrigin::plugin, "install the same plugin on both machines: portatune plugin install"},
    {"flags", &ProgramOrigin::flags, "set XLA_FLAGS and LIBTPU_INIT_ARGS to the same values on both machines"},
    {"kernels", &ProgramOrigin::kernels,
     "compile with the same Portatune for the same kind of processor, both times with or without --no-kernels"},
    {"processor", &ProgramOrigin::processor, "compile on a machine with this processor"},
    {"cores", &ProgramOrigin::cores, "give both processes the same number of cores"},
}};

}  // namespace

ProgramOrigin origin_of(const pjrt::Plugin& plugin, const std::string& platform, bool use_kernels) {
  std::error_code none;
  ProgramOrigin origin{
      .platform = platform,
      .plugin = fmt::format("{}, {} bytes", to_string(plugin.version()), fs::file_size(plugin.file(), none)),
      .flags = pjrt::plugin_flags()};
  if (platform == "cpu") {
    origin.kernels = use_kernels ? kernels::cpu_kernels_version() : "none";
    origin.processor = pjrt::processor_key();
    origin.cores = std::to_string(usable_cores());
  }
  return origin;
}

ProgramWriter::ProgramWriter(const fs::path& folder) : folder_(require_replaceable(folder)) {}

void ProgramWriter::add(std::string_view module_text, const pjrt::Executable& executable) {
  const fs::path file = file_of(folder_.staging(), module_text);
  pjrt::write_cache_file(file, executable.serialize());
  // Other users may read saved programs, in contrast to those of a cache.
  fs::permissions(file, fs::perms::group_read | fs::perms::others_read, fs::perm_options::add);
  ++count_;
}

void ProgramWriter::commit(const ProgramOrigin& origin, const std::string& target) {
  nlohmann::ordered_json facts = {{"target", target}};
  for (const ProgramFact& fact : kOrigin) facts[fact.name] = origin.*fact.value;
  io::write_file(folder_.staging() / kFacts, facts.dump(2) + "\n");
  folder_.commit();
}

SavedPrograms::SavedPrograms(const fs::path& folder, const ProgramOrigin& here) : folder_(folder) {
  if (fs::is_regular_file(folder)) {
    throw UsageError({.where = "compiled",
                      .given = folder.string() + ", a file",
                      .expected = "a folder that portatune plan --save has written"});
  }
  io::recover_directory(folder);
  const io::JsonObject facts = io::JsonObject::read(folder / kFacts);
  const std::string target = facts.get_string("target");
  for (const ProgramFact& fact : kOrigin) {
    const std::string found = facts.get_string(fact.name);
    if (found == here.*fact.value) continue;
    throw DeviceError({.where = folder.string(),
                       .given = fmt::format("programs for {}, made with {} \"{}\"", target, fact.name, found),
                       .expected = fmt::format("\"{}\", as on this machine", here.*fact.value),
                       .fix = fact.fix});
  }
}

std::optional<pjrt::LoadedExecutable> SavedPrograms::load(const pjrt::Client& client, std::string_view module_text,
                                                          const pjrt::CompileOptions& options) const {
  const fs::path file = file_of(folder_, module_text);
  if (!fs::exists(file)) return {};
  const std::optional<std::string> serialized = pjrt::read_cache_file(file);
  if (!serialized) {
    throw CheckpointError({.where = file.string(),
                           .given = "a file that cannot be read, is truncated or has been altered",
                           .expected = "a program as portatune plan --save has written it",
                           .fix = "copy the folder again"});
  }
  return client.load(*serialized, module_text, options);
}

}  // namespace portatune
