#include "portatune/data/tfrecord/tfrecord_columns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/data/read/column_names.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using io::FeatureKind;
using io::TfFeature;

[[noreturn]] void refuse(std::string given, std::string expected) {
  throw UsageError({.where = "feature", .given = std::move(given), .expected = std::move(expected)});
}

template <class T>
std::string text_of_number(const TfFeature& feature) {
  T value{};
  feature.copy_to(std::span(&value, 1));
  std::array<char, 32> digits;
  const auto written = std::to_chars(digits.begin(), digits.end(), value);
  return {digits.data(), written.ptr};
}

std::string json_list_of(const std::vector<std::string_view>& texts) {
  try {
    return nlohmann::json(texts).dump();
  } catch (const nlohmann::json::exception&) {
    refuse("several values that are not UTF-8", "one value of any bytes, or several UTF-8 texts");
  }
}

template <class T>
void copy_as(const TfFeature& feature, int64_t count, std::byte* to) {
  feature.copy_to(std::span(reinterpret_cast<T*>(to), static_cast<size_t>(count)));
}

Column texts_as_written(const TfFeature& feature) {
  if (feature.count() == 1) return std::string(feature.text());
  const std::vector<std::string_view> texts = feature.texts();
  return std::vector<std::string>(texts.begin(), texts.end());
}

void check(const TfrecordFeature& feature) {
  const std::string where = "read_tfrecord, feature " + in_quotes(feature.name);
  constexpr std::array kDTypes = {DType::kInt64, DType::kInt32, DType::kFloat32};
  if (feature.dtype && std::ranges::find(kDTypes, *feature.dtype) == kDTypes.end()) {
    throw UsageError(
        {.where = where, .given = std::string(name_of(*feature.dtype)), .expected = "int64, int32 or float32"});
  }
  if (feature.shape && !feature.dtype && *feature.shape != Shape{}) {
    throw UsageError({.where = where, .given = "a shape without a dtype", .expected = "int64, int32 or float32"});
  }
}

}  // namespace

std::optional<ArrayKind> array_kind_of(const TfFeature& feature, const TfrecordFeature& wanted) {
  if (!wanted.dtype && !wanted.shape && feature.kind == FeatureKind::kBytes) return std::nullopt;
  const int64_t count = feature.count();
  if (!wanted.dtype && wanted.shape && count != 1) refuse(std::to_string(count) + " values", "exactly one");
  if (!wanted.dtype) {
    if (count == 1 || feature.kind == FeatureKind::kBytes) return std::nullopt;
    return ArrayKind{feature.kind == FeatureKind::kFloat ? DType::kFloat32 : DType::kInt64, count};
  }
  const FeatureKind kind = *wanted.dtype == DType::kFloat32 ? FeatureKind::kFloat : FeatureKind::kInt64;
  if (feature.kind != kind) {
    refuse("values of kind " + std::string(name_of(feature.kind)), "of kind " + std::string(name_of(kind)));
  }
  if (wanted.shape && wanted.shape->elements() != count) {
    refuse(std::to_string(count) + " values",
           std::to_string(wanted.shape->elements()) + ", for " + to_string(*wanted.shape));
  }
  return ArrayKind{*wanted.dtype, count};
}

Shape shape_of(const ArrayKind& kind, const TfrecordFeature& wanted) {
  return wanted.shape ? *wanted.shape : Shape{kind.count};
}

void copy_array(const TfFeature& feature, const ArrayKind& kind, std::byte* to) {
  if (kind.dtype == DType::kInt64) return copy_as<int64_t>(feature, kind.count, to);
  if (kind.dtype == DType::kInt32) return copy_as<int32_t>(feature, kind.count, to);
  copy_as<float>(feature, kind.count, to);
}

std::string text_of(const TfFeature& feature) {
  if (feature.kind == FeatureKind::kInt64) return text_of_number<int64_t>(feature);
  if (feature.kind == FeatureKind::kFloat) return text_of_number<float>(feature);
  if (feature.count() == 1) return std::string(feature.text());
  const std::vector<std::string_view> texts = feature.texts();
  return texts.empty() ? std::string() : json_list_of(texts);
}

DataError bad_record(const Origin& origin, const io::RecordPosition& position, const UsageError& error) {
  return DataError({.where = to_string(origin),
                    .given = error.report().given + ", in the record at byte offset " + std::to_string(position.offset),
                    .expected = error.report().expected});
}

DataError missing_feature(const Origin& origin, std::string_view name, const io::TfExample& features) {
  std::vector<std::string_view> names;
  for (const TfFeature& feature : features.features()) names.push_back(feature.name);
  return missing_column(to_string(origin), name, names);
}

TfrecordColumns::TfrecordColumns(std::vector<TfrecordFeature> features, bool as_written)
    : features_(std::move(features)), as_written_(as_written) {
  std::vector<std::string> names;
  for (TfrecordFeature& feature : features_) {
    check(feature);
    if (feature.column.empty()) feature.column = feature.name;
    names.push_back(feature.column);
  }
  std::ranges::sort(names);
  const auto doubled = std::ranges::adjacent_find(names);
  if (doubled == names.end()) return;
  throw UsageError(
      {.where = "read_tfrecord", .given = "column " + in_quotes(*doubled) + " twice", .expected = "each column once"});
}

Example TfrecordColumns::read(std::string_view record, Origin origin, const io::RecordPosition& position,
                              io::TfExample& parser) const {
  Example example(std::move(origin));
  try {
    parser.parse(record);
    features_.empty() ? add_all(example, parser) : add_chosen(example, parser);
  } catch (const UsageError& error) {
    throw bad_record(example.origin(), position, error);
  }
  return example;
}

Column TfrecordColumns::column_of(const TfFeature& feature, const TfrecordFeature& wanted) const {
  std::optional<ArrayKind> kind = array_kind_of(feature, wanted);
  if (!kind && as_written_) {
    if (feature.kind == FeatureKind::kBytes) return texts_as_written(feature);
    kind = {feature.kind == FeatureKind::kFloat ? DType::kFloat32 : DType::kInt64, feature.count()};
  }
  if (!kind) return text_of(feature);
  Tensor array({kind->dtype, shape_of(*kind, wanted)});
  copy_array(feature, *kind, array.data());
  return array;
}

void TfrecordColumns::add_all(Example& example, const io::TfExample& features) const {
  std::vector<const TfFeature*> sorted;
  for (const TfFeature& feature : features.features()) {
    if (feature.kind != FeatureKind::kNone) sorted.push_back(&feature);
  }
  // Sorted, because encoders write features in any order, which can differ between records.
  std::ranges::sort(sorted, {}, &TfFeature::name);
  for (const TfFeature* feature : sorted) {
    example.set(feature->name, naming(feature->name, [&] { return column_of(*feature, TfrecordFeature()); }));
  }
}

void TfrecordColumns::add_chosen(Example& example, const io::TfExample& features) const {
  for (const TfrecordFeature& wanted : features_) {
    const TfFeature* feature = features.find(wanted.name);
    if (feature != nullptr && feature->kind != FeatureKind::kNone) {
      example.set(wanted.column, naming(wanted.name, [&] { return column_of(*feature, wanted); }));
    } else if (wanted.otherwise) {
      example.set(wanted.column, *wanted.otherwise);
    } else {
      throw missing_feature(example.origin(), wanted.name, features);
    }
  }
}

}  // namespace portatune::data
