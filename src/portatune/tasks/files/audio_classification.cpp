#include "portatune/tasks/audio_classification.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/media/audio/wav_file.h"
#include "portatune/models/audio/wav2vec2_adapters.h"
#include "portatune/sources.h"
#include "portatune/tasks/files/file_classes.h"
#include "portatune/tasks/rows/found_classes.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {

namespace fs = std::filesystem;

data::Dataset read_recordings(const std::vector<std::string>& files, const std::string& audio_column,
                              const std::string& label_column, data::TableOptions table) {
  return tasks::read_labelled_files(
      files, audio_column, label_column, std::move(table), "recordings", [&](const std::string& folder) {
        return data::read_audio_folder(folder, {.audio_column = audio_column, .label_column = label_column});
      });
}

struct AudioClassification::Impl {
  tasks::FileClasses classes;
  bool has_xvectors;
};

namespace {

// Returns whether the model gets the head for speakers. Refuses a model with an adapter, which has no head for classes.
bool wants_xvectors(const io::JsonObject& config, const models::AudioModelFacts& facts, bool xvector) {
  models::require_no_adapter(facts, "classification");
  if (facts.xvector) {
    const std::vector<std::string> classes = config.get_strings("architectures");
    return xvector || std::ranges::find(classes, facts.xvector->class_name) != classes.end();
  }
  if (!xvector) return false;
  throw UsageError({.where = "xvector",
                    .given = "a " + facts.class_prefix + " checkpoint",
                    .expected = "a model for which transformers has a class ...ForXVector: wav2vec 2.0"});
}

}  // namespace

AudioClassification::AudioClassification(const ModelSource& model, AudioClassificationOptions options)
    : AudioTask(model, options.audio_column, options.input),
      impl_(std::make_unique<Impl>(Impl{{{.file = "audio",
                                          .file_column = std::move(options.audio_column),
                                          .label_column = std::move(options.label_column),
                                          .labels = std::move(options.labels),
                                          .metrics = std::move(options.metrics),
                                          .loss = std::move(options.loss)},
                                         config()},
                                        wants_xvectors(config(), AudioTask::model().facts(), options.xvector)})) {}
AudioClassification::~AudioClassification() = default;

const std::vector<std::string>& AudioClassification::labels() const { return impl_->classes.labels(); }

std::vector<std::string> AudioClassification::columns(Labels labels) const { return impl_->classes.columns(labels); }

RowLabels AudioClassification::row_labels() const { return impl_->classes.row_labels(); }

data::Dataset AudioClassification::read(const std::vector<std::string>& files, Labels labels,
                                        data::TableOptions table) const {
  return read_recordings(files, file_column(), labels == Labels::kRequired ? columns(labels).back() : "",
                         std::move(table));
}

data::Example AudioClassification::encode(const data::Example& row, Labels labels) const {
  return encoded(row, labels);
}

data::Example AudioClassification::example_of(const data::Example& row, Labels labels) const {
  return impl_->classes.example_of(row, file_name(row), labels);
}

std::unique_ptr<PredictionLines> AudioClassification::prediction_lines() const {
  return impl_->classes.prediction_lines();
}

std::map<std::string, std::string> AudioClassification::settings() const {
  std::map<std::string, std::string> settings = audio_settings();
  settings.merge(impl_->classes.settings());
  if (impl_->has_xvectors) settings["xvector"] = "true";
  return settings;
}

std::vector<std::string> AudioClassification::inputs() const {
  return {"input_values", "labels", std::string(data::kExampleWeight)};
}

Forward AudioClassification::forward(const nn::Scope& root, const Columns& batch) const {
  const models::AudioInputs in = inputs_of(batch);
  const Values states = model().hidden_states(root, in);
  if (!impl_->has_xvectors) {
    return impl_->classes.forward(model().class_logits(root, states, in, std::ssize(labels())), batch, root);
  }
  const models::XVectors found = model().xvectors(root, states, in, std::ssize(labels()));
  const Value with_margin = am_softmax_logits(found.cosines, batch.at("labels"));
  Forward forward = impl_->classes.forward(with_margin, batch, root);
  forward.outputs = {{"logits", found.cosines * kAmSoftmaxScale}, {tasks::FileClasses::kEmbeddings, found.embeddings}};
  return forward;
}

int64_t AudioClassification::frames_of(const data::Example& example, int64_t samples, const std::string& where) const {
  const int64_t frames = AudioTask::frames_of(example, samples, where);
  const int64_t least = impl_->has_xvectors ? model().facts().xvector->min_frames : 1;
  if (frames >= least) return frames;
  throw DataError({.where = where,
                   .given = "a recording of " + std::to_string(frames) + " frames",
                   .expected = "at least " + std::to_string(least) + ", which the layers for speakers read"});
}

std::unique_ptr<Metrics> AudioClassification::metrics() const { return impl_->classes.metrics(); }

std::unique_ptr<ErrorAnalyzer> AudioClassification::error_analyzer(int64_t max_mistakes) const {
  return impl_->classes.error_analyzer(max_mistakes);
}

void AudioClassification::save(const fs::path& folder) const {
  const models::AudioModelFacts& facts = model().facts();
  save_folder(folder, {.architecture = impl_->has_xvectors ? facts.xvector->class_name : facts.classification_class,
                       .labels = labels(),
                       .problem_type = "single_label_classification"});
}

void AudioClassificationRunOptions::describe(OptionFields& fields) {
  describe_label_column(fields, label_column);
  describe_classes(fields, labels);
  describe_metrics(fields, metrics);
  describe_loss(fields, loss, weights);
  describe_audio_column(fields, audio_column);
  input.describe(fields);
  fields("xvector", xvector, "train vectors of speakers, the classes (Wav2Vec2ForXVector)",
         {.use = OptionUse::kTraining});
}

namespace {

constexpr const char* kAudioClassification = "audio-classification";

std::unique_ptr<RowTask> make_audio_classification(const TaskContext& context,
                                                   const AudioClassificationRunOptions& options) {
  AudioClassificationOptions found = options;
  if (context.classes == Classes::kOfRows) {
    const data::Dataset rows =
        read_recordings(context.files, options.audio_column, options.label_column, context.table);
    tasks::learn_classes(context, rows, options.label_column, options.weights, found.labels, found.loss);
  } else {
    found.labels = tasks::classes_without_rows(context, kAudioClassification, std::move(found.labels));
  }
  return std::make_unique<AudioClassification>(context.model, std::move(found));
}

std::vector<data::Example> rows_of_audio_classification(const RowTask& task,
                                                        const AudioClassificationRunOptions& options) {
  data::Example row = tasks::sample_row(task);
  row.set(options.audio_column, audio::silent_wav_file());
  return {row.set(options.label_column, task.row_labels().classes.front())};
}

}  // namespace

// "...ForSequenceClassification" is the name of text classification, too, so the names of audio models are complete.
const TaskSpec& audio_classification_spec() {
  static const TaskSpec kSpec = task_spec<AudioClassificationRunOptions>(
      {.name = kAudioClassification,
       .classes = {"ForAudioClassification", "Wav2Vec2ForSequenceClassification", "HubertForSequenceClassification",
                   "ForXVector"},
       .run_options = {RunOption::kPadding, RunOption::kWeightColumn},
       .pipeline = "audio-classification",
       .make = make_audio_classification,
       .sample_rows = rows_of_audio_classification});
  return kSpec;
}

}  // namespace portatune
