#include "portatune/tasks/audio_task.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "portatune/base/random.h"
#include "portatune/base/text/message.h"
#include "portatune/data.h"
#include "portatune/data/batch/stack.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/hub/model_folder.h"
#include "portatune/option_fields.h"
#include "portatune/tasks/files/whisper_features.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/rows/row_file.h"
#include "portatune/tasks/rows/spec_augment.h"
#include "portatune/tasks/task_context.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInputValues = "input_values";
constexpr const char* kSamples = "samples";
constexpr const char* kMaskFeature = "mask_feature";
constexpr const char* kMaskKey = "mask_key";  // of a row's masks; only between the rows and their batches
constexpr const char* kTargets = "labels";
constexpr const char* kFits = "fits";

// The random choices of a recording in training.
enum Draw : uint64_t { kCropDraw, kTimeDraw, kFeatureDraw };

void require_fitting(const audio::ExtractorConfig& config, const models::AudioModelFacts& facts,
                     const std::string& file) {
  if (facts.has_bins_first) return tasks::require_whisper_features(config, *facts.spectrogram, file);
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
  const fs::path file = audio::ExtractorConfig::file_in(folder);
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

}  // namespace

void AudioInputOptions::describe(OptionFields& fields) {
  fields("max_length_seconds", max_length_seconds, "longer recordings are cut, in training at random",
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
    if (length >= min_samples()) {
      pairs = {{max_frames(), 0}};
      return;
    }
    throw UsageError({.where = "max_length_seconds",
                      .given = to_text(options.max_length_seconds),
                      .expected = "at least " + one_frame()});
  }

  const models::AudioModelFacts& facts() const { return model->facts(); }
  bool has_samples() const {
    const bool is_masked = extractor.config().return_attention_mask.value_or(facts().masks_padding);
    return !facts().spectrogram && options.attention_mask && is_masked;
  }

  int64_t max_frames() const { return facts().spectrogram ? 0 : facts().frames(length); }
  // The number of frames of the batches for an example.
  int64_t padded_frames(int64_t frames, int64_t labels) const {
    for (const data::LengthPair& pair : pairs) {
      if (frames <= pair.source && labels <= pair.target) return pair.source;
    }
    return frames;  // too long for all, which the batch reports
  }

  // The samples of one frame, so that the mean over the real frames of a recording exists.
  int64_t min_samples() const { return facts().spectrogram ? extractor.min_samples() : facts().samples(1); }
  std::string one_frame() const { return std::to_string(min_samples()) + " samples, which are one frame"; }
  void require_frame(int64_t samples, const std::string& where) const {
    if (samples >= min_samples()) return;
    throw DataError({.where = where,
                     .given = "a recording of " + std::to_string(samples) + " samples",
                     .expected = "at least " + one_frame()});
  }

  AudioInputOptions options;
  std::unique_ptr<const models::AudioModel> model;
  audio::Extractor extractor;
  int64_t length;                       // of the longest waveforms, in samples
  std::vector<data::LengthPair> pairs;  // numbers of frames and of targets of batches
};

AudioTask::AudioTask(const ModelSource& model, std::string column, AudioInputOptions options)
    : FileTask(model, std::move(column), tasks::kAudioFile, "recordings"),
      impl_(std::make_unique<Impl>(model.folder, options, config())) {}
AudioTask::~AudioTask() = default;

const models::AudioModel& AudioTask::model() const { return *impl_->model; }
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

int64_t AudioTask::max_length() const { return impl_->max_frames(); }
bool AudioTask::varies_in_length() const { return !model().facts().spectrogram; }

void AudioTask::set_lengths(std::vector<int64_t> lengths) {
  if (!varies_in_length()) return FileTask::set_lengths(std::move(lengths));
  std::ranges::sort(lengths);
  std::vector<data::LengthPair> pairs;
  for (const int64_t length : lengths) pairs.push_back({length, max_target_length()});
  use_pairs(std::move(pairs));
}

void AudioTask::set_pairs(std::vector<data::LengthPair> pairs) {
  if (!has_targets()) return FileTask::set_pairs(std::move(pairs));
  use_pairs(std::move(pairs));
}

void AudioTask::use_pairs(std::vector<data::LengthPair> pairs) {
  if (pairs.empty()) throw UsageError({.where = "lengths of batches", .given = "none", .expected = "at least one"});
  for (const auto& [frames, targets] : pairs) {
    if (frames >= 1 && frames <= max_length()) continue;
    throw UsageError({.where = "lengths of batches",
                      .given = std::to_string(frames) + " frames",
                      .expected = "1 to " + std::to_string(max_length()) + ", the frames of the longest recordings"});
  }
  impl_->pairs = std::move(pairs);
}

