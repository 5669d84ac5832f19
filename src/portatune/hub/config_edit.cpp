#include "portatune/hub/config_edit.h"

#include <nlohmann/json.hpp>

#include "portatune/error.h"
#include "portatune/io/text/json_tree.h"

namespace portatune::hub {
namespace {

using Json = nlohmann::ordered_json;

void set_labels(Json& config, const std::vector<std::string>& labels) {
  Json id2label = Json::object();
  Json label2id = Json::object();
  for (size_t id = 0; id < labels.size(); ++id) {
    id2label[std::to_string(id)] = labels[id];
    label2id[labels[id]] = id;
  }
  if (label2id.size() < labels.size()) {
    throw UsageError(
        {.where = "class labels", .given = "a label twice", .expected = "a different label for each class"});
  }
  config["id2label"] = std::move(id2label);
  config["label2id"] = std::move(label2id);
  // These keys repeat id2label, and transformers refuses a num_labels that differs.
  config.erase("num_labels");
  config.erase("_num_labels");
}

void set_dtype(Json& config, DType dtype) {
  for (const char* key : {"dtype", "torch_dtype"}) {
    if (config.contains(key)) config[key] = name_of(dtype);
  }
}

}  // namespace

std::string edit_config(std::string_view text, const std::string& where, const ConfigChanges& changes) {
  Json config = io::parse_json_object(text, where);
  if (changes.architecture) config["architectures"] = Json::array({*changes.architecture});
  if (changes.labels) set_labels(config, *changes.labels);
  if (changes.problem_type) config["problem_type"] = *changes.problem_type;
  if (changes.vocab_size) config["vocab_size"] = *changes.vocab_size;
  if (changes.dtype) set_dtype(config, *changes.dtype);
  for (const auto& [key, value] : changes.values) {
    if (!Json::accept(value)) throw UsageError({.where = "config.json, " + key, .given = value, .expected = "JSON"});
    config[key] = Json::parse(value);
  }
  constexpr int kIndent = 2;  // as in transformers
  try {
    return config.dump(kIndent) + "\n";
  } catch (const Json::type_error&) {  // the original is valid, so a change is not UTF-8
    throw UsageError({.where = "changes of " + where, .given = "text that is not UTF-8", .expected = "UTF-8"});
  }
}

}  // namespace portatune::hub
