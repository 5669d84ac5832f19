#include "portatune/run/output/report_files.h"

#include <filesystem>
#include <string>
#include <utility>

#include "portatune/analysis/report/page.h"
#include "portatune/analysis/report/run_log.h"
#include "portatune/base/files/output_file.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/process_group.h"
#include "portatune/run/output/mistake_texts.h"

namespace portatune::run {
namespace {

// [[text or number, count], ...]
template <class Counts>
Json pairs(const Counts& counts) {
  Json list = Json::array();
  for (const auto& [what, count] : counts) list.push_back({what, count});
  return list;
}

void add_range(Json& object, const char* name, const std::optional<std::pair<double, double>>& range) {
  if (range) object[name] = {range->first, range->second};
}

Json json_of(const std::string& name, const DataSurvey& data) {
  Json object = {{"name", name}, {"rows", data.rows}, {"examples", data.examples}, {"classes", pairs(data.classes)}};
  if (!data.lengths.empty()) {
    int64_t tokens = 0;
    for (const auto& [length, count] : data.lengths) tokens += length * count;
    object["tokens"] = tokens;
    object["longest"] = data.lengths.rbegin()->first;
  }
  if (data.cut_texts) object["truncated"] = *data.cut_texts;
  if (data.empty_rows > 0) object["empty"] = data.empty_rows;
  add_range(object, "labels", data.numbers);
  add_range(object, "weights", data.weights);
  for (const auto& [file, rows] : data.files) object["files"].push_back({without_secrets(file), rows});
  return object;
}

// The lengths of training batches, ascending.
std::vector<int64_t> batch_lengths(const RunPlan& plan) {
  if (plan.packed) return {plan.packed->length};
  std::vector<int64_t> lengths = plan.model.lengths;
  for (const data::LengthPair& pair : plan.model.pairs) lengths.push_back(pair.source);
  return lengths.empty() ? std::vector{plan.task->max_length()} : lengths;
}

Json details(const ReportedRun& run) {
  const auto& [plan, train, validation, surveys, saved_step, step_cost] = run;
  Json data = Json::array({json_of("training", train)});
  for (size_t i = 0; i < surveys.size(); ++i) {
    const std::string& name = validation[i].name;
    if (surveys[i]) data.push_back(json_of(name.empty() ? "validation" : name, *surveys[i]));
  }
  Json object = {{"data", data}};
  if (!train.lengths.empty()) {
    object["lengths"] = {
        {"counts", pairs(train.lengths)}, {"batches", batch_lengths(plan)}, {"packed", plan.packed.has_value()}};
  }
  object["saved_step"] = saved_step;
  if (step_cost) object["step"] = step_cost();
  if (Json texts = mistake_texts(plan, validation); !texts.empty()) object["texts"] = std::move(texts);
  return object;
}

}  // namespace

void write_or_warn(const std::function<void()>& write, Events& events) {
  try {
    write();
  } catch (const Error& error) {
    events.warning("there is no report: " + error.report().where + ": " + error.report().given);
  } catch (const std::exception& error) {
    events.warning(std::string("there is no report: ") + error.what());
  }
}

void write_report(const ReportedRun& run, Events& events) {
  const std::filesystem::path& folder = run.plan.output;
  if (!is_first(run.plan.device.processes.get()) || !std::filesystem::exists(folder / report::kLogFile)) return;
  const auto write = [&] {
    replace_file(folder / report::kDetailsFile, io::line_of(details(run)));
    replace_file(folder / report::kPageFile, report::page_of({&folder, 1}));
  };
  try {
    write_or_warn(write, events);
  } catch (const Stopped&) {  // The model is saved, so the run ends with its outcome and without a report.
  }
}

}  // namespace portatune::run
