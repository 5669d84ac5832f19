// Image classification: one label for an image.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/image.h"
#include "portatune/sources.h"
#include "portatune/tasks.h"

namespace portatune {

struct ImageClassificationOptions {
  std::string image_column = "image";  ///< of the paths of files, or of the files' bytes
  std::string label_column = "label";
  /// Names of the classes in the order of their ids, as labels_of() finds them; default: those of the checkpoint. If
  /// the checkpoint has the same classes, its order is kept, so that its classifier keeps its meaning.
  std::vector<std::string> labels;
  image::Augmentation augmentation;  ///< of training batches
  int64_t max_pixels = image::DecodeOptions().max_pixels;
  bool reduced_decode = false;  ///< whether JPEGs are decoded no larger than needed: faster, and not the same pixels
};

/// Rows with two texts: the path of an image, and its label. `files` is one folder, or tables, whose paths are relative
/// to the folder of the table. In place of a path a row may have the bytes of a JPEG, PNG or WebP file.
/// label_column  empty: labels are not read
/// table         how tables are read, but for the columns
/// errors        those of data::read_image_folder and data::read_table
data::Dataset read_images(const std::vector<std::string>& files, const std::string& image_column,
                          const std::string& label_column, data::TableOptions table = {});

/// One label for an image: a Hugging Face model folder of an image model, with its preprocessor_config.json. Where the
/// checkpoint has learned from a teacher, too, its logits are the mean of the two heads', in training as well.
class ImageClassification final : public RowTask {
 public:
  /// errors  CheckpointError, NotFoundError for what is wrong with the folder, an image processor whose images have not
  ///         the model's size; UsageError for options that do not fit it
  ImageClassification(const std::filesystem::path& model, ImageClassificationOptions options);
  ~ImageClassification() override;

  const std::vector<std::string>& labels() const;

  /// A row as arrays: float32 [channels, height, width] pixel_values, int32 labels; and the text image, its path
  /// as the row has it, or where the row is from if it has the image itself.
  /// errors  DataError, NotFoundError, IoError, which name row and file, for an image that cannot be read; DataError
  ///         for a label outside the set
  data::Example encode(const data::Example& row, Labels labels = Labels::kRequired) const;

  struct Prediction {
    std::string image, label;
    std::vector<float> probabilities;  ///< of labels()
    std::vector<float> logits;
  };
  /// One per row of a batch, without the rows that only fill it up.
  std::vector<Prediction> predictions(const data::Example& batch, const data::Example& outputs) const;

  std::vector<std::string> columns(Labels labels) const override;
  data::Dataset read(const std::vector<std::string>& files, Labels labels,
                     data::TableOptions table = {}) const override;
  void set_batch_share(BatchShare share) override { share_ = share; }
  /// Decoded by as many threads as there are cores that the process may use.
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const override;
  /// With random changes that depend on the seed, the epoch and the row's place among the rows alone.
  data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                 const data::ShuffleOptions& order) const override;
  /// {"image": path, "label": ..., "score": its probability, "scores": {label: probability}, "logits": [...]}
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  std::map<std::string, std::string> settings() const override;
  std::vector<std::string> unknown_config_keys() const override;

  std::vector<std::string> inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override;
  /// Images.
  TokenCount tokens(const data::Example& batch) const override;
  double initializer_range() const override;
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override;
  void save(const std::filesystem::path& folder) const override;

 private:
  struct Impl;
  data::LocalRows local_rows(int64_t batch_size) const;

  std::unique_ptr<const Impl> impl_;
  BatchShare share_;
};

}  // namespace portatune
