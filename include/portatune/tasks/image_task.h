// The common part of tasks on images: a model with its image processor, and the images of rows as arrays.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "portatune/media.h"
#include "portatune/models.h"
#include "portatune/tasks/file_task.h"

namespace portatune {

class OptionFields;

// Options that several tasks on images have.
void describe_image_column(OptionFields& fields, std::string& column);
void describe_max_pixels(OptionFields& fields, int64_t& max_pixels);
void describe_random_crop(OptionFields& fields, bool& random_crop);

/// How images of rows become pixels.
struct ImageInputOptions {
  image::Augmentation augmentation;  ///< augmentation of training batches
  int64_t max_pixels = image::DecodeOptions().max_pixels;
  bool reduced_decode = false;  ///< whether JPEGs are decoded no larger than needed: faster, with other pixels

  void describe(OptionFields& fields);
};

/// A task on an image model with a Hugging Face folder and its preprocessor_config.json. A row has one image: the path
/// of a file, or the bytes of a JPEG, PNG or WebP file. Training augments images at random.
class ImageTask : public FileTask {
 public:
  ~ImageTask() override;

  double initializer_range() const override;

 protected:
  /// column  the column of paths or of the files' bytes
  /// errors  CheckpointError, NotFoundError for a faulty folder or an image processor whose images do not have the
  ///         model's size
  ImageTask(const ModelSource& model, std::string column, ImageInputOptions options);

  const models::ImageModel& model() const;
  const std::string& image_column() const { return file_column(); }
  /// The options and the column as values of settings().
  std::map<std::string, std::string> image_settings() const;

 private:
  struct Impl;
  /// "pixel_values", float32 [channels, height, width].
  data::BatchType arrays(bool is_training) const override;
  void add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                  std::optional<uint64_t> key) const override;
  const std::string& base_prefix() const override;

  std::unique_ptr<const Impl> impl_;
};

}  // namespace portatune
