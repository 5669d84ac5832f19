// From the features of a tf.train.Example to the columns of an example.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "portune/io/tf_example.h"
#include "portune/io/tfrecord_frame.h"
#include "portune/tfrecord.h"

namespace portune::data {

/// What read_tfrecord says of columns. Immutable, hence safe to share between threads.
class TfrecordColumns {
 public:
  /// errors  UsageError for a dtype that is none of the three, a shape without one, a column named twice
  explicit TfrecordColumns(std::vector<TfrecordFeature> features);

  /// parser    for one thread at a time, kept so that its memory is
  /// position  of the record in the file, for errors
  Example read(std::string_view record, Origin origin, const io::RecordPosition& position, io::TfExample& parser) const;

 private:
  void add_all(Example& example, const io::TfExample& features) const;
  void add_chosen(Example& example, const io::TfExample& features) const;

  std::vector<TfrecordFeature> features_;
};

}  // namespace portune::data
