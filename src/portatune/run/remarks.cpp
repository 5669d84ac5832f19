#include "portatune/run/remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/weight_files.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/tasks/registry.h"
#include "portatune/tasks/text_to_text.h"

namespace portatune::run {
namespace {

constexpr size_t kMaxNames = 6;
constexpr size_t kMaxPrefixBytes = 80;

// "summarization: "summarize: ", 4 beams"; empty without a prefix.
std::string text_of_params(const std::string& task, const nlohmann::ordered_json& params) {
  if (!params.is_object() || !params.value("prefix", nlohmann::ordered_json()).is_string()) return {};
  const auto beams = params.find("num_beams");
  const std::string end = beams != params.end() && beams->is_number_integer()
                              ? ", " + counted(beams->get<int64_t>(), "beam")
                              : std::string();
  return fmt::format("{}: \"{}\"{}", task, shortened(params["prefix"].get<std::string>(), kMaxPrefixBytes), end);
}

}  // namespace

std::vector<std::string> remarks(const LoadReport& report) {
  std::vector<std::string> lines;
  if (!report.folder.empty() && hub::has_only_pickles(hub::base_of(report.folder))) {
    lines.push_back("the weights are Python pickles: only their tensors are read, and nothing in them is executed");
  }
  if (!report.unexpected.empty()) {
    lines.push_back(fmt::format("{} of the checkpoint's weights have no place in the model and are left out: {}",
                                report.unexpected.size(), list_of(report.unexpected, kMaxNames)));
  }
  return lines;
}

std::vector<std::string> remarks_on_config(const std::vector<std::string>& unknown_keys) {
  if (unknown_keys.empty()) return {};
  return {"config.json has keys that are not known and have no effect: " + list_of(unknown_keys, kMaxNames)};
}

std::vector<std::string> remarks_on_task_params(const std::filesystem::path& model, std::string_view task) {
  const std::filesystem::path file = hub::folder_of_settings(model) / "config.json";
  const auto config = io::parse_json_object(io::read_text(file, hub::kMaxConfigBytes), file.string());
  const auto found = config.find("task_specific_params");
  if (found == config.end() || !found->is_object()) return {};
  std::vector<std::string> tasks;
  for (const auto& [name, params] : found->items()) {
    std::string text = text_of_params(name, params);
    if (!text.empty() && name.starts_with(task)) tasks.push_back(std::move(text));
  }
  if (tasks.empty()) return {};
  return {"config.json has prefixes of sources and beams that have no effect by themselves; " +
          fmt::format("{}", fmt::join(tasks, "; "))};
}

std::vector<std::string> remarks_on_task_params(const ModelOptions& model, const std::filesystem::path& folder) {
  const std::vector<std::string> writing = tasks::tasks_with("source_prefix");
  const bool writes = std::ranges::find(writing, model.task) != writing.end();
  if (!writes || !model.options.of<TextToTextOptions>().source_prefix.empty()) return {};
  std::vector<std::string> lines =
      remarks_on_task_params(folder, model.task == text_to_text_spec().name ? "" : model.task);
  for (std::string& line : lines) line += " (--source-prefix, --num-beams)";
  return lines;
}

}  // namespace portatune::run
