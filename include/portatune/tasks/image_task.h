// The common part of tasks on images: a model folder with its image processor, and the images of rows as arrays.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "portatune/hub.h"
#include "portatune/image.h"
#include "portatune/json_object.h"
#include "portatune/models.h"
#include "portatune/tasks.h"

namespace portatune {

class OptionFields;

/// How images of rows become pixels.
struct ImageInputOptions {
  image::Augmentation augmentation;  ///< augmentation of training batches
  int64_t max_pixels = image::DecodeOptions().max_pixels;
  bool reduced_decode = false;  ///< whether JPEGs are decoded no larger than needed: faster, with other pixels

  void describe(OptionFields& fields);
};

/// A task on an image model with a Hugging Face folder and its preprocessor_config.json. A row has one image: the path
/// of a file, or the bytes of a JPEG, PNG or WebP file.
class ImageTask : public RowTask {
 public:
  ~ImageTask() override;

  bool reads_one_text() const override { return false; }
  void set_batch_share(BatchShare share) override { share_ = share; }
  /// Decodes images with as many threads as there are cores that the process may use.
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const override;
  /// Augments images at random, depending only on the seed, the epoch and the row's index.
  data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                 const data::ShuffleOptions& order) const override;
  std::vector<std::string> unknown_config_keys() const override;
  /// Counts images.
  TokenCount tokens(const data::Example& batch) const override;
  double initializer_range() const override;
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override;
  void require_weights() const override;

 protected:
  /// column  the column of paths or of the files' bytes
  /// errors  CheckpointError, NotFoundError for a faulty folder or an image processor whose images do not have the
  ///         model's size
  ImageTask(const std::filesystem::path& model, std::string column, ImageInputOptions options);

  /// The example of a row without its pixels.
  virtual data::Example example_of(const data::Example& row, Labels labels) const = 0;

  /// The example of a row with "pixel_values", float32 [channels, height, width].
  /// errors  DataError, NotFoundError, IoError, which name row and file, for an image that cannot be read; those of
  ///         example_of()
  data::Example encoded(const data::Example& row, Labels labels) const;

  const io::JsonObject& config() const;
  const models::ImageModel& model() const;
  const std::string& image_column() const;
  /// The options and the column as values of settings().
  std::map<std::string, std::string> image_settings() const;
  /// Writes the config with the changes and the companion files.
  void save_folder(const std::filesystem::path& folder, ConfigChanges changes) const;

 private:
  struct Impl;
  data::LocalRows local_rows(int64_t batch_size) const;

  std::unique_ptr<const Impl> impl_;
  BatchShare share_;
};

}  // namespace portatune
