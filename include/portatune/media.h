// Images and recordings: decoding, and the input of a model as transformers' image processors and feature extractors
// compute it, with the results of Pillow, soundfile and soxr.
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
#include <vector>

#include "portatune/tensor.h"

namespace portatune::image {

/// Height and width in pixels.
struct Size {
  int64_t height = 0, width = 0;
  bool operator==(const Size&) const = default;
};

/// The size as text, width first: "640 x 480 pixels".
std::string to_string(const Size& size);

/// The pixels of an Image or of a part of it: rows of RGB, one byte per colour. A view must be of an Image, which has
/// room behind its last row: functions on views read whole vectors.
struct View {
  const uint8_t* data = nullptr;
  Size size;
  int64_t row_bytes = 0;  ///< distance between rows

  const uint8_t* row(int64_t y) const { return data + y * row_bytes; }
  /// The part of size `part` whose first pixel is at (top, left). It must lie within the view.
  View crop(int64_t top, int64_t left, Size part) const { return {row(top) + 3 * left, part, row_bytes}; }
};

/// An image in memory: RGB, one byte per colour, row by row without gaps.
class Image {
 public:
  /// Creates an image with undefined pixels.
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
  /// Maximal number of pixels that a file may declare; the check comes before the allocation. The default is the number
  /// at which Pillow begins to warn.
  int64_t max_pixels = 89'478'485;
  /// The smallest size that the caller needs, given the size of the whole image. The decoder may then decode a JPEG at
  /// a half, a quarter or an eighth of its size, as long as both sides stay at least this large. That is several times
  /// as fast, and gives other pixels. Absent: full size.
  std::function<Size(Size whole)> at_least;
};

/// Decodes a JPEG, PNG or WebP file, recognised by its content. Pixels are those of Pillow: convert("RGB") after
/// ImageOps.exif_transpose. The result of an animation is its first picture.
/// where     name of the file in errors
/// errors    DataError for a file of another kind, for one that is truncated or damaged, for more than max_pixels or
///           65,535 pixels on a side, and for a JPEG of more than 100 scans, which may take hours
Image decode(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options = {});
/// True if the bytes begin as a file that decode() accepts.
bool is_image(std::span<const std::byte> file);
/// Decodes a file.
/// errors    as decode; NotFoundError, IoError
Image read(const std::filesystem::path& file, const DecodeOptions& options = {});

/// The values of `resample` in preprocessor_config.json.
enum class Filter { kNearest = 0, kLanczos = 1, kBilinear = 2, kBicubic = 3, kBox = 4, kHamming = 5 };

/// Resizes an image to exactly the pixels of Pillow's Image.resize.
/// errors    UsageError for a size below 1 x 1
Image resize(const View& image, Size size, Filter filter);

/// The centre of an image. Pixels outside of the image are black.
Image center_crop(const View& image, Size size);

/// The steps of a Hugging Face image processor, as preprocessor_config.json has them.
struct ProcessorConfig {
  bool do_resize = true;
  Size size = {224, 224};                ///< size of both sides, if shortest_edge is absent
  std::optional<int64_t> shortest_edge;  ///< length of the shorter side; the other one keeps the proportions
  Filter resample = Filter::kBilinear;
  bool do_center_crop = false;
  Size crop_size = {224, 224};
  bool do_rescale = true;
  double rescale_factor = 1.0 / 255;
  bool do_normalize = true;
  std::array<double, 3> mean = {0.5, 0.5, 0.5};  ///< for red, green, blue
  std::array<double, 3> deviation = {0.5, 0.5, 0.5};

  /// Reads ViTImageProcessor, DeiTImageProcessor and their earlier names (...FeatureExtractor, ...Fast).
  /// model_type  the value of config.json; it selects the processor if the file does not name one
  /// errors      CheckpointError that names file and key for another processor, values out of range, or steps whose
  ///             result has no fixed size; NotFoundError, IoError
  static ProcessorConfig read(const std::filesystem::path& file, std::string_view model_type);

  /// The size of an image of size `image` after the first step.
  Size resized_size(Size image) const;
  /// The size of every image after all steps.
  Size output_size() const { return do_center_crop ? crop_size : size; }
};

/// Turns pixels into the input of a model, exactly as transformers does with its Pillow backend.
class Processor {
 public:
  explicit Processor(const ProcessorConfig& config);

  const ProcessorConfig& config() const { return config_; }
  /// Applies all steps. Returns float32 [3, height, width], with the output size of the config.
  /// where   name of the image's file in errors
  /// errors  DataError for a narrow image that shortest_edge would enlarge beyond both its own number of pixels and the
  ///         default max_pixels of DecodeOptions
  Tensor operator()(const View& image, const std::string& where = "image") const;
  /// The size after the first step of an image of size `image`; a decoder need not keep more.
  Size resized_size(Size image) const { return config_.do_resize ? config_.resized_size(image) : image; }
  /// Applies the first two steps: resizing and cropping.
  Image resize_and_crop(const View& image, const std::string& where = "image") const;
  /// Applies the last two steps: rescaling and normalisation.
  Tensor normalize(const View& image) const;

