// Images: files decoded, resized and normalised as Pillow and the image processors of Hugging Face do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "portatune/tensor.h"

namespace portatune::image {

/// In pixels.
struct Size {
  int64_t height = 0, width = 0;
  bool operator==(const Size&) const = default;
};

/// "640 x 480 pixels": the width first, as people say it.
std::string to_string(const Size& size);

/// Pixels of an Image, or of a part of it: rows of RGB, a byte a colour. Only of an Image, which has room behind its
/// last row: what works on a view reads whole vectors.
struct View {
  const uint8_t* data = nullptr;
  Size size;
  int64_t row_bytes = 0;  ///< from a row to the next

  const uint8_t* row(int64_t y) const { return data + y * row_bytes; }
  /// The part of `size` whose first pixel is at (top, left); it must lie within.
  View crop(int64_t top, int64_t left, Size part) const { return {row(top) + 3 * left, part, row_bytes}; }
};

/// An image in memory: RGB, a byte a colour, row by row without gaps.
class Image {
 public:
  /// Pixels are undefined.
  explicit Image(Size size);

  Size size() const { return size_; }
  uint8_t* row(int64_t y) { return data_.get() + y * 3 * size_.width; }
  View view() const { return {data_.get(), size_, 3 * size_.width}; }
  /// All bytes, height x width x 3.
  std::span<uint8_t> bytes() { return {data_.get(), byte_count()}; }
  std::span<const uint8_t> bytes() const { return {data_.get(), byte_count()}; }

 private:
  size_t byte_count() const { return static_cast<size_t>(3 * size_.height * size_.width); }

  Size size_;
  std::unique_ptr<uint8_t[]> data_;
};

struct DecodeOptions {
  /// A file that declares more is refused before memory is taken for it. The default is where Pillow begins to warn.
  int64_t max_pixels = 89'478'485;
  /// A JPEG may be decoded at a half, a quarter or an eighth of its size as long as both sides stay as large as this
  /// function says for the size of the whole: several times as fast, and not the same pixels. Absent: full size.
  std::function<Size(Size whole)> at_least;
};

/// A JPEG, PNG or WebP file, told by its content. Pixels are those of Pillow: convert("RGB") after
/// ImageOps.exif_transpose. Of an animation the first picture.
/// where     what to call the file in errors
/// errors    DataError for a file of another kind, one that is cut short or damaged, more than max_pixels or 65,535 on
///           a side, and a JPEG of more than 100 scans, which may take hours
Image decode(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options = {});
/// Whether bytes begin as a file does that decode() knows.
bool is_image(std::span<const std::byte> file);
/// errors    as decode; NotFoundError, IoError
Image read(const std::filesystem::path& file, const DecodeOptions& options = {});

/// The numbers that preprocessor_config.json has for `resample`.
enum class Filter { kNearest = 0, kLanczos = 1, kBilinear = 2, kBicubic = 3, kBox = 4, kHamming = 5 };

/// Another size, with exactly the pixels of Pillow's Image.resize.
/// errors    UsageError for a size below 1 x 1
Image resize(const View& image, Size size, Filter filter);

/// The middle of an image; what the image lacks is black.
Image center_crop(const View& image, Size size);

/// The steps of an image processor of Hugging Face, as preprocessor_config.json has them.
struct ProcessorConfig {
  bool do_resize = true;
  Size size = {224, 224};                ///< both sides, if shortest_edge is absent
  std::optional<int64_t> shortest_edge;  ///< the length of the shorter side; the other one keeps the proportions
  Filter resample = Filter::kBilinear;
  bool do_center_crop = false;
  Size crop_size = {224, 224};
  bool do_rescale = true;
  double rescale_factor = 1.0 / 255;
  bool do_normalize = true;
  std::array<double, 3> mean = {0.5, 0.5, 0.5};  ///< of red, green, blue
  std::array<double, 3> deviation = {0.5, 0.5, 0.5};

  /// Reads ViTImageProcessor, DeiTImageProcessor and what these were called earlier (...FeatureExtractor, ...Fast).
  /// model_type  of config.json; says whose processor it is where the file does not
  /// errors      CheckpointError that names file and key for another processor, values out of range, or steps whose
  ///             result has no fixed size; NotFoundError, IoError
  static ProcessorConfig read(const std::filesystem::path& file, std::string_view model_type);

  /// Of an image of this size after the first step.
  Size resized_size(Size image) const;
  /// Of what the steps make of any image.
  Size output_size() const { return do_center_crop ? crop_size : size; }
};

/// From pixels to what a model reads: exactly what transformers computes with its Pillow backend.
class Processor {
 public:
  explicit Processor(const ProcessorConfig& config);

  const ProcessorConfig& config() const { return config_; }
  /// All steps. float32 [3, height, width], with the output size of the config.
  /// where   what to call the image's file in errors
  /// errors  DataError for a narrow image of which shortest_edge makes more pixels than max_pixels of DecodeOptions is
  ///         by default, and than it has itself
  Tensor operator()(const View& image, const std::string& where = "image") const;
  /// After the first step, of an image of this size: what a decoder need not go below.
  Size resized_size(Size image) const { return config_.do_resize ? config_.resized_size(image) : image; }
  /// Only the first two steps.
  Image resize_and_crop(const View& image, const std::string& where = "image") const;
  /// Only the last two steps, rescaling and normalising.
  Tensor normalize(const View& image) const;

 private:
  ProcessorConfig config_;
  std::array<std::array<float, 256>, 3> values_;  // of every byte, by colour
};

/// Random changes of images that a model is trained on.
struct Augmentation {
  /// A part of the image of 8 to 100 % of its area and with sides of 3:4 to 4:3, made as large as the model's images:
  /// torchvision's RandomResizedCrop. It takes the place of resizing and cropping.
  bool crop = true;
  bool flip = true;  ///< left and right change places in every other image
  /// Brightness, contrast and saturation are multiplied by a number from 1 - color to 1 + color each: torchvision's
  /// ColorJitter. In [0, 1].
  double color = 0;

  bool changes() const { return crop || flip || color > 0; }
};

/// A file decoded, changed at random, and normalised. What is drawn depends on `key` alone.
/// options  if there is an at_least, a JPEG may be decoded at a size with which the part of it that is seen stays as
///          large as the result
/// returns  float32 [3, height, width] of the processor's output size
/// errors   as decode
Tensor augment(std::span<const std::byte> file, const std::string& where, const Processor& processor,
               const Augmentation& augmentation, uint64_t key, DecodeOptions options = {});

}  // namespace portatune::image
