#include <algorithm>
#include <array>

#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/media.h"
#include "portatune/media/audio/fft.h"

namespace portatune::audio {
namespace {

constexpr io::IntRange kRate = {.least = 1'000, .most = 768'000};

struct ExtractorKind {
  std::string_view name, model_type;
  Features features;
};

constexpr std::array<ExtractorKind, 4> kExtractorKinds = {
    {{"Wav2Vec2FeatureExtractor", "wav2vec2", Features::kWaveform},
     {"Wav2Vec2FeatureExtractor", "hubert", Features::kWaveform},
     {"ASTFeatureExtractor", "audio-spectrogram-transformer", Features::kAst},
     {"WhisperFeatureExtractor", "whisper", Features::kWhisperMel}}};

Features features_in(const io::JsonObject& json, const std::string& file, std::string_view model_type) {
  const std::string given = json.get_string_or("feature_extractor_type", "");
  const auto found = std::ranges::find_if(kExtractorKinds, [&](const ExtractorKind& kind) {
    return given.empty() ? kind.model_type == model_type : kind.name == given;
  });
  if (found != kExtractorKinds.end()) return found->features;
  throw CheckpointError(
      {.where = file + ", feature_extractor_type",
       .given = given.empty() ? "none, for a model of type \"" + std::string(model_type) + "\"" : "\"" + given + "\"",
       .expected = "Wav2Vec2FeatureExtractor, ASTFeatureExtractor or WhisperFeatureExtractor"});
}

// Requires the only supported value of a setting.
void require_value(const io::JsonObject& json, const std::string& file, std::string_view key, double value) {
  const double given = json.get_float_or(key, value);
  if (given == value) return;
  throw CheckpointError({.where = file + ", " + std::string(key),
                         .given = std::to_string(given),
                         .expected = std::to_string(value) + ", the only supported value"});
}

void read_ast(const io::JsonObject& json, ExtractorConfig& config) {
  config.num_mel_bins = json.get_int_or("num_mel_bins", config.num_mel_bins, {.least = 1, .most = 256});
  config.max_length = json.get_int_or("max_length", config.max_length, {.least = 1, .most = 100'000});
  config.mean = json.get_float_or("mean", config.mean);
  config.deviation = json.get_float_or("std", config.deviation, {.least = 1e-6});
}

void read_whisper(const io::JsonObject& json, const std::string& file, ExtractorConfig& config) {
  config.feature_size = json.get_int_or("feature_size", config.feature_size, {.least = 1, .most = 256});
  config.n_fft = json.get_int_or("n_fft", config.n_fft, {.least = 4, .most = 16'384});
  config.hop_length = json.get_int_or("hop_length", config.hop_length, {.least = 1, .most = config.n_fft});
  config.chunk_length = json.get_int_or("chunk_length", config.chunk_length, {.least = 1, .most = 60});
  require_value(json, file, "dither", 0);
  if (config.hop_length > config.chunk_length * config.sampling_rate) {
    throw CheckpointError({.where = file + ", hop_length",
                           .given = std::to_string(config.hop_length),
                           .expected = "at most as many samples as chunk_length seconds have"});
  }
  // The ends of the window are mirrored, by half a frame.
  if (config.n_fft / 2 >= config.chunk_length * config.sampling_rate) {
    throw CheckpointError({.where = file + ", n_fft",
                           .given = std::to_string(config.n_fft),
                           .expected = "fewer samples than chunk_length seconds have"});
  }
  if (!RealFft::accepts(config.n_fft)) {
    throw CheckpointError({.where = file + ", n_fft",
                           .given = std::to_string(config.n_fft),
                           .expected = "an even product of 2, 3 and 5"});
  }
}

}  // namespace

std::filesystem::path ExtractorConfig::file_in(const std::filesystem::path& folder) {
  const std::filesystem::path extractor = folder / "preprocessor_config.json",
                              processor = folder / "processor_config.json";
  return !exists(extractor) && exists(processor) ? processor : extractor;
}

ExtractorConfig ExtractorConfig::read(const std::filesystem::path& file, std::string_view model_type) {
  const io::JsonObject whole = io::JsonObject::read(file), json = whole.get_object("feature_extractor").value_or(whole);
  const std::string name = file.string();
  ExtractorConfig config{.features = features_in(json, name, model_type)};
  config.sampling_rate = json.get_int_or("sampling_rate", config.sampling_rate, kRate);
  require_value(json, name, "padding_value", 0);
  if (config.features != Features::kWhisperMel) {
    config.do_normalize = json.get_bool_or("do_normalize", config.do_normalize);
  }
  if (json.has("return_attention_mask")) config.return_attention_mask = json.get_bool("return_attention_mask");
  if (config.features == Features::kWaveform) require_value(json, name, "feature_size", 1);
  if (config.features == Features::kAst) read_ast(json, config);
  if (config.features == Features::kWhisperMel) read_whisper(json, name, config);
  return config;
}

}  // namespace portatune::audio
