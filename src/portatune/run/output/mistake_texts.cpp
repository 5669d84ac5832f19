#include "portatune/run/output/mistake_texts.h"

#include <set>
#include <string>
#include <utility>

#include "portatune/analysis/report/evaluations.h"
#include "portatune/base/text/message.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/run/inputs/rows/rows.h"

namespace portatune::run {
namespace {

constexpr size_t kMaxBytes = 400;  // of a text

using Place = std::pair<std::string, int64_t>;  // file and row

std::set<Place> mistakes_of(const std::vector<Json>& evaluations, const std::string& set) {
  std::set<Place> places;
  for (const Json& line : evaluations) {
    if (line.at("set") != set) continue;
    for (const Json& mistake : line.at("mistakes")) places.emplace(mistake.at("file"), mistake.at("row"));
  }
  return places;
}

Place place_of(const data::Origin& origin) { return {origin.file ? without_secrets(*origin.file) : "", origin.row}; }

Json texts_of(const data::Example& row, const std::vector<std::string>& columns) {
  Json texts = Json::array();
  for (const std::string& column : columns) {
    if (!row.has(column)) continue;
    if (const auto* text = std::get_if<std::string>(&row.column(column))) texts.push_back(shortened(*text, kMaxBytes));
  }
  return texts;
}

}  // namespace

Json mistake_texts(const RunPlan& plan, std::span<const ValidationSet> sets) {
  Json texts = Json::array();
  const std::vector<Json> evaluations = report::shown_evaluations(plan.output);
  for (const ValidationSet& set : sets) {
    std::set<Place> wanted = mistakes_of(evaluations, set.name);
    if (wanted.empty()) continue;
    const std::vector<std::string> columns = plan.task->text_columns();
    if (columns.empty()) continue;
    data::Cursor rows = interruptible(tolerant(plan.model, set.rows)).iterate();
    while (!wanted.empty()) {
      const std::optional<data::Example> row = rows.next();
      if (!row) break;
      Place place = place_of(row->origin());
      if (wanted.erase(place) > 0) texts.push_back({place.first, place.second, texts_of(*row, columns)});
    }
  }
  return texts;
}

}  // namespace portatune::run
