// tf.train.Example, the usual message in TFRecord files: named features, each a list of bytes, floats or integers.
// Reading refers to the bytes of the record and copies values only on request.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::io {

enum class FeatureKind : uint8_t { kNone, kBytes, kFloat, kInt64 };

/// Name of a kind: "bytes", "float", "int64", or "no values" for kNone.
std::string_view name_of(FeatureKind kind);

/// An encoded feature. Valid while the record and the TfExample live.
struct TfFeature {
  std::string_view name;
  FeatureKind kind = FeatureKind::kNone;
  std::string_view list;  // the encoded message BytesList, FloatList or Int64List

  // The following functions throw UsageError for a malformed list and for a list of another kind.

  int64_t count() const;
  /// Copies all values. `values` has count() elements.
  /// errors  UsageError for an integer that 32 bits cannot hold
  void copy_to(std::span<int64_t> values) const;
  void copy_to(std::span<int32_t> values) const;
  void copy_to(std::span<float> values) const;
  std::vector<std::string_view> texts() const;
  /// The first text; empty if there is none.
  std::string_view text() const;
};

/// The features of one record at a time, by the rules of protocol buffers: the last of equal names counts, and parts of
/// a message are joined.
class TfExample {
 public:
  static constexpr int kMaxFeatures = 16'384;  ///< maximum per record, because a look-up scans all features

  /// errors  UsageError for a record that is not a tf.train.Example or has more than kMaxFeatures, counting doubled
  ///         names
  void parse(std::string_view record);

  /// The features with unique names, in the order of first appearance.
  std::span<const TfFeature> features() const { return features_; }
  /// The feature with this name, or null.
  const TfFeature* find(std::string_view name) const;
  /// Same as above, but tries `index` first and stores the index of the result there, because records of a file are
  /// alike.
  const TfFeature* find(std::string_view name, size_t& index) const;

 private:
  void parse_features(std::string_view message);
  void parse_entry(std::string_view message);
  void parse_feature(std::string_view message, TfFeature& feature);
  std::string_view join(std::string_view list, std::string_view part);
  void set(const TfFeature& feature);

  std::vector<TfFeature> features_;
  int parsed_ = 0;                  // number of features so far, counting doubled names
  std::deque<std::string> joined_;  // lists joined from several parts
};

/// Encodes one Example at a time. Sorts the features by name, as TensorFlow's deterministic serialization does, so that
/// equal features have equal bytes.
class TfExampleWriter {
 public:
  void add(std::string_view name, std::span<const std::string_view> texts);
  void add(std::string_view name, std::span<const int64_t> values);
  void add(std::string_view name, std::span<const float> values);
  /// Removes the features added so far.
  void clear();
  /// The encoded Example, valid until the next call. Features added later belong to the next Example.
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
