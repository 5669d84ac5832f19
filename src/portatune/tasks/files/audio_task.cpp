#include "portatune/tasks/audio_task.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "portatune/base/message.h"
#include "portatune/base/random.h"
#include "portatune/error.h"
#include "portatune/hub/model_folder.h"
#include "portatune/option_fields.h"
#include "portatune/tasks/rows/row_file.h"
#include "portatune/tasks/rows/spec_augment.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInputValues = "input_values";
constexpr const char* kSamples = "samples";
constexpr const char* kMaskTime = "mask_time";
constexpr const char* kMaskFeature = "mask_feature";

// The random choices of a recording in training.
enum Draw : uint64_t { kCropDraw, kTimeDraw, kFeatureDraw };

void require_fitting(const audio::ExtractorConfig& config, const models::AudioModelFacts& facts,
                     const std::string& file) {
  const bool fits = facts.spectrogram
                        ? config.features == audio::Features::kAst && config.max_length == facts.spectrogram->frames &&
                              config.num_mel_bins == facts.spectrogram->mel_bins
                        : config.features == audio::Features::kWaveform;
  if (fits) return;
  const std::string expected =
      facts.spectrogram ? "ASTFeatureExtractor with max_length " + std::to_string(facts.spectrogram->frames) +
                              " and num_mel_bins " + std::to_string(facts.spectrogram->mel_bins) + ", as in config.json"
                        : "Wav2Vec2FeatureExtractor, as the model reads waveforms";
  throw CheckpointError({.where = file, .given = "settings that do not fit the model", .expected = expected});
}

audio::ExtractorConfig extractor_config(const fs::path& folder, const io::JsonObject& config,
                                        const models::AudioModelFacts& facts) {
  const fs::path file = folder / "preprocessor_config.json";
  const auto extractor = audio::ExtractorConfig::read(file, config.get_string("model_type"));
  require_fitting(extractor, facts, file.string());
  return extractor;
}

std::span<const float> random_part(std::span<const float> samples, int64_t length, uint64_t key) {
  const int64_t more = std::ssize(samples) - length;
  if (more <= 0) return samples;
  const uint64_t begin = split_mix_64(key, kCropDraw) % static_cast<uint64_t>(more + 1);
  return samples.subspan(begin, static_cast<size_t>(length));
}

Tensor padded(const Tensor& waveform, int64_t length) {
  Tensor result({DType::kFloat32, {length}});
  std::ranges::copy(waveform.as<float>(), result.as<float>().begin());
  return result;
}

}  // namespace

void AudioInputOptions::describe(OptionFields& fields) {
  fields("max_length_seconds", max_length_seconds, "length of the waveforms; training crops longer ones at random",
         {.lowest = 0.001, .highest = 3600, .kept = true});
  describe_files(fields);
}

void AudioInputOptions::describe_files(OptionFields& fields) {
  fields("max_file_seconds", max_file_seconds, "longer recordings are refused",
         {.lowest = 0.001, .highest = 1e6, .kept = true});
  fields("no_attention_mask", attention_mask, "let the model see the zeros behind short recordings",
         {.sets = "false", .kept = true});
}

void describe_audio_column(OptionFields& fields, std::string& column) {
  fields("audio_column", column, "column of the path, from the table's folder",
         {.other_names = "audio_column_name", .kept = true});
}

struct AudioTask::Impl {
  Impl(const fs::path& path, AudioInputOptions given, const io::JsonObject& config)
      : options(given),
        model(models::audio_model(config)),
        extractor(extractor_config(hub::folder_of_settings(path), config, model->facts())),
        length(std::llround(options.max_length_seconds * static_cast<double>(extractor.config().sampling_rate))) {
    check_ranges(options);
    if (length >= min_samples()) return;
    throw UsageError({.where = "max_length_seconds",
                      .given = to_text(options.max_length_seconds),
                      .expected = "at least " + one_frame()});
  }

  const models::AudioModelFacts& facts() const { return model->facts(); }
  bool has_samples() const {
    const bool is_masked = extractor.config().return_attention_mask.value_or(facts().masks_padding);
    return !facts().spectrogram && options.attention_mask && is_masked;
  }
  bool masks_time() const {
    return !facts().spectrogram && facts().spec_augment && facts().spec_augment->time.prob > 0;
  }
  bool masks_features() const {
    return !facts().spectrogram && facts().spec_augment && facts().spec_augment->feature.prob > 0;
  }

