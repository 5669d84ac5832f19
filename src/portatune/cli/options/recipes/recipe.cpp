#include "portatune/cli/options/recipes/recipe.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "portatune/base/files/shipped_files.h"
#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int64_t kLargestBytes = 1 << 20;

std::string place(const fs::path& file, int64_t line) { return file.string() + ":" + std::to_string(line); }

int64_t line_of(const YAML::Mark& mark) { return mark.line + 1; }

// Folders of the recipes that are shipped with the command.
std::vector<fs::path> shipped_folders() { return shipped_places("recipes", "share/portatune"); }

fs::path find(const std::string& name) {
  if (fs::exists(name) && !fs::is_directory(name)) return name;
  for (const fs::path& folder : shipped_folders()) {
    if (const fs::path file = folder / (name + ".yaml"); fs::exists(file)) return file;
  }
  const std::string meant = nearest(name, shipped_recipes());
  throw NotFoundError({.where = "--recipe " + name,
                       .given = "no such file, and no recipe of this name comes with portatune",
                       .fix = meant.empty() ? "portatune recipes lists the names" : suggestion(meant)});
}

struct Ignore final : YAML::EventHandler {
  using Mark = const YAML::Mark&;
  using Text = const std::string&;
  using Anchor = YAML::anchor_t;
  using Style = YAML::EmitterStyle::value;
  void OnDocumentStart(Mark) override {}
  void OnDocumentEnd() override {}
  void OnNull(Mark, Anchor) override {}
  void OnAlias(Mark, Anchor) override {}
  void OnScalar(Mark, Text, Anchor, Text) override {}
  void OnSequenceStart(Mark, Text, Anchor, Style) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(Mark, Text, Anchor, Style) override {}
  void OnMapEnd() override {}
};

// YAML::LoadAll() does not end if the text begins with a comma: it finds endless documents before it.
bool is_one_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Ignore ignore;
  return parser.HandleNextDocument(ignore) && !parser.HandleNextDocument(ignore);
}

// The document of a file, which `fits`.
YAML::Node parse(const fs::path& file, bool (YAML::Node::*fits)() const, const char* expected) {
  try {
    const std::string text = io::read_text(file, kLargestBytes);
    YAML::Node document = YAML::Load(text);
    if ((document.*fits)() && is_one_document(text)) return document;
  } catch (const YAML::Exception& error) {
    throw UsageError({.where = place(file, line_of(error.mark)), .given = "no YAML: " + error.msg});
  }
  throw UsageError({.where = file.string(), .expected = expected});
}

// A scalar of YAML as JSON: a number or a truth as it is, if it has no quotes.
Json json_of(const YAML::Node& scalar) {
  const bool has_quotes = scalar.Tag() == "!";
  const Json value = Json::parse(scalar.Scalar(), nullptr, /*allow_exceptions=*/false);
  if (has_quotes || value.is_discarded() || value.is_structured()) return scalar.Scalar();
  return value;
}

// The arguments of a function, such as `lr_scheduler_kwargs: {num_cycles: 2}`, as JSON; nothing for other maps.
std::optional<std::string> arguments_of(const std::string& key, const YAML::Node& value) {
  if (!value.IsMap() || !key.ends_with("kwargs")) return std::nullopt;
  Json arguments = Json::object();
  for (const auto& entry : value) {
    if (!entry.first.IsScalar() || !entry.second.IsScalar()) return std::nullopt;
    arguments[entry.first.Scalar()] = json_of(entry.second);
  }
  return arguments.dump();
}

Setting setting_of(const fs::path& file, const YAML::Node& key, const YAML::Node& value) {
  Setting setting{
      .key = key.IsScalar() ? key.Scalar() : "", .is_list = value.IsSequence(), .line = line_of(key.Mark())};
  if (const std::optional<std::string> arguments = arguments_of(setting.key, value)) {
    setting.values = {*arguments};
    return setting;
  }
  const auto add = [&](const YAML::Node& item) {
    if (item.IsScalar()) setting.values.push_back(item.Scalar());
    return item.IsScalar();
  };
  const bool fits = setting.is_list ? std::all_of(value.begin(), value.end(), add) : add(value);
  if (fits && key.IsScalar()) return setting;
  throw UsageError({.where = place(file, setting.line),
                    .given = setting.key.empty()
                                 ? "a key that is no text"
                                 : "\"" + setting.key + "\" without a value, or with one that has parts",
                    .expected = "an option with one value or a list of values",
                    .fix = "recipes are flat: a line for each option (docs/training/recipes.md)"});
}

Recipe recipe_of(const fs::path& file, const YAML::Node& map) {
  Recipe recipe{.file = file};
  for (const auto& entry : map) recipe.settings.push_back(setting_of(file, entry.first, entry.second));
  return recipe;
}

}  // namespace

std::vector<std::string> shipped_recipes() {
  std::vector<std::string> names;
  for (const fs::path& folder : shipped_folders()) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, none)) {
      if (entry.path().extension() != ".yaml") continue;
      names.push_back(entry.path().lexically_relative(folder).replace_extension().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

Recipe read_recipe(const std::string& name) {
  const fs::path file = find(name);
  return recipe_of(file,
                   parse(file, &YAML::Node::IsMap, "one YAML document with a line `option: value` for each option"));
}

std::vector<Recipe> read_stages(const fs::path& file) {
  const char* expected = "one YAML document with a list of stages, each with a line `option: value` for each option";
  std::vector<Recipe> stages;
  for (const auto& stage : parse(file, &YAML::Node::IsSequence, expected)) {
    if (!stage.IsMap()) {
      throw UsageError(
          {.where = place(file, line_of(stage.Mark())), .given = "no map of options", .expected = expected});
    }
    stages.push_back(recipe_of(file, stage));
  }
  if (stages.empty()) throw UsageError({.where = file.string(), .given = "an empty list", .expected = expected});
  return stages;
}

std::string place_of(const Recipe& recipe, const Setting& setting) { return place(recipe.file, setting.line); }

}  // namespace portatune::cli
