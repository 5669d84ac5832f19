// Colorization: colours for grey pictures, by the three models of a Colorization Transformer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "portatune/media.h"
#include "portatune/tasks.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

/// The options of the task "colorization".
struct ColorizationOptions {
  std::string image_column = "image";  ///< column of file paths, or of the files' bytes
  /// Column of the pictures that an upsampler reads in predictions, those of the model before it; empty: it reads the
  /// colours of the image itself, made coarse or small.
  std::string colored_column = {};
  int64_t max_pixels = image::DecodeOptions().max_pixels;
  bool random_crop = true;               ///< whether training uses a random square of an image, not that in the middle
  std::filesystem::path colored_images;  ///< folder to which predictions write their pictures
  /// Seed with which predictions of a colorizer draw colours; none: they have the most probable ones.
  std::optional<uint64_t> color_seed = {};

  void describe(OptionFields& fields);
};
const TaskSpec& colorization_spec();

/// The task of a folder with a model of models::color_model(). Images are cut to squares and resized by their areas;
/// the model reads their grey values, and learns their colours.
/// errors  CheckpointError, NotFoundError for a faulty folder
std::unique_ptr<RowTask> colorization(const ModelSource& model, ColorizationOptions options);

}  // namespace portatune
