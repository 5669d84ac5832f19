#include "portatune/chat/template_files.h"

#include <nlohmann/json.hpp>

#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json_tree.h"

namespace portatune::chat {
namespace {

namespace fs = std::filesystem;
using Sources = std::map<std::string, TemplateSource>;

Sources in_files(const fs::path& folder) {
  Sources sources;
  const fs::path main = folder / "chat_template.jinja", others = folder / "additional_chat_templates";
  if (fs::exists(main)) sources.emplace("default", read_template(main));
  if (!fs::is_directory(others)) return sources;
  for (const fs::directory_entry& entry : fs::directory_iterator(others)) {
    const fs::path& file = entry.path();
    if (file.extension() == ".jinja") sources.emplace(file.stem().string(), read_template(file));
  }
  return sources;
}

Sources in_config(const fs::path& file) {
  constexpr int64_t kMaxBytes = 64 << 20;  // tokenizer configs list added tokens
  const auto config = io::parse_json_object(io::read_text(file, kMaxBytes), file.string(), {.bytes = kMaxBytes});
  const auto found = config.find("chat_template");
  if (found == config.end() || found->is_null()) return {};
  const std::string where = file.string() + ", chat_template";
  if (found->is_string()) return {{"default", {found->get<std::string>(), where}}};
  Sources sources;
  for (const auto& named : *found) {
    const bool is_named = named.is_object() && named.contains("name") && named["name"].is_string() &&
                          named.contains("template") && named["template"].is_string();
    if (!is_named) {
      throw CheckpointError({.where = file.string(),
                             .given = "chat_template = " + found->dump().substr(0, 60),
                             .expected = R"(a text, or a list of {"name": ..., "template": ...})"});
    }
    const std::string name = named["name"];
    sources.insert_or_assign(name, TemplateSource{named["template"].get<std::string>(), where + " \"" + name + "\""});
  }
  return sources;
}

}  // namespace

Sources find_templates(const fs::path& folder) {
  Sources sources = in_files(folder);
  const fs::path config = folder / "tokenizer_config.json";
  if (sources.empty() && fs::exists(config)) sources = in_config(config);
  return sources;
}

TemplateSource read_template(const fs::path& file) {
  constexpr int64_t kMaxBytes = 1 << 20;
  return {io::read_text(file, kMaxBytes), file.string()};
}

}  // namespace portatune::chat
