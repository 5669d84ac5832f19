#include "portatune/run/output/report_files.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "portatune/base/output_file.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/process_group.h"
#include "portatune/report/page.h"
#include "portatune/report/run_log.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;

// [[text or number, count], ...]
template <class Counts>
Json pairs(const Counts& counts) {
  Json list = Json::array();
  for (const auto& [what, count] : counts) list.push_back({what, count});
  return list;
}

Json json_of(std::string_view name, const DataSurvey& data) {
  return {{"name", name}, {"rows", data.rows}, {"examples", data.examples}, {"classes", pairs(data.classes)}};
}

// The lengths of training batches, ascending.
std::vector<int64_t> batch_lengths(const RunPlan& plan) {
  if (plan.packed) return {plan.packed->length};
  return plan.model.lengths.empty() ? std::vector{plan.task->max_length()} : plan.model.lengths;
}

Json details(const RunPlan& plan, const DataSurvey& train, const std::vector<std::optional<DataSurvey>>& validation) {
  Json data = Json::array({json_of("training", train)});
  for (const std::optional<DataSurvey>& set : validation) {
    if (set) data.push_back(json_of("validation", *set));
  }
  Json object = {{"data", data}};
  if (!train.lengths.empty()) {
    object["lengths"] = {
        {"counts", pairs(train.lengths)}, {"batches", batch_lengths(plan)}, {"packed", plan.packed.has_value()}};
  }
  return object;
}

}  // namespace

void write_report(const RunPlan& plan, const DataSurvey& train,
                  const std::vector<std::optional<DataSurvey>>& validation, Events& events) {
  const std::filesystem::path& folder = plan.output;
  if (!is_first(plan.device.processes.get()) || !std::filesystem::exists(folder / report::kLogFile)) return;
  try {
    replace_file(folder / report::kDetailsFile, io::line_of(details(plan, train, validation)));
    replace_file(folder / report::kPageFile, report::page_of({&folder, 1}));
  } catch (const Error& error) {
    events.warning("there is no report: " + error.report().where + ": " + error.report().given);
  } catch (const std::exception& error) {
    events.warning(std::string("there is no report: ") + error.what());
  }
}

}  // namespace portatune::run
