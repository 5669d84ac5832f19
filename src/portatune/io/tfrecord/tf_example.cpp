#include "portatune/io/tfrecord/tf_example.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "portatune/base/text/message.h"
#include "portatune/base/wire.h"
#include "portatune/error.h"
#include "portatune/io/tfrecord/packed_varints.h"

namespace portatune::io {
namespace {

using Type = WireReader::Type;

// Field numbers of tensorflow/core/example/{example,feature}.proto. A map is a repeated message of key and value.
constexpr int kFeatures = 1, kFeature = 1, kKey = 1, kValue = 2, kValues = 1;
constexpr int kBytesList = 1, kInt64List = 3;

[[noreturn]] void refuse_example(std::string given, std::string expected) {
  throw UsageError({.where = "tf.train.Example", .given = std::move(given), .expected = std::move(expected)});
}

void require_kind(const TfFeature& feature, FeatureKind kind) {
  if (feature.kind == kind) return;
  refuse_example("a list of " + std::string(name_of(feature.kind)), "a list of " + std::string(name_of(kind)));
}

// Calls take(reader) for every field of values. A field of a number list has one number, or several packed numbers.
template <class Take>
void for_each_part(std::string_view list, Take take) {
  for (WireReader reader(list); reader.next();) {
    if (reader.field() == kValues) take(reader);
  }
}

int64_t count_floats(std::string_view floats) {
  if (floats.size() % sizeof(float) != 0) refuse_example("a float that is cut short", "a list of floats");
  return static_cast<int64_t>(floats.size() / sizeof(float));
}

void require_fit(int64_t, int64_t*) {}
void require_fit(int64_t value, int32_t*) {
  if (value == static_cast<int32_t>(value)) return;
  refuse_example(std::to_string(value), "integers that 32 bits can hold");
}

template <class T>
void copy_integers(const TfFeature& feature, std::span<T> values) {
  require_kind(feature, FeatureKind::kInt64);
  for_each_part(feature.list, [&](const WireReader& part) {
    if (part.type() == Type::kBytes) {
      values = values.subspan(unpack(part.bytes(), values));
    } else {
      const auto value = static_cast<int64_t>(part.varint());
      require_fit(value, values.data());
      values.front() = static_cast<T>(value);
      values = values.subspan(1);
    }
  });
}

size_t varint_bytes(uint64_t value) { return static_cast<size_t>(std::bit_width(value | 1) + 6) / 7; }

char* put_varint(char* at, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}

void append_length(std::string& out, int field, size_t length) {
  char bytes[12];
  char* end = put_varint(bytes, static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(Type::kBytes));
  end = put_varint(end, length);
  out.append(bytes, static_cast<size_t>(end - bytes));
}

// Number of bytes of a field with a tag of one byte.
size_t field_bytes(size_t length) { return 1 + varint_bytes(length) + length; }

}  // namespace

std::string_view name_of(FeatureKind kind) {
  constexpr std::string_view kNames[] = {"no values", "bytes", "float", "int64"};
  return kNames[static_cast<size_t>(kind)];
}

int64_t TfFeature::count() const {
  int64_t count = 0;
  for_each_part(list, [&](const WireReader& part) {
    const bool is_packed = kind != FeatureKind::kBytes && part.type() == Type::kBytes;
    if (!is_packed) {
      ++count;
    } else {
      count += kind == FeatureKind::kInt64 ? count_packed(part.bytes()) : count_floats(part.bytes());
    }
  });
  return count;
}

void TfFeature::copy_to(std::span<int64_t> values) const { copy_integers(*this, values); }
void TfFeature::copy_to(std::span<int32_t> values) const { copy_integers(*this, values); }

void TfFeature::copy_to(std::span<float> values) const {
  require_kind(*this, FeatureKind::kFloat);
  float* out = values.data();
  for_each_part(list, [&](const WireReader& part) {
    if (part.type() == Type::kBytes) {
      const std::string_view floats = part.bytes();
      if (!floats.empty()) std::memcpy(out, floats.data(), floats.size());
      out += floats.size() / sizeof(float);
    } else {
      *out++ = part.fixed32();
    }
  });
}

std::vector<std::string_view> TfFeature::texts() const {
  require_kind(*this, FeatureKind::kBytes);
  std::vector<std::string_view> texts;
  for_each_part(list, [&](const WireReader& part) { texts.push_back(part.bytes()); });
  return texts;
}

std::string_view TfFeature::text() const {
  require_kind(*this, FeatureKind::kBytes);
  for (WireReader reader(list); reader.next();) {
    if (reader.field() == kValues) return reader.bytes();
  }
  return {};
}

void TfExample::parse(std::string_view record) {
  features_.clear();
  joined_.clear();
  parsed_ = 0;
  for (WireReader reader(record); reader.next();) {
    if (reader.field() == kFeatures) parse_features(reader.bytes());
  }
}

void TfExample::parse_features(std::string_view message) {
  for (WireReader reader(message); reader.next();) {
    if (reader.field() == kFeature) parse_entry(reader.bytes());
  }
}

void TfExample::parse_entry(std::string_view message) {
  if (++parsed_ > kMaxFeatures) refuse_example("more than " + counted(kMaxFeatures, "feature"), "fewer features");
  TfFeature feature;
  for (WireReader reader(message); reader.next();) {
    if (reader.field() == kKey) feature.name = reader.bytes();
    if (reader.field() == kValue) parse_feature(reader.bytes(), feature);
  }
  const bool is_ascii = std::ranges::all_of(feature.name, [](char c) { return static_cast<signed char>(c) >= 0; });
  if (!is_ascii && !simdjson::validate_utf8(feature.name.data(), feature.name.size())) {
    refuse_example("a name that is not UTF-8", "names in UTF-8");
  }
  set(feature);
}

void TfExample::parse_feature(std::string_view message, TfFeature& feature) {
  for (WireReader reader(message); reader.next();) {
    if (reader.field() < kBytesList || reader.field() > kInt64List) continue;
    const auto kind = static_cast<FeatureKind>(reader.field());
    if (kind == feature.kind) {
      feature.list = join(feature.list, reader.bytes());
    } else {
      feature.kind = kind;
      feature.list = reader.bytes();
    }
  }
}

// Joins in index if `list` was joined before, so that many parts need no more memory than their size.
std::string_view TfExample::join(std::string_view list, std::string_view part) {
  const bool is_joined = !joined_.empty() && joined_.back().data() == list.data();
  std::string& joined = is_joined ? joined_.back() : joined_.emplace_back(list);
  return joined += part;
}

void TfExample::set(const TfFeature& feature) {
  const auto found = std::ranges::find(features_, feature.name, &TfFeature::name);
  if (found != features_.end()) {
    *found = feature;
  } else {
    features_.push_back(feature);
  }
}

const TfFeature* TfExample::find(std::string_view name) const {
  const auto found = std::ranges::find(features_, name, &TfFeature::name);
  return found == features_.end() ? nullptr : &*found;
}

const TfFeature* TfExample::find(std::string_view name, size_t& index) const {
  if (index < features_.size() && features_[index].name == name) return &features_[index];
  const TfFeature* found = find(name);
  if (found != nullptr) index = static_cast<size_t>(found - features_.data());
  return found;
}

void TfExampleWriter::add(std::string_view name, std::span<const std::string_view> texts) {
  list_.clear();
  for (const std::string_view text : texts) {
    append_length(list_, kValues, text.size());
    list_ += text;
  }
  add_list(name, FeatureKind::kBytes, list_);
}

void TfExampleWriter::add(std::string_view name, std::span<const int64_t> values) {
  size_t bytes = 0;
  for (const int64_t value : values) bytes += varint_bytes(static_cast<uint64_t>(value));
  list_.clear();
  if (bytes > 0) append_length(list_, kValues, bytes);
  const size_t begin = list_.size();
  list_.resize(begin + bytes);
  char* at = list_.data() + begin;
  for (const int64_t value : values) at = put_varint(at, static_cast<uint64_t>(value));
  add_list(name, FeatureKind::kInt64, list_);
}

void TfExampleWriter::add(std::string_view name, std::span<const float> values) {
  list_.clear();
  if (!values.empty()) append_length(list_, kValues, values.size_bytes());
  list_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  add_list(name, FeatureKind::kFloat, list_);
}

void TfExampleWriter::add_list(std::string_view name, FeatureKind kind, std::string_view list) {
  const size_t feature_bytes = field_bytes(list.size());
  Entry entry{.begin = entries_.size()};
  append_length(entries_, kFeature, field_bytes(name.size()) + field_bytes(feature_bytes));
  append_length(entries_, kKey, name.size());
  entry.name_begin = entries_.size();
  entry.name_size = name.size();
  entries_ += name;
  append_length(entries_, kValue, feature_bytes);
  append_length(entries_, static_cast<int>(kind), list.size());
  entries_ += list;
  entry.end = entries_.size();
  order_.push_back(entry);
}

void TfExampleWriter::clear() {
  order_.clear();
  entries_.clear();
}

std::string_view TfExampleWriter::finish() {
  const std::string_view entries = entries_;
  const auto name_of = [&](const Entry& entry) { return entries.substr(entry.name_begin, entry.name_size); };
  std::ranges::sort(order_, {}, name_of);
  message_.clear();
  append_length(message_, kFeatures, entries.size());
  for (const Entry& entry : order_) message_ += entries.substr(entry.begin, entry.end - entry.begin);
  clear();
  return message_;
}

}  // namespace portatune::io
