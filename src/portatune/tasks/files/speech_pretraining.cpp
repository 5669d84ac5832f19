#include "portatune/tasks/speech_pretraining.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "portatune/base/random.h"
#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/media/audio/wav_file.h"
#include "portatune/models/audio/wav2vec2_adapters.h"
#include "portatune/ops.h"
#include "portatune/option_fields.h"
#include "portatune/tasks/files/transcribed_files.h"
#include "portatune/tasks/metrics/codevectors.h"
#include "portatune/tasks/objectives/contrastive.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/rows/spec_augment.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNegatives = "negatives";
constexpr uint64_t kNegativesDraw = 100;  // another one than those of AudioTask

CheckpointError not_for_pretraining(const ModelSource& model, std::string given, std::string expected) {
  return CheckpointError(
      {.where = (model.folder / "config.json").string(), .given = std::move(given), .expected = std::move(expected)});
}

// The masks of the model with the values of the options, and without a minimum, as the script has them.
models::SpecAugment masks_for(const models::AudioModelFacts& facts, const ModelSource& model,
                              const SpeechPretrainingOptions& options) {
  models::require_no_adapter(facts, "pretraining");
  if (!facts.contrastive) {
    throw UsageError({.where = "model",
                      .given = facts.class_prefix + ", for which transformers has no class ...ForPreTraining",
                      .expected = "wav2vec 2.0"});
  }
  if (!facts.spec_augment) throw not_for_pretraining(model, "apply_spec_augment false", "true, as frames are masked");
  if (facts.spec_augment->time.prob == 0) {
    throw not_for_pretraining(model, "mask_time_prob 0", "more, as the model then has no vector for masked frames");
  }
  if (facts.spec_augment->feature.prob > 0) {
    throw not_for_pretraining(model, "mask_feature_prob above 0", "0, as pretraining masks frames alone");
  }
  const models::MaskedSpans& time = facts.spec_augment->time;
  return {.time = {.prob = options.mask_time_prob.value_or(time.prob),
                   .length = options.mask_time_length.value_or(time.length)},
          .feature = {}};
}

class SpeechPretraining final : public AudioTask {
 public:
  SpeechPretraining(const ModelSource& source, SpeechPretrainingOptions given, std::shared_ptr<data::BadRows> bad_rows)
      : AudioTask(source, given.audio_column, given.input),
        options_(std::move(given)),
        bad_rows_(std::move(bad_rows)),
        masks_(masks_for(model().facts(), source, options_)) {
    if (options_.min_gumbel_temperature <= options_.max_gumbel_temperature) return;
    throw UsageError({.where = "min_gumbel_temperature",
                      .given = to_text(options_.min_gumbel_temperature),
                      .expected = "at most max_gumbel_temperature, " + to_text(options_.max_gumbel_temperature)});
  }

  std::vector<std::string> columns(Labels) const override { return {file_column()}; }

