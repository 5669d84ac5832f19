#include "portatune/run/probes/run_setting.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/error.h"
#include "portatune/graph.h"
#include "portatune/runtime/device_name.h"

namespace portatune::run {
namespace {

struct Word {
  std::string_view text;
  std::string_view kind;
  void (*apply)(RunSetting&);
};
const Word kWords[] = {
    {"kernels", "kernels", [](RunSetting& s) { s.device.use_kernels = true; }},
    {"no-kernels", "kernels", [](RunSetting& s) { s.device.use_kernels = false; }},
    {"cudnn-attention", "attention", [](RunSetting& s) { s.device.cudnn_attention = true; }},
    {"no-cudnn-attention", "attention", [](RunSetting& s) { s.device.cudnn_attention = false; }},
    {"float32", "dtype", [](RunSetting& s) { s.dtype = DType::kFloat32; }},
    {"bfloat16", "dtype", [](RunSetting& s) { s.dtype = DType::kBFloat16; }},
    {"float16", "dtype", [](RunSetting& s) { s.dtype = DType::kFloat16; }},
};

std::string platform_of(const RunSetting& setting) { return device_name(setting.device.device).platform; }

[[noreturn]] void refuse(const std::string& given, const std::string& meant = {}) {
  throw UsageError({.where = "against",
                    .given = given,
                    .expected = "how the second run differs, separated by commas: cpu, cuda, cuda:N or tpu; "
                                "kernels or no-kernels; cudnn-attention or no-cudnn-attention; float32, bfloat16 or "
                                "float16; data=N, fsdp=N and tensor=N",
                    .fix = suggestion(meant)});
}

bool is_number(const std::string& word) { return number_in<int64_t>(word).has_value(); }

bool is_device(const std::string& word) {
  for (const char* platform : {"cpu", "cuda", "tpu"}) {
    if (word == platform || word.starts_with(std::string(platform) + ":")) return true;
  }
  return false;
}

std::string nearest_word(const std::string& word) {
  std::vector<std::string> names = {"cpu", "cuda", "tpu"};
  for (const Word& known : kWords) names.emplace_back(known.text);
  return nearest(word, names);
}

void set_device(RunSetting& setting, const std::string& name) {
  const std::string platform = device_name(name).platform;
  if (platform != platform_of(setting)) setting.device.plugin.clear();
  if (platform != "cuda") {
    setting.device.gpu_memory = {};
    setting.device.cudnn_attention = false;
  }
  setting.device.device = name;
}

// Whether two words form one: "cuda:0" and "1", "data=4" and "fsdp=2".
bool belong_together(const std::string& word, const std::string& next) {
  return (word.starts_with("cuda:") && is_number(next)) ||
         (word.find('=') != std::string::npos && next.find('=') != std::string::npos);
}

// The words of a list with commas.
std::vector<std::string> words_in(const std::string& list) {
  std::vector<std::string> words;
  for (std::string& word : split(list, ',')) {
    if (!words.empty() && belong_together(words.back(), word)) {
      words.back() += "," + word;
    } else {
      words.push_back(std::move(word));
    }
  }
  return words;
}

// Changes the setting by a word. Returns the kind of the word.
std::string apply(RunSetting& setting, const std::string& word) {
  if (is_device(word)) {
    set_device(setting, word);
    return "device";
  }
  if (word.find('=') != std::string::npos) {
    setting.device.mesh = parse_mesh(word);
    return "mesh";
  }
  for (const Word& known : kWords) {
    if (known.text != word) continue;
    known.apply(setting);
    return std::string(known.kind);
  }
  refuse("an unknown word " + in_quotes(word), nearest_word(word));
}

}  // namespace

RunSetting changed(RunSetting setting, const std::string& words) {
  std::map<std::string, std::string> given;  // words by their kinds
  for (const std::string& word : words_in(words)) {
    const auto [other, is_new] = given.emplace(apply(setting, word), word);
    if (!is_new) refuse(in_quotes(other->second) + " and " + in_quotes(word));
  }
  return setting;
}

std::string describe(const RunSetting& setting) {
  const bool has_kernels = platform_of(setting) == "cpu";  // other platforms compile every part
  const Mesh& mesh = setting.device.mesh;
  return fmt::format("{}, {}{}{}{}", setting.device.device,
                     has_kernels ? (setting.device.use_kernels ? "kernels, " : "no-kernels, ") : "",
                     setting.device.cudnn_attention ? "cudnn-attention, " : "", name_of(setting.dtype),
                     mesh.devices() > 1 ? ", " + to_string(mesh) : "");
}

bool share_device(const RunSetting& a, const RunSetting& b) {
  if (a.device.device != b.device.device || a.device.mesh != b.device.mesh) return false;
  return platform_of(a) == "cpu" ? a.device.use_kernels == b.device.use_kernels
                                 : a.device.cudnn_attention == b.device.cudnn_attention;
}

}  // namespace portatune::run