  // The samples of one frame, so that the mean over the real frames of a recording exists.
  int64_t min_samples() const { return facts().spectrogram ? extractor.min_samples() : facts().samples(1); }
  std::string one_frame() const { return std::to_string(min_samples()) + " samples, which are one frame"; }
  void require_frame(std::span<const float> samples, const std::string& where) const {
    if (std::ssize(samples) >= min_samples()) return;
    throw DataError({.where = where,
                     .given = "a recording of " + std::to_string(samples.size()) + " samples",
                     .expected = "at least " + one_frame()});
  }

  AudioInputOptions options;
  std::unique_ptr<const models::AudioModel> model;
  audio::Extractor extractor;
  int64_t length;  // of waveforms, in samples
};

AudioTask::AudioTask(const fs::path& model, std::string column, AudioInputOptions options, const ConfigValues& values)
    : FileTask(model, std::move(column), tasks::kAudioFile, "recordings", values),
      impl_(std::make_unique<Impl>(model, options, config())) {}
AudioTask::~AudioTask() = default;

const models::AudioModel& AudioTask::model() const { return *impl_->model; }
const audio::Extractor& AudioTask::extractor() const { return impl_->extractor; }
bool AudioTask::hides_padding() const { return impl_->has_samples(); }
double AudioTask::initializer_range() const { return model().facts().initializer_range; }
const std::string& AudioTask::base_prefix() const { return model().facts().base_prefix; }

std::vector<std::string> AudioTask::optional_inputs() const { return {kSamples, kMaskTime, kMaskFeature}; }

models::AudioInputs AudioTask::inputs_of(const Columns& batch) const {
  const auto value = [&](const char* name) {
    const auto found = batch.find(name);
    return found == batch.end() ? Value() : found->second;
  };
  return {.input_values = batch.at(kInputValues),
          .samples = value(kSamples),
          .mask_time = value(kMaskTime),
          .mask_feature = value(kMaskFeature)};
}

data::BatchType AudioTask::arrays(bool is_training) const {
  const models::AudioModelFacts& facts = model().facts();
  if (facts.spectrogram) {
    return {{kInputValues, {DType::kFloat32, {facts.spectrogram->frames, facts.spectrogram->mel_bins}}}};
  }
  data::BatchType arrays = {{kInputValues, {DType::kFloat32, {impl_->length}}}};
  if (impl_->has_samples()) arrays.push_back({kSamples, {DType::kInt32, {}}});
  if (is_training && impl_->masks_time()) {
    arrays.push_back({kMaskTime, {DType::kInt32, {facts.frames(impl_->length)}}});
  }
  if (is_training && impl_->masks_features()) arrays.push_back({kMaskFeature, {DType::kInt32, {facts.hidden_size}}});
  return arrays;
}

audio::DecodeOptions AudioTask::decoding() const {
  return {.sample_rate = impl_->extractor.config().sampling_rate, .max_seconds = impl_->options.max_file_seconds};
}

std::vector<float> AudioTask::decoded(std::span<const std::byte> file, const std::string& where) const {
  std::vector<float> samples = audio::decode(file, where, decoding());
  impl_->require_frame(samples, where);
  return samples;
}

void AudioTask::add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                           std::optional<uint64_t> key) const {
  const models::AudioModelFacts& facts = model().facts();
  const std::vector<float> samples = decoded(file, where);
  std::span<const float> part = samples;
  if (key) part = random_part(part, impl_->length, *key);
  if (facts.spectrogram) {
    example.set(kInputValues, impl_->extractor(part, where));
    return;
  }
  part = part.first(std::min(part.size(), static_cast<size_t>(impl_->length)));
  example.set(kInputValues, padded(impl_->extractor(part, where), impl_->length));
  if (impl_->has_samples()) example.set(kSamples, Tensor({}, {static_cast<int32_t>(part.size())}));
  if (!key) return;
  const int64_t frames = facts.frames(impl_->length);
  add_masks(example, frames, impl_->has_samples() ? facts.frames(std::ssize(part)) : frames, *key);
}

void AudioTask::add_masks(data::Example& example, int64_t frames, int64_t real, uint64_t key) const {
  const models::AudioModelFacts& facts = model().facts();
  if (impl_->masks_time()) {
    example.set(kMaskTime, tasks::masked_spans(facts.spec_augment->time, frames, real, split_mix_64(key, kTimeDraw)));
  }
  if (impl_->masks_features()) {
    const int64_t size = facts.hidden_size;
    example.set(kMaskFeature,
                tasks::masked_spans(facts.spec_augment->feature, size, size, split_mix_64(key, kFeatureDraw)));
  }
}

std::map<std::string, std::string> AudioTask::audio_settings() const {
  return {{"audio_column", file_column()},
          {"max_length_seconds", to_text(impl_->options.max_length_seconds)},
          {"attention_mask", impl_->has_samples() ? "true" : "false"}};
}

}  // namespace portatune