 private:
  ProcessorConfig config_;
  std::array<std::array<float, 256>, 3> values_;  // by colour and value of the byte
};

/// Random changes of the images in training.
struct Augmentation {
  /// Take a random part of the image, of 8 to 100 % of its area and with an aspect ratio of 3:4 to 4:3, and resize it
  /// to the model's input size: torchvision's RandomResizedCrop. It replaces resizing and cropping.
  bool crop = true;
  bool flip = true;  ///< exchange left and right in half of the images
  /// Strength of the change of brightness, contrast and saturation, in [0, 1]: each is multiplied by a random factor
  /// from 1 - color to 1 + color, as torchvision's ColorJitter does.
  double color = 0;

  bool changes() const { return crop || flip || color > 0; }
};

/// Decodes a file, changes the image at random and normalises it. The random numbers depend on `key` alone.
/// options  with at_least, a JPEG may be decoded at a reduced size, at which the cropped part is at least as large as
///          the result
/// returns  float32 [3, height, width] of the processor's output size
/// errors   as decode
Tensor augment(std::span<const std::byte> file, const std::string& where, const Processor& processor,
               const Augmentation& augmentation, uint64_t key, DecodeOptions options = {});

}  // namespace portatune::image

namespace portatune::audio {

struct DecodeOptions {
  int64_t sample_rate = 16'000;  ///< samples a second of the result
  double max_seconds = 600;      ///< maximal duration of a file
  /// What to do with a longer file, for errors.
  const char* advice = "cut the recording, or raise the limit (max_file_seconds)";
};

/// Decodes a WAV, AIFF, FLAC, Ogg (Vorbis or Opus) or MP3 file, recognised by its content, to one channel: the mean of
/// its channels, resampled by libsoxr. Integers become numbers from -1 to 1. Needs the plug-in libportatune_audio.so.
/// where   name of the file in errors
/// errors  DataError for a file of another kind, for one that is truncated or damaged, without samples, with samples
///         that are not finite, with a rate outside of 1,000 to 768,000 Hz, or longer than max_seconds; DeviceError
///         without the plug-in
std::vector<float> decode(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options = {});
/// Number of samples of decode(), read from the header of the file if that has it.
/// errors  as decode() for a file that it refuses by its header
int64_t sample_count(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options = {});
/// True if the bytes begin as a file that decode() accepts.
bool is_audio(std::span<const std::byte> file);
/// Decodes a file.
/// errors  as decode; NotFoundError, IoError
std::vector<float> read(const std::filesystem::path& file, const DecodeOptions& options = {});

/// The feature extractors of transformers.
enum class Features {
  kWaveform,   ///< Wav2Vec2FeatureExtractor: the samples
  kAst,        ///< ASTFeatureExtractor: logarithms of the mel bands of Kaldi
  kWhisperMel  ///< WhisperFeatureExtractor: logarithms of the mel bands of Slaney, over 30 seconds
};

/// The settings of a feature extractor.
struct ExtractorConfig {
  Features features = Features::kWaveform;
  int64_t sampling_rate = 16'000;
  bool do_normalize = true;                   ///< for samples: mean 0 and variance 1; for AST: by mean and deviation
  std::optional<bool> return_attention_mask;  ///< whether the model hides the padding of waveforms; absent: not stated
  // AST
  int64_t num_mel_bins = 128;
  int64_t max_length = 1024;  ///< number of frames
  double mean = -4.2677393, deviation = 4.5689974;
  // Whisper
  int64_t feature_size = 80;  ///< number of mel bands
  int64_t hop_length = 160, n_fft = 400;
  int64_t chunk_length = 30;  ///< seconds

  /// The file of the settings in a model folder: preprocessor_config.json or, if there is none, processor_config.json
  /// of transformers 5, which has them under "feature_extractor".
  static std::filesystem::path file_in(const std::filesystem::path& folder);
  /// Reads the files of Wav2Vec2FeatureExtractor, ASTFeatureExtractor and WhisperFeatureExtractor.
  /// model_type  the value of config.json; it selects the extractor if the file does not name one
  /// errors      CheckpointError that names file and key for another extractor, and for values that are out of range or
  ///             not supported; NotFoundError, IoError
  static ExtractorConfig read(const std::filesystem::path& file, std::string_view model_type);
};

/// Turns the samples of a recording into the input of a model: the numbers of transformers' NumPy code, computed in
/// double precision. Thread-safe.
class Extractor {
 public:
  explicit Extractor(const ExtractorConfig& config);
  ~Extractor();

  const ExtractorConfig& config() const;
  /// The smallest number of samples that operator() accepts.
  int64_t min_samples() const;
  /// samples  one channel at sampling_rate
  /// returns  float32: [samples] for Features::kWaveform, without padding; [max_length, num_mel_bins] for kAst;
  ///          [feature_size, frames] for kWhisperMel. Long recordings are cut for the last two, short ones padded.
  /// where    name of the recording in errors
  /// errors   DataError for fewer than min_samples()
  Tensor operator()(std::span<const float> samples, const std::string& where = "audio") const;

  /// Number of samples that Whisper hears at a time: those of chunk_length.
  int64_t window_samples() const;
  /// The spectrogram of a whole recording, which Whisper hears window by window.
  /// samples  at least window_samples()
  /// returns  float32 [feature_size, samples / hop_length]
  /// errors   UsageError for fewer samples, and for another extractor than Features::kWhisperMel
  Tensor long_spectrogram(std::span<const float> samples) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace portatune::audio
