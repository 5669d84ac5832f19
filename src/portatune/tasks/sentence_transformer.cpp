#include "portatune/tasks/sentence_transformer.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/file/file.h"
#include "portatune/json_object.h"

namespace portatune::tasks {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxBytes = 1'000'000;

// The modes of a pooling module, as its config names them.
constexpr std::array<std::pair<std::string_view, Pooling>, 4> kModes = {{{"mean_tokens", Pooling::kMean},
                                                                         {"cls_token", Pooling::kCls},
                                                                         {"max_tokens", Pooling::kMax},
                                                                         {"lasttoken", Pooling::kLast}}};
constexpr std::array<std::string_view, 2> kOtherModes = {"mean_sqrt_len_tokens", "weightedmean_tokens"};

// "Pooling" of "sentence_transformers.models.Pooling".
std::string class_of(const io::JsonObject& module) {
  const std::string type = module.get_string("type");
  return type.substr(type.rfind('.') + 1);
}

// The file is a list, which becomes the value of a key.
std::vector<io::JsonObject> modules_in(const fs::path& file) {
  const std::string text = "{\"modules\":" + io::read_text(file, kMaxBytes) + "}";
  return io::JsonObject::parse(text, file.string()).get_objects("modules");
}

[[noreturn]] void refuse(const fs::path& file, std::string given, const char* expected) {
  throw CheckpointError({.where = file.string(),
                         .given = std::move(given),
                         .expected = expected,
                         .fix = "compute these embeddings with sentence-transformers"});
}

Pooling pooling_in(const fs::path& file) {
  const io::JsonObject config = io::JsonObject::read(file);
  const std::string mode = config.get_string_or("pooling_mode", "");
  if (!mode.empty()) {
    const std::string name = mode == "lasttoken" ? "last" : mode;
    if (const auto pooling = OptionType<Pooling>::read(name)) return *pooling;
    refuse(file, "the pooling mode " + in_quotes(mode), "mean, cls, max or lasttoken");
  }
  const auto is_set = [&](std::string_view name) {
    return config.get_bool_or("pooling_mode_" + std::string(name), false);
  };
  std::vector<Pooling> found;
  for (const auto& [name, pooling] : kModes) {
    if (is_set(name)) found.push_back(pooling);
  }
  for (const std::string_view other : kOtherModes) {
    if (is_set(other)) refuse(file, "pooling_mode_" + std::string(other), "mean, cls, max or last token");
  }
  if (found.empty()) return Pooling::kMean;  // the default of sentence-transformers
  if (found.size() == 1) return found.front();
  refuse(file, counted(std::ssize(found), "pooling mode"), "one pooling mode");
}

void read_transformer(const fs::path& folder, const io::JsonObject& module, SentenceTransformer& result) {
  const std::string path = module.get_string_or("path", "");
  if (!path.empty()) {
    throw CheckpointError({.where = (folder / "modules.json").string(),
                           .given = "a model in the folder " + path,
                           .expected = "a model in the folder itself",
                           .fix = "give that folder: --model " + (folder / path).string()});
  }
  const fs::path file = folder / "sentence_bert_config.json";
  if (!fs::exists(file)) return;
  const io::JsonObject config = io::JsonObject::read(file);
  if (config.has("max_seq_length")) result.max_length = config.get_int("max_seq_length", {.least = 1});
  if (config.get_bool_or("do_lower_case", false)) {
    refuse(file, "do_lower_case: true", "a tokenizer that changes the case by itself");
  }
}

// The prompt that sentence-transformers puts before every text unless the caller names another.
std::string default_prompt(const fs::path& folder) {
  const fs::path file = folder / "config_sentence_transformers.json";
  if (!fs::exists(file)) return {};
  const io::JsonObject config = io::JsonObject::read(file);
  const std::string name = config.get_string_or("default_prompt_name", "");
  if (name.empty()) return {};
  const auto prompts = config.get_string_map("prompts");
  const auto prompt = prompts.find(name);
  if (prompt == prompts.end()) refuse(file, "no prompt " + in_quotes(name), "the prompt of default_prompt_name");
  return prompt->second;
}

}  // namespace

SentenceTransformer read_sentence_transformer(const fs::path& model) {
  const fs::path folder = hub::folder_of_settings(model), file = folder / "modules.json";
  if (!fs::exists(file)) return {};
  SentenceTransformer result{.pooling = {}, .normalize = false, .max_length = {}, .prompt = default_prompt(folder)};
  for (const io::JsonObject& module : modules_in(file)) {
    const std::string kind = class_of(module);
    if (kind == "Transformer") {
      read_transformer(folder, module, result);
    } else if (kind == "Pooling") {
      const fs::path settings = folder / module.get_string("path") / "config.json";
      result.pooling = pooling_in(settings);
      if (!result.prompt.empty() && !io::JsonObject::read(settings).get_bool_or("include_prompt", true)) {
        refuse(settings, "include_prompt: false, with a default prompt", "pooling over the prompt, too");
      }
    } else if (kind == "Normalize") {
      result.normalize = true;
    } else {
      refuse(file, "a module " + in_quotes(kind), "the modules Transformer, Pooling and Normalize");
    }
  }
  return result;
}

}  // namespace portatune::tasks
