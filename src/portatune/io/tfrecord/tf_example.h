// tf.train.Example, the message that TFRecord files usually hold: named features, each a list of bytes, of floats or of
// integers. Reading looks into the record's bytes; nothing is copied before its values are asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::io {

enum class FeatureKind : uint8_t { kNone, kBytes, kFloat, kInt64 };

/// "bytes", "float", "int64"; "no values" for kNone.
std::string_view name_of(FeatureKind kind);

/// A feature as it is encoded. Valid as long as the record and the TfExample.
struct TfFeature {
  std::string_view name;
  FeatureKind kind = FeatureKind::kNone;
  std::string_view list;  // the message BytesList, FloatList or Int64List

  // The functions below throw UsageError for a list that is none, or of another kind than they read.

  int64_t count() const;
  /// Copies all values; `values` has count() elements.
  /// errors  UsageError for an integer that 32 bits cannot hold
  void copy_to(std::span<int64_t> values) const;
  void copy_to(std::span<int32_t> values) const;
  void copy_to(std::span<float> values) const;
  std::vector<std::string_view> texts() const;
  /// The first of the texts; empty if there is none.
  std::string_view text() const;
};

/// The features of one record after the other, by protocol buffers' rules: of doubled names the last counts, parts of a
/// message are joined.
class TfExample {
 public:
  static constexpr int kMaxFeatures = 16'384;  ///< of a record: who looks for one goes through all

  /// errors  UsageError for what is no tf.train.Example, and for more than kMaxFeatures, doubled names included
  void parse(std::string_view record);

  /// Each name once, in the order of their first appearance.
  std::span<const TfFeature> features() const { return features_; }
  /// Null if there is none.
  const TfFeature* find(std::string_view name) const;
  /// The same, looked for first where it was found last, as records of a file are alike.
  const TfFeature* find(std::string_view name, size_t& place) const;

 private:
  void parse_features(std::string_view message);
  void parse_entry(std::string_view message);
  void parse_feature(std::string_view message, TfFeature& feature);
  std::string_view join(std::string_view list, std::string_view part);
  void set(const TfFeature& feature);

  std::vector<TfFeature> features_;
  int parsed_ = 0;                  // features so far, among them those of doubled names
  std::deque<std::string> joined_;  // lists that came in several parts
};

/// Encodes one Example after the other. Features are written in the order of their names, as TensorFlow's
/// deterministic serialization does, so the same features give the same bytes.
class TfExampleWriter {
 public:
  void add(std::string_view name, std::span<const std::string_view> texts);
  void add(std::string_view name, std::span<const int64_t> values);
  void add(std::string_view name, std::span<const float> values);
  /// Forgets the features added so far.
  void clear();
  /// The Example, valid until the next call; the features added after it belong to the next Example.
  std::string_view finish();

 private:
  struct Entry {
    size_t name_begin = 0, name_size = 0, begin = 0, end = 0;  // within entries_
  };
  void add_list(std::string_view name, FeatureKind kind, std::string_view list);

  std::vector<Entry> order_;
  std::string list_, entries_, message_;
};

}  // namespace portatune::io
