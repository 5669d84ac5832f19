#include "portatune/tasks/image_classification.h"

#include <algorithm>

#include "portatune/models.h"
#include "portatune/ops.h"
#include "portatune/sources.h"
#include "portatune/tasks/files/file_classes.h"
#include "portatune/tasks/rows/found_classes.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr const char* kImageClassification = "image-classification";
constexpr std::string_view kHead = "ForImageClassification", kHeads = "ForImageClassificationWithTeacher";

bool has_two_heads(const io::JsonObject& config) {
  return std::ranges::any_of(config.get_strings("architectures"),
                             [](const std::string& name) { return name.ends_with(kHeads); });
}

}  // namespace

data::Dataset read_images(const std::vector<std::string>& files, const std::string& image_column,
                          const std::string& label_column, data::TableOptions table) {
  return tasks::read_labelled_files(
      files, image_column, label_column, std::move(table), "images", [&](const std::string& folder) {
        return data::read_image_folder(folder, {.image_column = image_column, .label_column = label_column});
      });
}

struct ImageClassification::Impl {
  Impl(ImageClassificationOptions given, const io::JsonObject& config)
      : two_heads(has_two_heads(config)),
        classes({.file = "image",
                 .file_column = std::move(given.image_column),
                 .label_column = std::move(given.label_column),
                 .labels = std::move(given.labels),
                 .metrics = std::move(given.metrics),
                 .loss = std::move(given.loss)},
                config) {}

  bool two_heads;
  tasks::FileClasses classes;
};

ImageClassification::ImageClassification(const ModelSource& model, ImageClassificationOptions options)
    : ImageTask(model, options.image_column, options.input),
      impl_(std::make_unique<Impl>(std::move(options), config())) {}
ImageClassification::~ImageClassification() = default;

const std::vector<std::string>& ImageClassification::labels() const { return impl_->classes.labels(); }

std::vector<std::string> ImageClassification::columns(Labels labels) const { return impl_->classes.columns(labels); }

RowLabels ImageClassification::row_labels() const { return impl_->classes.row_labels(); }

data::Dataset ImageClassification::read(const std::vector<std::string>& files, Labels labels,
                                        data::TableOptions table) const {
  return read_images(files, image_column(), labels == Labels::kRequired ? columns(labels).back() : "",
                     std::move(table));
}

data::Example ImageClassification::encode(const data::Example& row, Labels labels) const {
  return encoded(row, labels);
}

data::Example ImageClassification::example_of(const data::Example& row, Labels labels) const {
  return impl_->classes.example_of(row, file_name(row), labels);
}

std::vector<ImageClassification::Prediction> ImageClassification::predictions(const data::Example& batch,
                                                                              const data::Example& outputs) const {
  std::vector<Prediction> predictions;
  for (tasks::FileClasses::Prediction& found : impl_->classes.predictions(batch, outputs)) {
    predictions.push_back(
        {std::move(found.file), std::move(found.label), std::move(found.probabilities), std::move(found.logits)});
  }
  return predictions;
}

std::unique_ptr<PredictionLines> ImageClassification::prediction_lines() const {
  return impl_->classes.prediction_lines();
}

std::map<std::string, std::string> ImageClassification::settings() const {
  std::map<std::string, std::string> settings = image_settings();
  settings.merge(impl_->classes.settings());
  return settings;
}

std::vector<std::string> ImageClassification::inputs() const {
  return {"pixel_values", "labels", std::string(data::kExampleWeight)};
}

Forward ImageClassification::forward(const nn::Scope& root, const Columns& batch) const {
  const Value x = model().hidden_states(root, batch.at("pixel_values")).back();
  const auto classes = std::ssize(labels());
  Value logits;
  if (impl_->two_heads) {
    const auto [cls, distillation] = model().distilled_logits(root, x, classes);
    logits = (cls + distillation) / 2.0;
  } else {
    logits = model().image_logits(root, x, classes);
  }
  return impl_->classes.forward(logits, batch, root);
}

std::unique_ptr<Metrics> ImageClassification::metrics() const { return impl_->classes.metrics(); }

std::unique_ptr<ErrorAnalyzer> ImageClassification::error_analyzer(int64_t max_mistakes) const {
  return impl_->classes.error_analyzer(max_mistakes);
}

void ImageClassification::save(const fs::path& folder) const {
  const std::string_view head = impl_->two_heads ? kHeads : kHead;
  save_folder(folder, {.architecture = model().facts().class_prefix + std::string(head),
                       .labels = labels(),
                       .problem_type = "single_label_classification"});
}

void ImageClassificationRunOptions::describe(OptionFields& fields) {
  describe_label_column(fields, label_column);
  describe_classes(fields, labels);
  describe_metrics(fields, metrics);
  describe_loss(fields, loss, weights);
  describe_image_column(fields, image_column);
  input.describe(fields);
}

namespace {

using RunOptions = ImageClassificationRunOptions;

// An image of one black pixel, as PNG.
constexpr std::string_view kImage =
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\2\0\0\0\x90wS\xde\0\0\0\fIDATx\xda"
    "c```\0\0\0\4\0\1\xc8\xea\xeb\xf9\0\0\0\0IEND\xae"
    "B`\x82"sv;

std::unique_ptr<RowTask> make_image_classification(const TaskContext& context, const RunOptions& options) {
  ImageClassificationOptions found = options;
  if (context.classes == Classes::kOfRows) {
    const data::Dataset rows = read_images(context.files, options.image_column, options.label_column, context.table);
    tasks::learn_classes(context, rows, options.label_column, options.weights, found.labels, found.loss);
  } else {
    found.labels = tasks::classes_without_rows(context, kImageClassification, std::move(found.labels));
  }
  return std::make_unique<ImageClassification>(context.model, std::move(found));
}

std::vector<data::Example> rows_of_image_classification(const RowTask& task, const RunOptions& options) {
  data::Example row = tasks::sample_row(task);
  row.set(options.image_column, std::string(kImage));
  return {row.set(options.label_column, task.row_labels().classes.front())};
}

}  // namespace

const TaskSpec& image_classification_spec() {
  static const TaskSpec kSpec = task_spec<RunOptions>({.name = kImageClassification,
                                                       .classes = {std::string(kHead), std::string(kHeads)},
                                                       .run_options = {RunOption::kWeightColumn},
                                                       .pipeline = "image-classification",
                                                       .make = make_image_classification,
                                                       .sample_rows = rows_of_image_classification});
  return kSpec;
}

}  // namespace portatune
