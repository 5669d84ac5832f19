#include "portune/data/tfrecord_columns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "portune/base/message.h"
#include "portune/data/column_names.h"
#include "portune/error.h"

namespace portune::data {
namespace {

using io::FeatureKind;
using io::TfFeature;

[[noreturn]] void refuse(std::string given, std::string expected) {
  throw UsageError({.where = "feature", .given = std::move(given), .expected = std::move(expected)});
}

template <class T>
Tensor array_of(const TfFeature& feature, const Shape& shape) {
  Tensor array({dtype_of<T>(), shape});
  feature.copy_to(array.as<T>());
  return array;
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
    refuse("several values that are not UTF-8", "one value of any bytes, or several texts in UTF-8");
  }
}

// By the rule of read_tfrecord.
Column column_of(const TfFeature& feature) {
  const int64_t count = feature.count();
  if (feature.kind == FeatureKind::kInt64) {
    if (count == 1) return text_of_number<int64_t>(feature);
    return array_of<int64_t>(feature, {count});
  }
  if (feature.kind == FeatureKind::kFloat) {
    if (count == 1) return text_of_number<float>(feature);
    return array_of<float>(feature, {count});
  }
  const std::vector<std::string_view> texts = feature.texts();
  if (texts.size() == 1) return std::string(texts.front());
  return texts.empty() ? std::string() : json_list_of(texts);
}

Tensor array_of(const TfFeature& feature, const TfrecordFeature& wanted) {
  const FeatureKind kind = *wanted.dtype == DType::kFloat32 ? FeatureKind::kFloat : FeatureKind::kInt64;
  if (feature.kind != kind) {
    refuse("values of kind " + std::string(name_of(feature.kind)), "of kind " + std::string(name_of(kind)));
  }
  const int64_t count = feature.count();
  const Shape shape = wanted.shape.value_or(Shape{count});
  if (shape.elements() != count) {
    refuse(std::to_string(count) + " values", std::to_string(shape.elements()) + ", for " + to_string(shape));
  }
  if (*wanted.dtype == DType::kInt32) return array_of<int32_t>(feature, shape);
  if (*wanted.dtype == DType::kInt64) return array_of<int64_t>(feature, shape);
  return array_of<float>(feature, shape);
}

Column column_of(const TfFeature& feature, const TfrecordFeature& wanted) {
  return wanted.dtype ? Column(array_of(feature, wanted)) : column_of(feature);
}

// Adds to an error of a feature's values which feature it is.
template <class Make>
Column named(std::string_view name, Make make) {
  try {
    return make();
  } catch (const UsageError& error) {
    Report report = error.report();
    report.given += " in feature " + in_quotes(name);
    throw UsageError(std::move(report));
  }
}

void check(const TfrecordFeature& feature) {
  const std::string where = "read_tfrecord, feature " + in_quotes(feature.name);
  constexpr std::array kDTypes = {DType::kInt64, DType::kInt32, DType::kFloat32};
  if (feature.dtype && std::ranges::find(kDTypes, *feature.dtype) == kDTypes.end()) {
    throw UsageError(
        {.where = where, .given = std::string(name_of(*feature.dtype)), .expected = "int64, int32 or float32"});
  }
  if (feature.shape && !feature.dtype) {
    throw UsageError({.where = where, .given = "a shape without a dtype", .expected = "int64, int32 or float32"});
  }
}

}  // namespace

TfrecordColumns::TfrecordColumns(std::vector<TfrecordFeature> features) : features_(std::move(features)) {
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
    throw DataError(
        {.where = to_string(example.origin()),
         .given = error.report().given + ", in the record at byte offset " + std::to_string(position.offset),
         .expected = error.report().expected});
  }
  return example;
}

void TfrecordColumns::add_all(Example& example, const io::TfExample& features) const {
  std::vector<const TfFeature*> sorted;
  for (const TfFeature& feature : features.features()) {
    if (feature.kind != FeatureKind::kNone) sorted.push_back(&feature);
  }
  // Encoders give them any order, and it need not be that of the record before.
  std::ranges::sort(sorted, {}, &TfFeature::name);
  for (const TfFeature* feature : sorted) {
    example.set(feature->name, named(feature->name, [&] { return column_of(*feature); }));
  }
}

void TfrecordColumns::add_chosen(Example& example, const io::TfExample& features) const {
  for (const TfrecordFeature& wanted : features_) {
    const TfFeature* feature = features.find(wanted.name);
    if (feature != nullptr && feature->kind != FeatureKind::kNone) {
      example.set(wanted.column, named(wanted.name, [&] { return column_of(*feature, wanted); }));
    } else if (wanted.otherwise) {
      example.set(wanted.column, *wanted.otherwise);
    } else {
      std::vector<std::string_view> names;
      for (const TfFeature& there : features.features()) names.push_back(there.name);
      throw missing_column(to_string(example.origin()), wanted.name, names);
    }
  }
}

}  // namespace portune::data
