#include "portatune/run/tfrecord/tfrecord_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "portatune/base/text/message.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/base/text/utf8.h"
#include "portatune/base/threads/stop.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/text/json.h"
#include "portatune/io/tfrecord/tfrecord_index.h"
#include "portatune/media.h"
#include "portatune/tasks/rows/json_number.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kRecordsForFeatures = 1000;  // number of records that are read for the features
constexpr size_t kShownValues = 16;            // number of values shown of a list
constexpr size_t kShownBytes = 80;             // number of bytes shown of a text

Json shown(std::string_view bytes) {
  if (image::is_image(std::as_bytes(std::span(bytes)))) return fmt::format("<image, {} bytes>", bytes.size());
  if (audio::is_audio(std::as_bytes(std::span(bytes)))) return fmt::format("<audio, {} bytes>", bytes.size());
  if (find_invalid_utf8(bytes) != std::string_view::npos) return fmt::format("<{} bytes>", bytes.size());
  return shortened(bytes, kShownBytes);
}

int64_t shown(int64_t number) { return number; }
Json shown(float number) {
  return std::isfinite(number) ? Json(tasks::shortest(number)) : Json(fmt::format("{}", number));
}

template <class T>
Json shown_numbers(const io::TfFeature& feature) {
  std::vector<T> values(static_cast<size_t>(feature.count()));
  feature.copy_to(std::span(values));
  if (values.size() == 1) return shown(values.front());
  Json list = Json::array();
  for (size_t i = 0; i < std::min(values.size(), kShownValues); ++i) list.push_back(shown(values[i]));
  if (values.size() > kShownValues) list.push_back(fmt::format("... {} in all", values.size()));
  return list;
}

Json shown(const io::TfFeature& feature) {
  if (feature.kind == io::FeatureKind::kInt64) return shown_numbers<int64_t>(feature);
  if (feature.kind == io::FeatureKind::kFloat) return shown_numbers<float>(feature);
  if (feature.kind == io::FeatureKind::kNone) return nullptr;
  const std::vector<std::string_view> texts = feature.texts();
  if (texts.size() == 1) return shown(texts.front());
  Json list = Json::array();
  for (size_t i = 0; i < std::min(texts.size(), kShownValues); ++i) list.push_back(shown(texts[i]));
  if (texts.size() > kShownValues) list.push_back(fmt::format("... {} in all", texts.size()));
  return list;
}

Json shown(const io::TfExample& features) {
  std::map<std::string, Json> sorted;
  for (const io::TfFeature& feature : features.features()) sorted.emplace(feature.name, shown(feature));
  return sorted;
}

}  // namespace

void Extent::add(int64_t value) {
  least = is_empty ? value : std::min(least, value);
  most = is_empty ? value : std::max(most, value);
  is_empty = false;
}

std::string Extent::text() const {
  if (is_empty) return "-";
  return least == most ? std::to_string(least) : fmt::format("{}-{}", least, most);
}

int64_t FeatureSurvey::records() const {
  int64_t records = 0;
  for (const auto& [kind, count] : kinds) records += count;
  return records;
}

std::string FeatureSurvey::kind() const {
  std::string names;
  for (const auto& [kind, count] : kinds) names += (names.empty() ? "" : ", ") + std::string(name_of(kind));
  return names;
}

TfrecordSurvey::TfrecordSurvey(std::string file, bool all, int64_t shown) : file_(std::move(file)), shown_(shown) {
  io::TfrecordReader reader(file_);
  bytes_ = io::open_random_access(file_)->size();
  is_compressed_ = reader.is_compressed();
  try {
    read(reader, all);
  } catch (const DataError& error) {
    faults_.push_back(error.report());
  }
  records_ = reader.position().record;
  compare_with_index();
}

void TfrecordSurvey::read(io::TfrecordReader& reader, bool all) {
  while (all || reader.position().record < kRecordsForFeatures) {
    stop_if_requested();
    if (!look_at_next(reader)) return;
  }
  reader.skip(std::numeric_limits<int64_t>::max());
}

// Reads the next record. Returns whether there was one, even a damaged one.
bool TfrecordSurvey::look_at_next(io::TfrecordReader& reader) {
  const io::RecordPosition here = reader.position();
  try {
    const std::optional<std::string_view> record = reader.next();
    if (record) look_at(*record, here);
    return record.has_value();
  } catch (const DataError& error) {
    faults_.push_back(error.report());
    return reader.position() != here;
  }
}

void TfrecordSurvey::look_at(std::string_view record, const io::RecordPosition& position) {
  try {
    parser_.parse(record);
    for (const io::TfFeature& feature : parser_.features()) {
      FeatureSurvey& survey = features_[std::string(feature.name)];
      survey.values.add(feature.count());
      ++survey.kinds[feature.kind];
      if (feature.kind != io::FeatureKind::kBytes) continue;
      for (const std::string_view text : feature.texts()) survey.bytes.add(std::ssize(text));
    }
    if (std::ssize(first_) < shown_) first_.push_back(shown(parser_));
  } catch (const UsageError& error) {
    Report report = error.report();
    report.where = file_and_record(file_, position);
    report.given += fmt::format(", in the record at byte offset {}", position.offset);
    faults_.push_back(std::move(report));
  }
}

void TfrecordSurvey::compare_with_index() {
  try {
    const auto index = io::TfrecordIndex::open(file_, bytes_);
    has_index_ = index.has_value();
    if (!index || !faults_.empty() || index->records() == records_) return;
    faults_.push_back({.where = io::index_path(file_),
                       .given = fmt::format("an index of {} records", index->records()),
                       .expected = fmt::format("{}, as the file has", records_),
                       .fix = io::advice_to_index(file_)});
  } catch (const DataError& error) {
    faults_.push_back(error.report());
  }
}

std::string json_of(const TfrecordSurvey& survey, bool verified) {
  Json features = Json::object();
  for (const auto& [name, feature] : survey.features()) {
    Json& entry = features[name];
    entry = {{"kind", feature.kind()},
             {"records", feature.records()},
             {"values", {feature.values.least, feature.values.most}}};
    if (!feature.bytes.is_empty) entry["bytes"] = {feature.bytes.least, feature.bytes.most};
  }
  Json corrupt = Json::array();
  for (const Report& fault : survey.faults()) corrupt.push_back(one_line(fault));
  return io::line_of({{"file", without_secrets(survey.file())},
                      {"records", survey.records()},
                      {"bytes", survey.bytes()},
                      {"compressed", survey.is_compressed()},
                      {"index", survey.has_index()},
                      {"verified", verified},
                      {"features", features},
                      {"first", survey.first()},
                      {"corrupt", corrupt}});
}

}  // namespace portatune::run
