// Conversion of the features of a tf.train.Example to the columns of an example.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/tfrecord/tf_example.h"
#include "portatune/io/tfrecord/tfrecord_frame.h"
#include "portatune/sources.h"

namespace portatune::data {

/// The type and number of values of a feature that becomes an array.
struct ArrayKind {
  DType dtype = DType::kInt64;
  int64_t count = 0;
  bool operator==(const ArrayKind&) const = default;
};

/// The array of a feature by the rules of read_tfrecord; nullopt if it becomes a text.
/// errors  UsageError for values of another kind or number than `wanted`
std::optional<ArrayKind> array_kind_of(const io::TfFeature& feature, const TfrecordFeature& wanted);
Shape shape_of(const ArrayKind& kind, const TfrecordFeature& wanted);
/// Copies the values of an array; `to` has room for them.
/// errors  UsageError for an integer that does not fit
void copy_array(const io::TfFeature& feature, const ArrayKind& kind, std::byte* to);
/// The text of a feature that is not an array.
std::string text_of(const io::TfFeature& feature);

/// The error of a record with a wrong value.
DataError bad_record(const Origin& origin, const io::RecordPosition& position, const UsageError& error);
DataError missing_feature(const Origin& origin, std::string_view name, const io::TfExample& features);

/// make(), with the name of the feature added to a UsageError.
template <class Make>
auto naming(std::string_view feature, const Make& make) {
  try {
    return make();
  } catch (const UsageError& error) {
    Report report = error.report();
    report.given += " in feature " + in_quotes(feature);
    throw UsageError(std::move(report));
  }
}

/// The rules of read_tfrecord for columns. Immutable, and therefore thread-safe.
class TfrecordColumns {
 public:
  /// errors  UsageError for another dtype than the three, a shape without a dtype, two columns of one name
  TfrecordColumns(std::vector<TfrecordFeature> features, bool as_written);

  const std::vector<TfrecordFeature>& features() const { return features_; }

  /// Parses one record.
  /// parser    used by one thread at a time; reused to keep its memory
  /// position  of the record in the file, for errors
  Example read(std::string_view record, Origin origin, const io::RecordPosition& position, io::TfExample& parser) const;

 private:
  Column column_of(const io::TfFeature& feature, const TfrecordFeature& wanted) const;
  void add_all(Example& example, const io::TfExample& features) const;
  void add_chosen(Example& example, const io::TfExample& features) const;

  std::vector<TfrecordFeature> features_;
  const bool as_written_;
};

}  // namespace portatune::data
