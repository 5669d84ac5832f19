// Where a model folder keeps its chat templates.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace portatune::chat {

/// A template's text, and what to call it in errors.
struct TemplateSource {
  std::string text, where;
};

/// By their names: "default", "tool_use", ...; empty if the folder has none. Files go before tokenizer_config.json.
/// errors  CheckpointError for a "chat_template" that is neither a text nor a list of named ones
std::map<std::string, TemplateSource> find_templates(const std::filesystem::path& folder);

/// One file.
/// errors  NotFoundError, IoError; DataError above 1 MB
TemplateSource read_template(const std::filesystem::path& file);

}  // namespace portatune::chat
