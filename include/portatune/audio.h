// Audio: files to samples as transformers.audio_utils.load_audio reads them with soundfile and soxr, and samples to the
// input of a model as transformers' feature extractors compute it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/tensor.h"

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
