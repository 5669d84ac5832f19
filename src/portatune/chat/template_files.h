// The chat templates in a model folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace portatune::chat {

/// The text of a template, and its name in errors.
struct TemplateSource {
  std::string text, where;
};

/// The templates by name: "default", "tool_use", ...; empty if the folder has none. Files take precedence over
/// tokenizer_config.json.
/// errors  CheckpointError for a "chat_template" that is neither a text nor a list of named texts
std::map<std::string, TemplateSource> find_templates(const std::filesystem::path& folder);

/// Reads a template file.
/// errors  NotFoundError, IoError; DataError above 1 MB
TemplateSource read_template(const std::filesystem::path& file);

}  // namespace portatune::chat
