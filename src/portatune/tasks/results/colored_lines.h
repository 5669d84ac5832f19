// Predictions that are pictures.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "portatune/media.h"
#include "portatune/tasks.h"

namespace portatune::tasks {

/// Where the facts of a line are.
struct ColoredColumns {
  std::string name;       ///< column of a batch with the paths of the rows' files
  std::string bits;       ///< output with the mean cross-entropy of each picture, float32 [batch]
  std::string bits_name;  ///< its name in the lines
};

/// Writes a PNG file for each row into a folder, under the name of the row's file, and a line with both and with the
/// mean cross-entropy of the picture: {"image": path, "colored": path of the PNG file, "bits_per_pixel": 1.2}.
class ColoredLines final : public PredictionLines {
 public:
  /// The picture of a row of the outputs.
  using PictureOf = std::function<image::Image(const data::Example& outputs, size_t row)>;

  /// folder  created if it does not exist
  /// errors  IoError if it cannot be created; take() throws UsageError for a picture whose file exists
  ColoredLines(ColoredColumns columns, const std::filesystem::path& folder, PictureOf picture_of);

  std::string take(const data::Example& batch, const data::Example& outputs) override;

 private:
  std::filesystem::path file_for(const std::string& name);

  const ColoredColumns columns_;
  const std::filesystem::path folder_;
  const PictureOf picture_of_;
  std::map<std::string, int> next_numbers_;  // by name of a picture: the number that follows the next equal name
};

}  // namespace portatune::tasks
