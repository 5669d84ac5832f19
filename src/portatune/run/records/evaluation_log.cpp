#include "portatune/run/records/evaluation_log.h"

#include <algorithm>
#include <cmath>

#include "portatune/base/text/url_secrets.h"

namespace portatune::run {
namespace {

Json number_or_null(std::optional<double> value) { return value ? number(*value) : Json(); }

// A sum of weights, which is a count where all are 1.
Json count_of(double weight) {
  return std::trunc(weight) == weight ? Json(static_cast<int64_t>(weight)) : number(weight);
}

Json json_of(const ErrorAnalysis::Class& of_class) {
  const metrics::ClassCounts& counts = of_class.counts;
  return {{"name", of_class.name},
          {"precision", number_or_null(counts.precision())},
          {"recall", number_or_null(counts.recall())},
          {"f1", number_or_null(counts.f1())},
          {"support", count_of(counts.expected)},
          {"predicted", count_of(counts.predicted)},
          {"right", count_of(counts.hits)}};
}

Json json_of(const ErrorAnalysis::Confusion& confusion) {
  return {confusion.label, confusion.prediction, count_of(confusion.count)};
}

Json json_of(const ErrorAnalysis::Mistake& mistake) {
  return {{"file", mistake.row.file ? without_secrets(*mistake.row.file) : ""},
          {"row", mistake.row.row},
          {"label", mistake.label},
          {"prediction", mistake.prediction},
          {"probability", number_or_null(mistake.probability)},
          {"loss", number(mistake.loss)}};
}

template <class Elements>
Json json_list(const Elements& elements) {
  Json list = Json::array();
  for (const auto& element : elements) list.push_back(json_of(element));
  return list;
}

}  // namespace

void EvaluationLog::observe(std::vector<EvaluationSet>& sets) {
  for (const EvaluationSet& set : sets) sets_.push_back({.name = set.name, .analyzer = nullptr});
  for (size_t i = 0; i < sets.size(); ++i) {
    sets[i].observer = [this, &set = sets_[i]](const data::Example& batch, const data::Example& outputs) {
      if (!set.analyzer) set.analyzer = task_.error_analyzer(max_mistakes_);
      set.analyzer->update(batch, outputs);
    };
  }
}

void EvaluationLog::add(int64_t step) {
  const bool is_there = std::ranges::any_of(log_.lines(), [&](const Json& line) { return line["step"] == step; });
  for (Set& set : sets_) {
    const std::unique_ptr<ErrorAnalyzer> analyzer = std::move(set.analyzer);
    if (is_there || !analyzer) continue;
    const ErrorAnalysis analysis = analyzer->result();
    log_.add({{"step", step},
              {"set", set.name},
              {"classes", json_list(analysis.classes)},
              {"confusions", json_list(analysis.confusions)},
              {"mistakes", json_list(analysis.mistakes)}});
  }
}

}  // namespace portatune::run