// The number of samples that decoding gives. Decoding refuses recordings that are too long.
int64_t AudioTask::samples_in(std::span<const std::byte> file, const std::string& where) const {
  const audio::DecodeOptions options = decoding();
  const int64_t samples = audio::sample_count(file, where, options);
  const double seconds = static_cast<double>(samples) / static_cast<double>(options.sample_rate);
  return seconds <= options.max_seconds ? samples : std::ssize(audio::decode(file, where, options));
}

bool AudioTask::has_duration(const data::Example& row, const DurationRange& range) const {
  return data::call_on(row, [&](const data::Example&) {
    const tasks::RowFile file(row, file_column(), tasks::kAudioFile);
    const auto samples = static_cast<double>(audio::sample_count(file.bytes(), file.name(), decoding()));
    const double seconds = samples / static_cast<double>(decoding().sample_rate);
    return seconds > range.above && seconds < range.below;
  });
}

std::vector<bool> AudioTask::have_duration(const data::Dataset& rows, const DurationRange& range,
                                           const std::shared_ptr<data::BadRows>& bad_rows) const {
  const auto may_have = [&](const data::Example& row) {
    try {
      return has_duration(row, range);
    } catch (const DataError&) {
      return true;
    } catch (const NotFoundError&) {
      return true;
    }
  };
  const auto measure = [&](const data::Example& row) {
    return data::Example().set(kFits, Tensor({}, {static_cast<int32_t>(may_have(row))}));
  };
  const data::Dataset readable = bad_rows ? rows.skip_bad_rows(bad_rows) : rows;
  std::vector<bool> fit;
  for (const data::Example& row : tasks::interruptible(readable.map(measure, {.threads = 0})).iterate()) {
    fit.push_back(row.tensor(kFits).as<int32_t>()[0] != 0);
  }
  return fit;
}

std::optional<data::Dataset> AudioTask::length_batches(const data::Dataset& rows, Labels labels) const {
  if (!varies_in_length()) return std::nullopt;
  const auto add_frames = [this](data::Example& example, std::span<const std::byte> file, const std::string& where) {
    const int64_t frames = frames_of(example, samples_in(file, where), where);
    example.set(kFrames, Tensor({}, {static_cast<int32_t>(frames)}));
  };
  return examples_with(rows, labels, add_frames).batch({.size = 1}).named("batch");
}

data::LengthCounts AudioTask::length_counts(const data::Dataset& batches) const {
  if (!varies_in_length()) return FileTask::length_counts(batches);
  data::LengthCounts counts;
  for (const auto& [pair, count] : counts_of(batches)) counts[pair.source] += count;
  return counts;
}

data::PairCounts AudioTask::pair_counts(const data::Dataset& batches) const {
  return has_targets() ? counts_of(batches) : FileTask::pair_counts(batches);
}

data::PairCounts AudioTask::counts_of(const data::Dataset& batches) const {
  data::PairCounts counts;
  for (const data::Example& batch : batches.iterate()) {
    const bool has_labels = has_targets() && batch.has(kTargets);
    const std::span<const int32_t> frames = batch.tensor(kFrames).as<int32_t>();
    const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
    for (size_t row = 0; row < frames.size(); ++row) {
      if (weights[row] == 0) continue;
      ++counts[{frames[row], has_labels ? tasks::count_labels(batch.tensor(kTargets), row) : 0}];
    }
  }
  return counts;
}

data::Dataset AudioTask::batches(const data::Dataset& rows, int64_t size, Labels labels) const {
  if (!varies_in_length()) return FileTask::batches(rows, size, labels);
  return padded_batches(all_examples(rows, labels), size, labels);
}

data::Dataset AudioTask::training_batches(const data::Dataset& rows, int64_t size,
                                          const data::ShuffleOptions& order) const {
  if (!varies_in_length()) return FileTask::training_batches(rows, size, order);
  return masked(padded_batches(all_training_examples(rows, order), size, Labels::kRequired));
}

data::Dataset AudioTask::masked(const data::Dataset& batches) const {
  return batches.map([this](data::Example batch) { return with_masks(std::move(batch)); });
}

models::SpecAugment AudioTask::masks() const { return model().facts().spec_augment.value_or(models::SpecAugment()); }

data::Dataset AudioTask::padded_batches(const data::Dataset& examples, int64_t size, Labels labels) const {
  const bool pads_targets = labels == Labels::kRequired && has_targets();
  data::PaddedBatchOptions padding{.lengths = {}, .columns = {kInputValues}, .pad_values = {}};
  if (pads_targets) {
    padding.target_columns = {kTargets};
    padding.pad_values = {{kTargets, tasks::kNoLabel}};
  }
  for (const auto& [frames, targets] : impl_->pairs) {
    padding.lengths.push_back(model().facts().samples(frames));
    if (pads_targets) padding.target_lengths.push_back(targets);
  }
  // A row of 20 seconds takes 1.3 MB, and predictions hold a window of rows until those before them are written.
  constexpr int64_t kWindow = 16;
  return examples.bucket_by_length(size, {.padding = std::move(padding), .window = kWindow}).named("batch");
}

