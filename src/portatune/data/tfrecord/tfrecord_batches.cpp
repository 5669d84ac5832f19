// Batches of records without intermediate examples: values are copied from the file's bytes to the batch's arrays.
#include "portatune/data/tfrecord/tfrecord_batches.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/batch/batching.h"
#include "portatune/data/saved_state.h"

namespace portatune::data {
namespace {

using io::TfFeature;

constexpr std::string_view kBatch = "batch";

// A column of a batch, filled row by row. Its first row determines the type of all rows, as in stack().
class BatchColumn {
 public:
  BatchColumn(const TfrecordFeature& feature, int64_t size) : feature_(feature), size_(size) {}

  const TfrecordFeature& feature() const { return feature_; }

  /// The feature in a record; null if it is missing or has no list.
  const TfFeature* find(const io::TfExample& features) {
    const TfFeature* found = features.find(feature_.name, place_);
    return found == nullptr || found->kind == io::FeatureKind::kNone ? nullptr : found;
  }

  /// errors  UsageError for a value of another kind or shape
  void add(int64_t row, const TfFeature& value) {
    const std::optional<ArrayKind> kind = array_kind_of(value, feature_);
    if (row == 0) begin(kind);
    if (kind != kind_) throw differs(kind);
    if (kind) {
      copy_array(value, *kind, array_.data() + row * kind->count * size_of(kind->dtype));
    } else {
      texts_.push_back(text_of(value));
    }
  }

  /// The first `rows` rows; rows that were not added are zeros or empty texts.
  Column take(int64_t rows) {
    if (!kind_) {
      texts_.resize(static_cast<size_t>(rows));
      return std::move(texts_);
    }
    if (rows == size_) return std::move(array_);
    Shape shape = array_.shape();
    shape[0] = rows;
    Tensor part({kind_->dtype, std::move(shape)});
    std::copy_n(array_.data(), part.type().bytes(), part.data());
    return part;
  }

 private:
  void begin(const std::optional<ArrayKind>& kind) {
    kind_ = kind;
    texts_.clear();
    if (!kind) {
      texts_.reserve(static_cast<size_t>(size_));
      return;
    }
    Shape shape = shape_of(*kind, feature_);
    shape.insert(0, size_);
    array_ = Tensor({kind->dtype, std::move(shape)});
  }

  UsageError differs(const std::optional<ArrayKind>& kind) const {
    const auto named = [&](const std::optional<ArrayKind>& of) {
      return of ? to_string(TensorType{of->dtype, shape_of(*of, feature_)}) : "a text";
    };
    return UsageError(
        {.where = "batch", .given = named(kind), .expected = named(kind_) + ", as in the batch's first example"});
  }

  const TfrecordFeature& feature_;
  const int64_t size_;
  size_t place_ = 0;
  std::optional<ArrayKind> kind_;  // nullopt: texts
  Tensor array_;
  std::vector<std::string> texts_;
};

class TfrecordBatches final : public Iterator {
 public:
  TfrecordBatches(const std::shared_ptr<const TfrecordFiles>& files, const BatchOptions& options)
      : files_(files), records_(files), options_(options) {
    for (const TfrecordFeature& feature : files_->columns.features()) columns_.emplace_back(feature, options.size);
  }

  std::optional<Example> next() override {
    std::vector<Origin> origins;
    int64_t rows = 0;
    for (; rows < options_.size; ++rows) {
      const std::optional<TfrecordRecord> record = records_.next();
      if (!record) break;
      origins.push_back(files_->origin_of(*record));
      add(rows, *record);
    }
    if (rows == 0 || (rows < options_.size && options_.drop_remainder)) return std::nullopt;
    return batch_of(std::move(origins), rows);
  }

  int64_t skip(int64_t count) override {
    return skip_batches(count, options_, [this](int64_t rows) { return records_.skip(rows); });
  }

  // Equal to the state of batches gathered from examples.
  nlohmann::json state() const override { return {{"stage", kBatch}, {"input", records_.state()}}; }
  void restore(const nlohmann::json& state) override { records_.restore(SavedState(kBatch, state).part("input")); }

 private:
  void add(int64_t row, const TfrecordRecord& record) {
    try {
      parser_.parse(record.bytes);
      for (BatchColumn& column : columns_) {
        const TfFeature* value = column.find(parser_);
        if (value == nullptr) throw missing_feature(files_->origin_of(record), column.feature().name, parser_);
        naming(value->name, [&] { column.add(row, *value); });
      }
    } catch (const UsageError& error) {
      throw bad_record(files_->origin_of(record), record.position, error);
    }
  }

  Example batch_of(std::vector<Origin> origins, int64_t rows) {
    const int64_t size = options_.fill_remainder ? options_.size : rows;
    Example batch(origins.front());
    batch.set_row_origins(std::move(origins));
    for (BatchColumn& column : columns_) batch.set(column.feature().column, column.take(size));
    Tensor weights({DType::kFloat32, {size}});
    std::fill_n(weights.as<float>().begin(), rows, 1.0F);
    return std::move(batch.set(kExampleWeight, std::move(weights)));
  }

  std::shared_ptr<const TfrecordFiles> files_;
  TfrecordSequence records_;
  BatchOptions options_;
  std::vector<BatchColumn> columns_;
  io::TfExample parser_;
};

struct BatchedTfrecord final : Stage {
  const std::shared_ptr<const TfrecordFiles> files;
  const BatchOptions options;
  const StagePtr gathered;
  BatchedTfrecord(std::shared_ptr<const TfrecordFiles> files, const BatchOptions& options, StagePtr gathered)
      : files(std::move(files)), options(options), gathered(std::move(gathered)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    if (pass.bad_rows) return gathered->iterate(pass);
    return std::make_unique<TfrecordBatches>(files, options);
  }
};

// True if each row must have a value of this feature, and the column is not the weight of examples.
bool is_plain(const TfrecordFeature& feature) { return !feature.otherwise && feature.column != kExampleWeight; }

}  // namespace

StagePtr batches_of(std::shared_ptr<const TfrecordFiles> files, const BatchOptions& options, StagePtr gathered) {
  const std::vector<TfrecordFeature>& features = files->columns.features();
  if (features.empty() || !std::ranges::all_of(features, is_plain)) return nullptr;
  return std::make_shared<BatchedTfrecord>(std::move(files), options, std::move(gathered));
}

}  // namespace portatune::data
