#include "portatune/run/opening.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/run/inputs/rows/data_warnings.h"
#include "portatune/run/remarks.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

constexpr size_t kMaxListed = 8;  // names in a warning

// The names of the outputs of a task's head, if there are names.
std::vector<std::string> labels_of(const RowTask& task) {
  const RowLabels labels = task.row_labels();
  return labels.number_columns.size() > 1 ? labels.number_columns : labels.classes;
}

// Warning of a head whose size differs from the number of classes.
std::string warning_of_head(const Opening& o) {
  const std::vector<std::string>& replaced = o.trainer.load_report().replaced;
  if (replaced.empty()) return {};
  const std::string layer = replaced.front().substr(0, replaced.front().rfind('.'));
  const std::vector<std::string> now = labels_of(o.task);
  const std::vector<std::string> before = tasks::labels_in(hub::read_config(model_of(o.plan)));
  if (now.empty() || before.size() == now.size()) {
    return fmt::format("the checkpoint's {} has another shape: it is replaced", layer);
  }
  return fmt::format("the checkpoint's {} has {} ({}), the data {} ({}): it is replaced", layer,
                     before.size() == 1 ? "1 class" : fmt::format("{} classes", before.size()),
                     list_of(before, kMaxListed), now.size(), list_of(now, kMaxListed));
}

// Warning of a body that --allow-new-weights lets start at random.
std::string warning_of_new_body(const Opening& o) {
  const std::vector<std::string>& body = o.trainer.load_report().body;
  if (body.empty()) return {};
  return fmt::format("the checkpoint lacks {} of the body's weights, which start at random: {}", body.size(),
                     list_of(body, kMaxListed));
}

// Returns true for a label other than a number or "LABEL_" with a number.
bool is_name(const std::string& label) {
  const std::string_view digits = label.starts_with("LABEL_") ? std::string_view(label).substr(6) : label;
  return digits.find_first_not_of("0123456789") != std::string_view::npos;
}

// Warning of classes of the checkpoint that the data replace by other classes.
std::string warning_of_renamed_classes(const Opening& o) {
  const std::vector<std::string> now = labels_of(o.task);
  const std::filesystem::path config = hub::folder_of_settings(model_of(o.plan)) / "config.json";
  if (now.empty() || !o.trainer.load_report().missing.empty() || !std::filesystem::exists(config)) return {};
  const std::vector<std::string> before = tasks::labels_in(io::JsonObject::read(config));
  std::vector<std::string> renamed;
  for (size_t i = 0; i < now.size() && now.size() == before.size(); ++i) {
    if (now[i] == before[i] || !is_name(now[i]) || !is_name(before[i])) continue;
    renamed.push_back(
        fmt::format("class {} \"{}\" becomes \"{}\"", i, shortened(before[i], 40), shortened(now[i], 40)));
  }
  if (renamed.empty()) return {};
  return fmt::format("the data have other classes than the checkpoint, whose classifier is kept: {}",
                     list_of(renamed, kMaxListed));
}

}  // namespace

int64_t total_steps(const Opening& opening) { return train::total_steps(opening.length); }

std::vector<std::string> notes_of(const Opening& o) {
  std::vector<std::string> notes = remarks_on_config(o.task.unknown_config_keys());
  for (std::string& note : remarks_on_task_params(o.plan.model, model_of(o.plan))) notes.push_back(std::move(note));
  for (std::string& note : remarks(o.trainer.load_report())) notes.push_back(std::move(note));
  return notes;
}

std::vector<std::string> warnings_of(const Opening& o) {
  std::vector<std::string> warnings = warnings_of_rows(o.train);
  for (std::string& warning : warnings_of_files(o.plan)) warnings.push_back(std::move(warning));
  if (std::string warning = warning_of_new_body(o); !warning.empty()) warnings.push_back(std::move(warning));
  if (std::string warning = warning_of_head(o); !warning.empty()) warnings.push_back(std::move(warning));
  if (std::string warning = warning_of_renamed_classes(o); !warning.empty()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace portatune::run