data::BatchType AudioTask::arrays(bool) const {
  const models::SpectrogramSize& size = *model().facts().spectrogram;
  const Shape by_frame{size.frames, size.mel_bins}, by_bin{size.mel_bins, size.frames};
  return {{kInputValues, {DType::kFloat32, model().facts().has_bins_first ? by_bin : by_frame}}};
}

int64_t AudioTask::max_samples() const { return impl_->length; }

audio::DecodeOptions AudioTask::decoding() const {
  return {.sample_rate = impl_->extractor.config().sampling_rate, .max_seconds = impl_->options.max_file_seconds};
}

int64_t AudioTask::frames_of(const data::Example&, int64_t samples, const std::string& where) const {
  impl_->require_frame(samples, where);
  return model().facts().frames(std::min(samples, impl_->length));
}

void AudioTask::add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                           std::optional<uint64_t> key) const {
  const models::AudioModelFacts& facts = model().facts();
  const std::vector<float> samples = audio::decode(file, where, decoding());
  std::span<const float> part = samples;
  if (key) part = random_part(part, impl_->length, *key);
  if (facts.spectrogram) {
    example.set(kInputValues, impl_->extractor(part, where));
    return;
  }
  add_waveform(example, part.first(std::min(part.size(), static_cast<size_t>(impl_->length))), where, key);
}

// Samples behind the last frame of a batch belong to no frame, but to the mean and the variance of the recording.
void AudioTask::add_waveform(data::Example& example, std::span<const float> samples, const std::string& where,
                             std::optional<uint64_t> key) const {
  const models::AudioModelFacts& facts = model().facts();
  const int64_t labels = has_targets() && example.has(kTargets) ? example.tensor(kTargets).shape()[0] : 0;
  const int64_t frames = frames_of(example, std::ssize(samples), where);
  const int64_t used = std::min(std::ssize(samples), facts.samples(impl_->padded_frames(frames, labels)));
  const Tensor waveform = impl_->extractor(samples, where);
  example.set(kInputValues, Tensor({used}, waveform.as<float>().first(static_cast<size_t>(used))));
  example.set(kFrames, Tensor({}, {static_cast<int32_t>(frames)}));
  if (hides_padding()) example.set(kSamples, Tensor({}, {static_cast<int32_t>(used)}));
  if (key) example.set(kMaskKey, Tensor({}, {static_cast<int64_t>(*key)}));
}

data::Example AudioTask::with_masks(data::Example batch) const {
  const std::span<const int64_t> keys = batch.tensor(kMaskKey).as<int64_t>();
  const std::span<const int32_t> real = batch.tensor(kFrames).as<int32_t>();
  const int64_t frames = model().facts().frames(batch.tensor(kInputValues).shape()[1]);
  std::vector<data::Example> rows(keys.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    add_masks(rows[row], frames, hides_padding() ? real[row] : frames, static_cast<uint64_t>(keys[row]));
  }
  const data::Example masks = data::stack("masks", rows, std::ssize(rows), data::unpadded);
  for (const auto& [name, mask] : masks.columns()) {
    if (name != data::kExampleWeight) batch.set(name, mask);
  }
  std::vector<data::BatchType> types = batch.batch_types();
  for (data::BatchType& type : types) add_mask_types(type);
  batch.set_batch_types(std::move(types));
  return batch.erase(kMaskKey);
}

void AudioTask::add_mask_types(data::BatchType& type) const {
  const auto waveforms = std::ranges::find(type, kInputValues, &data::BatchType::value_type::first);
  const int64_t rows = waveforms->second.shape[0];
  const int64_t frames = model().facts().frames(waveforms->second.shape[1]);
  std::erase_if(type, [](const auto& column) { return column.first == kMaskKey; });
  const int64_t features = model().facts().hidden_size;
  if (masks().time.prob > 0) type.push_back({kMaskTime, {DType::kInt32, {rows, frames}}});
  if (masks().feature.prob > 0) type.push_back({kMaskFeature, {DType::kInt32, {rows, features}}});
}

void AudioTask::add_masks(data::Example& example, int64_t frames, int64_t real, uint64_t key) const {
  const models::SpecAugment spans = masks();
  if (spans.time.prob > 0) {
    example.set(kMaskTime, tasks::masked_spans(spans.time, frames, real, split_mix_64(key, kTimeDraw)));
  }
  if (spans.feature.prob > 0) {
    const int64_t size = model().facts().hidden_size;
    example.set(kMaskFeature, tasks::masked_spans(spans.feature, size, size, split_mix_64(key, kFeatureDraw)));
  }
}

std::map<std::string, std::string> AudioTask::audio_settings() const {
  return {{"audio_column", file_column()},
          {"max_length_seconds", to_text(impl_->options.max_length_seconds)},
          {"attention_mask", impl_->has_samples() ? "true" : "false"}};
}

}  // namespace portatune
