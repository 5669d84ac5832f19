#include "portatune/runtime/pjrt/cache/cache_key.h"

#include <xxhash.h>

#include <array>
#include <fstream>
#include <type_traits>

#include "portatune/base/environment.h"
#include "portatune/base/text/message.h"
#include "portatune/base/threads/cores.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune::pjrt {
namespace {

// The version of keys and files; increase it when their meaning changes.
constexpr int kFormat = 1;

// Environment variables that affect how plugins compile.
constexpr std::array<const char*, 3> kFlags = {"XLA_FLAGS", "LIBTPU_INIT_ARGS", "PJRT_NPROC"};

/// A list of fields as one string. Each field follows its length, so that different lists give different strings.
class Fields {
 public:
  void add(std::string_view field) { text_ += std::to_string(field.size()) + ':' + std::string(field) + '\n'; }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void add(Number field) { add(std::to_string(field)); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_plugin(Fields& fields, const Plugin& plugin) {
  fields.add(to_string(plugin.version()));
  // Plugins with the same versions may be different builds.
  std::error_code none;
  fields.add(std::filesystem::file_size(plugin.file(), none));
  fields.add(std::filesystem::last_write_time(plugin.file(), none).time_since_epoch().count());
}

// The lines that identify the first processor: "model name", "flags" (x86), "Features" (AArch64), ...
std::string processor() {
  constexpr std::array<std::string_view, 8> kKeys = {"model name", "model\t",         "cpu family", "stepping",
                                                     "flags",      "CPU implementer", "CPU part",   "Features"};
  std::ifstream in("/proc/cpuinfo");
  std::string result;
  for (std::string line; std::getline(in, line) && !line.empty();) {
    for (const std::string_view key : kKeys) {
      if (line.starts_with(key)) result += line + '\n';
    }
  }
  return result;
}

void add_devices(Fields& fields, const Client& client) {
  fields.add(client.platform_name());
  fields.add(client.platform_version());
  for (const Device& device : client.devices()) {
    fields.add(device.id);
    fields.add(device.kind);
  }
  if (client.platform_name() != "cpu") return;
  fields.add(processor());
  fields.add(usable_cores());  // XLA divides work on CPUs among these cores when it compiles
}

std::string digits_of(const XXH128_hash_t& hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  return hexadecimal(std::span<const unsigned char>(bytes.digest));
}

}  // namespace

std::string cache_key(const Client& client, const KeyedProgram& program) {
  Fields fields;
  fields.add(kFormat);
  add_plugin(fields, client.plugin());
  add_devices(fields, client);
  for (const char* flags : kFlags) fields.add(environment_variable(flags).value_or(""));
  fields.add(program.version);
  fields.add(serialize(program.options));
  fields.add(program.module_text);
  return digits_of(XXH3_128bits(fields.text().data(), fields.text().size()));
}

std::string processor_key() {
  const std::string text = processor();
  return digits_of(XXH3_128bits(text.data(), text.size()));
}

std::string plugin_flags() {
  std::string text;
  for (const char* name : kFlags) {
    const std::string value = environment_variable(name).value_or("");
    if (!value.empty()) text += (text.empty() ? "" : ", ") + (name + ("=" + value));
  }
  return text;
}

}  // namespace portatune::pjrt
