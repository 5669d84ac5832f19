#include "portatune/tasks/results/target_language.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "portatune/base/files/output_file.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json.h"
#include "portatune/io/text/json_tree.h"

namespace portatune::tasks {
namespace {

namespace fs = std::filesystem;

// Changes a JSON file. One that is missing has no values yet.
template <class F>
void edit_json(const fs::path& file, const F& edit) {
  const std::string text = fs::exists(file) ? io::read_text(file, hub::kMaxConfigBytes) : "{}";
  nlohmann::ordered_json json = io::parse_json_object(text, file.string());
  edit(json);
  replace_file(file, io::indented_text(json));
}

nlohmann::ordered_json id_or_null(const std::optional<int32_t>& id) {
  return id ? nlohmann::ordered_json(*id) : nlohmann::ordered_json();
}

}  // namespace

TargetLanguage target_language(const text::Tokenizer& targets, const std::string& language) {
  const std::optional<int32_t> id = targets.token_to_id(language);
  const std::vector<int32_t> added = targets.encode("").ids;
  if (language.empty() || !id || added.empty()) return {};
  if (added.back() == *id) return {.decoder_start_token_id = id};
  return {.forced_bos_token_id = added.front() == *id ? id : std::nullopt};
}

void set_language(const TargetLanguage& language, GenerationOptions& options) {
  if (!language) return;
  if (language.decoder_start_token_id) options.decoder_start_token_id = language.decoder_start_token_id;
  options.forced_bos_token_id = language.forced_bos_token_id;
}

void save_languages(const fs::path& folder, const text::Languages& languages, const TargetLanguage& language) {
  if (!language) return;
  edit_json(folder / "tokenizer_config.json", [&](auto& json) {
    json["src_lang"] = languages.source;
    json["tgt_lang"] = languages.target;
  });
  const auto set_start = [&](auto& json) {
    if (language.decoder_start_token_id) json["decoder_start_token_id"] = *language.decoder_start_token_id;
  };
  // Without generation_config.json, transformers reads config.json for it.
  const fs::path config = folder / "config.json", generation = folder / "generation_config.json";
  edit_json(config, set_start);
  edit_json(fs::exists(generation) ? generation : config, [&](auto& json) {
    set_start(json);
    json["forced_bos_token_id"] = id_or_null(language.forced_bos_token_id);
  });
}

void save_language(const fs::path& folder, const std::string& language) {
  edit_json(folder / "tokenizer_config.json", [&](auto& json) { json["target_lang"] = language; });
}

}  // namespace portatune::tasks