  data::Dataset read(const std::vector<std::string>& files, Labels labels, data::TableOptions table) const override {
    const data::Dataset rows = tasks::read_transcribed_files(files, file_column(), "", std::move(table));
    if (labels == Labels::kIgnored || options_.min_duration_seconds == 0) return rows;
    const DurationRange range{options_.min_duration_seconds, std::numeric_limits<double>::infinity()};
    return rows.select(have_duration(rows, range, bad_rows_));
  }

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels) const override {
    const data::Dataset unmasked = AudioTask::batches(rows, size, labels);
    return labels == Labels::kRequired ? masked(unmasked) : unmasked;
  }

  std::unique_ptr<PredictionLines> prediction_lines() const override {
    return std::make_unique<tasks::CodevectorLines>();
  }
  bool has_mean_predictions() const override { return false; }
  std::unique_ptr<Metrics> metrics() const override { return std::make_unique<tasks::CodevectorMetrics>(facts()); }
  std::map<std::string, std::string> settings() const override {
    std::map<std::string, std::string> settings = audio_settings();
    settings["min_duration_seconds"] = to_text(options_.min_duration_seconds);
    settings["mask_time_prob"] = to_text(masks_.time.prob);
    settings["mask_time_length"] = std::to_string(masks_.time.length);
    settings["gumbel_temperature"] = to_text(options_.max_gumbel_temperature) + " * " +
                                     to_text(options_.gumbel_temperature_decay) + "^n, at least " +
                                     to_text(options_.min_gumbel_temperature);
    return settings;
  }

  std::vector<std::string> inputs() const override { return {"input_values", std::string(data::kExampleWeight)}; }
  std::vector<std::string> optional_inputs() const override {
    std::vector<std::string> names = AudioTask::optional_inputs();
    names.push_back(kNegatives);
    return names;
  }

  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const models::AudioInputs in = inputs_of(batch);
    const models::ContrastiveStates states = model().contrastive_states(root, in, choice(root, in));
    Forward forward{.loss_sum = full({DType::kFloat32, {}}, 0),
                    .weight_sum = full({DType::kFloat32, {}}, 0),
                    .outputs = {{std::string(tasks::kCodes), states.codes}}};
    const auto negatives = batch.find(kNegatives);
    if (negatives == batch.end()) return forward;
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    const tasks::ContrastiveLoss loss =
        tasks::contrastive_loss(facts(), states, in.mask_time, negatives->second, weights, root.options().mesh);
    forward.loss_sum = loss.total;
    forward.weight_sum = loss.masked;
    const Value mask = convert(in.mask_time, DType::kFloat32);
    forward.outputs.emplace_back(tasks::kContrastiveLoss, sum(loss.losses * mask, {1}));
    forward.outputs.emplace_back(tasks::kHits, sum(loss.hits * mask, {1}));
    return forward;
  }

  void save(const fs::path& folder) const override { save_folder(folder, {.architecture = facts().class_name}); }

 private:
  const models::ContrastiveFacts& facts() const { return *model().facts().contrastive; }

  data::Example example_of(const data::Example& row, Labels) const override {
    data::Example example(row.origin());
    return example.set("audio", file_name(row));
  }

  void add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                  std::optional<uint64_t> key) const override {
    const std::vector<float> samples = audio::decode(file, where, decoding());
    const auto part = std::span(samples).first(std::min(samples.size(), static_cast<size_t>(max_samples())));
    add_waveform(example, part, where, key ? *key : io::hash_of(fs::path(where).filename().string()));
  }

  models::SpecAugment masks() const override { return masks_; }

  // A frame alone has no others to be distinguished from, and is not masked.
  void add_masks(data::Example& example, int64_t frames, int64_t real, uint64_t key) const override {
    AudioTask::add_masks(example, frames, real, key);
    Tensor mask = example.tensor(kMaskTime);
    const std::span<int32_t> flags = mask.as<int32_t>();
    if (std::ranges::count(flags, 1) == 1) std::ranges::fill(flags, 0);
    example.set(kNegatives, tasks::sampled_negatives(flags, facts().negatives, split_mix_64(key, kNegativesDraw)));
    example.set(kMaskTime, std::move(mask));
  }

  void add_mask_types(data::BatchType& type) const override {
    AudioTask::add_mask_types(type);
    const auto mask = std::ranges::find(type, kMaskTime, &data::BatchType::value_type::first);
    Shape shape = mask->second.shape;
    shape.push_back(facts().negatives);
    type.push_back({kNegatives, {DType::kInt32, shape}});
  }

  // The choice of codevectors for a batch: in training with noise.
  models::GumbelChoice choice(const nn::Scope& root, const models::AudioInputs& in) const {
    if (!root.options().training) return {};
    const Shape& waveforms = in.input_values.shape();
    const Shape shape{waveforms[0], model().facts().frames(waveforms[1]), facts().groups, facts().codevectors};
    const TensorType number{DType::kFloat32, {}};
    Value temperature = full(number, options_.max_gumbel_temperature);
    if (const Value& updates = root.options().updates) {
      const Value decayed = temperature * exp(updates * std::log(options_.gumbel_temperature_decay));
      temperature = maximum(decayed, full(number, options_.min_gumbel_temperature));
    }
    return {.noise = tasks::gumbel_noise(shape, (root / "quantizer").random_key()), .temperature = temperature};
  }

  const SpeechPretrainingOptions options_;
  const std::shared_ptr<data::BadRows> bad_rows_;
  const models::SpecAugment masks_;
};

}  // namespace

std::unique_ptr<RowTask> speech_pretraining(const ModelSource& model, SpeechPretrainingOptions options,
                                            std::shared_ptr<data::BadRows> bad_rows) {
  return std::make_unique<SpeechPretraining>(model, std::move(options), std::move(bad_rows));
}

void SpeechPretrainingOptions::describe(OptionFields& fields) {
  describe_audio_column(fields, audio_column);
  fields("max_duration_seconds", input.max_length_seconds, "use the beginning of longer recordings",
         {.lowest = 0.001, .highest = 3600, .other_names = "max_duration_in_seconds", .kept = true});
  fields("min_duration_seconds", min_duration_seconds, "leave out rows with shorter recordings",
         {.highest = 3600, .other_names = "min_duration_in_seconds", .use = OptionUse::kLabels, .kept = true});
  input.describe_files(fields);
  fields(
      "mask_time_prob", mask_time_prob, "share of the frames in masked spans",
      {.lowest = 0.001, .highest = 1, .default_help = "that of config.json", .use = OptionUse::kLabels, .kept = true});
  fields(
      "mask_time_length", mask_time_length, "frames of a masked span",
      {.lowest = 1, .highest = 10000, .default_help = "that of config.json", .use = OptionUse::kLabels, .kept = true});
  fields("max_gumbel_temperature", max_gumbel_temperature, "first temperature of the choice of codevectors",
         {.lowest = 0.001, .highest = 1000, .use = OptionUse::kTraining});
  fields("min_gumbel_temperature", min_gumbel_temperature, "lowest temperature",
         {.lowest = 0.001, .highest = 1000, .use = OptionUse::kTraining});
  fields("gumbel_temperature_decay", gumbel_temperature_decay, "factor of the temperature for each update",
         {.lowest = 0.001, .highest = 1, .use = OptionUse::kTraining});
}

const TaskSpec& speech_pretraining_spec() {
  using Options = SpeechPretrainingOptions;
  static const TaskSpec kSpec =
      task_spec<Options>({.name = "speech-pretraining",
                          .classes = {"Wav2Vec2ForPreTraining"},
                          .run_options = {RunOption::kPadding},
                          .make = [](const TaskContext& context, const Options& options) -> std::unique_ptr<RowTask> {
                            return speech_pretraining(context.model, options, context.bad_rows);
                          },
                          .sample_rows =
                              [](const RowTask& task, const Options& options) {
                                data::Example row = tasks::sample_row(task);
                                return std::vector{row.set(options.audio_column, audio::silent_wav_file())};
                              }});
  return kSpec;
}

}  // namespace portatune
