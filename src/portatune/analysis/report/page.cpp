#include "portatune/analysis/report/page.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "portatune/analysis/report/curve.h"
#include "portatune/analysis/report/evaluations.h"
#include "portatune/analysis/report/run_log.h"
#include "portatune/base/files/path_name.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/metrics/direction.h"

namespace portatune::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTemplate =
#include "page.inc"
    ;

constexpr const char* kSettingsFile = "training_args.json";
constexpr size_t kMaxPoints = 900, kMinPoints = 100;  // of a curve; a chart is about 600 pixels wide
constexpr std::ptrdiff_t kMaxClasses = 100;           // of an evaluation
constexpr std::ptrdiff_t kMaxMatrix = 30;             // classes of a matrix, or confusions in its place
constexpr size_t kMeans = 60;                         // of a curve with at least three times as many points

// Number of points for which a curve of few runs has room in a page of less than 500 kB.
size_t points_of(size_t runs) { return std::max(kMinPoints, kMaxPoints / std::max<size_t>(1, runs / 2)); }

Json json_of(const Curve& curve) {
  Json steps = Json::array(), values = Json::array();
  for (const Point& point : curve) {
    steps.push_back(point.step);
    values.push_back(std::isfinite(point.value) ? Json(point.value) : Json(nullptr));
  }
  return {{"steps", std::move(steps)}, {"values", std::move(values)}};
}

Json json_of(const std::map<std::string, Curve>& curves, size_t max_points) {
  Json object = Json::object();
  for (const auto& [name, curve] : curves) {
    Json& shown = object[name] = json_of(thinned(curve, max_points));
    if (curve.size() >= 3 * kMeans) shown["means"] = json_of(means(curve, kMeans));
  }
  return object;
}

// Adds a row [name, text] for each value; names of nested objects are joined by dots.
void add_rows(const std::string& prefix, const Json& object, Json& rows) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + key;
    if (value.is_object()) {
      add_rows(name + ".", value, rows);
    } else {
      rows.push_back({name, without_secrets(value.is_string() ? value.get<std::string>() : io::json_text(value))});
    }
  }
}

Json read_object(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return Json::object();
  return io::parse_json_object(io::read_text(file, io::JsonLimits{}.bytes), file.string());
}

Json settings_of(const std::filesystem::path& folder) {
  Json rows = Json::array();
  add_rows("", read_object(folder / kSettingsFile), rows);
  return rows;
}

// The evaluations with as many classes and confusions as the page has room for: the most frequent ones.
Json evaluations_of(const std::filesystem::path& folder) {
  Json evaluations = Json::array();
  for (Json& line : shown_evaluations(folder)) {
    Json& classes = line["classes"];
    if (classes.size() > kMaxClasses) {
      std::stable_sort(classes.begin(), classes.end(),
                       [](const Json& a, const Json& b) { return a.value("support", 0.0) > b.value("support", 0.0); });
      line["more_classes"] = classes.size() - kMaxClasses;
      classes.erase(classes.begin() + kMaxClasses, classes.end());
    }
    Json& confusions = line["confusions"];
    if (classes.size() > kMaxMatrix && confusions.size() > kMaxMatrix) {
      confusions.erase(confusions.begin() + kMaxMatrix, confusions.end());
    }
    evaluations.push_back(std::move(line));
  }
  return evaluations;
}

// A run of the page, and the folder of runs that it lies in; empty if the user named the run.
struct ShownRun {
  std::filesystem::path folder, group;
};

// The last part of the path of a run; of runs that share it, the whole path.
std::string name_of(const ShownRun& run, std::span<const ShownRun> all) {
  const std::string name = last_part_of(run.folder);
  const auto count = std::ranges::count(all, name, [](const ShownRun& other) { return last_part_of(other.folder); });
  return count > 1 ? run.folder.string() : name;
}

// The runs that a folder stands for: itself, or those inside the folder of a cross-validation or a sweep, whose best
// model is a copy of one of them.
std::vector<ShownRun> runs_of(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / kLogFile)) return {{folder, {}}};
  std::vector<ShownRun> runs;
  const bool is_sweep = std::filesystem::exists(folder / "sweep.json");
  std::error_code absent;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder, absent)) {
    const bool is_copy = is_sweep && entry.path().filename() == "best";
    if (!is_copy && std::filesystem::exists(entry.path() / kLogFile)) runs.push_back({entry.path(), folder});
  }
  if (runs.empty()) {
    throw NotFoundError({.where = "report " + folder.string(),
                         .given = std::string("no file ") + kLogFile,
                         .expected = "the output folder of a run, or of a cross-validation or a sweep",
                         .fix = "name a folder that portatune fit --output has written"});
  }
  // fold-2 comes before fold-10.
  const auto order = [](const ShownRun& run) {
    const std::string name = run.folder.filename().string();
    return std::pair(name.size(), name);
  };
  std::ranges::sort(runs, {}, order);
  return runs;
}

// The names of scores of which a lower value is better.
Json lower_scores_of(const RunLog& log) {
  Json names = Json::array();
  for (const auto& [name, curve] : log.evaluation) {
    if (metrics::is_lower_better(name)) names.push_back(name);
  }
  return names;
}

Json json_of_run(const ShownRun& run, const std::string& name, size_t max_points) {
  const std::filesystem::path& folder = run.folder;
  const RunLog log = read_log(folder / kLogFile);
  return {{"name", name},
          {"group", last_part_of(run.group)},
          {"training", json_of(log.training, max_points)},
          {"evaluation", json_of(log.evaluation, max_points)},
          {"lower_is_better", lower_scores_of(log)},
          {"resumptions", log.resumptions},
          {"settings", settings_of(folder)},
          {"details", read_object(folder / kDetailsFile)},
          {"evaluations", evaluations_of(folder)},
          {"best_step", best_step(folder)},
          {"saves", saved_steps(folder)}};
}

// JSON without the character that begins a tag, so that no text ends the script element that contains it.
std::string json_for_html(const Json& value) {
  std::string text;
  for (const char c : io::json_text(value)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

Json json_of(const PageTable& table) { return {{"title", table.title}, {"head", table.head}, {"rows", table.rows}}; }

// Replaces the last occurrence of a placeholder, as the values that are filled in before it may have its text.
void fill(std::string& page, std::string_view placeholder, const Json& value) {
  page.replace(page.rfind(placeholder), placeholder.size(), json_for_html(value));
}

}  // namespace

std::string page_of(std::span<const std::filesystem::path> folders, const PageTable* table) {
  std::vector<ShownRun> shown;
  for (const std::filesystem::path& folder : folders) std::ranges::move(runs_of(folder), std::back_inserter(shown));
  Json runs = Json::array();
  for (const ShownRun& run : shown) runs.push_back(json_of_run(run, name_of(run, shown), points_of(shown.size())));
  std::string page(kTemplate);
  fill(page, "{{table}}", table == nullptr ? Json() : json_of(*table));
  fill(page, "{{data}}", runs);
  return page;
}

}  // namespace portatune::report
