#include "portatune/tasks/image_classification.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/message.h"
#include "portatune/data/read/file_kinds.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/models.h"
#include "portatune/ops.h"
#include "portatune/sources.h"
#include "portatune/tasks/metrics/classification_metrics.h"
#include "portatune/tasks/metrics/error_analyzers.h"
#include "portatune/tasks/objectives/class_losses.h"
#include "portatune/tasks/objectives/class_weights.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/results/classification_lines.h"
#include "portatune/tasks/rows/found_classes.h"
#include "portatune/tasks/rows/image_file.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/row_labels.h"
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

class ImageLines final : public PredictionLines {
 public:
  explicit ImageLines(const ImageClassification& task) : task_(task) {}

  std::string take(const data::Example& batch, const data::Example& outputs) override {
    std::string lines;
    for (const auto& [image, label, probabilities, logits] : task_.predictions(batch, outputs)) {
      nlohmann::ordered_json line = {{"image", image}};
      line.update(tasks::classes_json(label, task_.labels(), probabilities, logits));
      lines += io::line_of(line);
    }
    return lines;
  }

 private:
  const ImageClassification& task_;
};

}  // namespace

data::Dataset read_images(const std::vector<std::string>& files, const std::string& image_column,
                          const std::string& label_column, data::TableOptions table) {
  const auto is_folder = [](const std::string& file) { return fs::is_directory(file) && !data::holds_tables(file); };
  if (std::ranges::any_of(files, is_folder)) {
    if (files.size() == 1) {
      return data::read_image_folder(files[0], {.image_column = image_column, .label_column = label_column});
    }
    throw UsageError({.where = "images", .given = list_of(files), .expected = "one folder, or tables"});
  }
  table.columns = {image_column};
  if (!label_column.empty()) table.columns.push_back(label_column);
  table.single_values = table.columns;
  return data::read_table(files, std::move(table));
}

struct ImageClassification::Impl {
  Impl(ImageClassificationOptions given, const io::JsonObject& config)
      : options(std::move(given)),
        two_heads(has_two_heads(config)),
        labels(tasks::in_stored_order(options.labels, tasks::labels_in(config))) {
    tasks::require_classes(labels);
    tasks::check(options.loss, Head::kSoftmax, labels.size());
  }

  ImageClassificationOptions options;
  bool two_heads;
  std::vector<std::string> labels;
};

ImageClassification::ImageClassification(const fs::path& model, ImageClassificationOptions options)
    : ImageTask(model, options.image_column, options.input),
      impl_(std::make_unique<Impl>(std::move(options), config())) {
  metrics();  // refuses unknown names
}
ImageClassification::~ImageClassification() = default;

const std::vector<std::string>& ImageClassification::labels() const { return impl_->labels; }

std::vector<std::string> ImageClassification::columns(Labels labels) const {
  if (labels == Labels::kIgnored) return {impl_->options.image_column};
  return {impl_->options.image_column, impl_->options.label_column};
}

RowLabels ImageClassification::row_labels() const {
  return tasks::one_class_a_row(impl_->labels, impl_->options.label_column);
}

data::Dataset ImageClassification::read(const std::vector<std::string>& files, Labels labels,
                                        data::TableOptions table) const {
  const ImageClassificationOptions& options = impl_->options;
  return read_images(files, options.image_column, labels == Labels::kRequired ? options.label_column : "",
                     std::move(table));
}

data::Example ImageClassification::encode(const data::Example& row, Labels labels) const {
  return encoded(row, labels);
}

data::Example ImageClassification::example_of(const data::Example& row, Labels wanted) const {
  data::Example example(row.origin());
  example.set("image", tasks::image_name(row, impl_->options.image_column));
  const std::string& column = impl_->options.label_column;
  const int32_t label = wanted == Labels::kRequired ? tasks::label_id(row, column, impl_->labels) : 0;
  example.set("labels", Tensor({}, {label}));
  return tasks::set_weight_of(row, example);
}

std::vector<ImageClassification::Prediction> ImageClassification::predictions(const data::Example& batch,
                                                                              const data::Example& outputs) const {
  const std::span<const float> logits = outputs.tensor("logits").as<float>();
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const size_t classes = impl_->labels.size();
  std::vector<Prediction> predictions;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    const std::span<const float> of_row = logits.subspan(row * classes, classes);
    const auto label = static_cast<size_t>(tasks::predicted_class(Head::kSoftmax, of_row));
    predictions.push_back({batch.texts("image")[row],
                           impl_->labels[label],
                           tasks::probabilities(Head::kSoftmax, of_row),
                           {of_row.begin(), of_row.end()}});
  }
  return predictions;
}

std::unique_ptr<PredictionLines> ImageClassification::prediction_lines() const {
  return std::make_unique<ImageLines>(*this);
}

std::map<std::string, std::string> ImageClassification::settings() const {
  std::map<std::string, std::string> settings = image_settings();
  settings["label_column"] = impl_->options.label_column;
  settings.merge(tasks::settings_of(impl_->options.loss));
  return settings;
}

std::vector<std::string> ImageClassification::inputs() const {
  return {"pixel_values", "labels", std::string(data::kExampleWeight)};
}

Forward ImageClassification::forward(const nn::Scope& root, const Columns& batch) const {
  const Value x = model().hidden_states(root, batch.at("pixel_values")).back();
  const auto classes = static_cast<int64_t>(impl_->labels.size());
  Value logits;
  if (impl_->two_heads) {
    const auto [cls, distillation] = model().distilled_logits(root, x, classes);
    logits = (cls + distillation) / 2.0;
  } else {
    logits = model().image_logits(root, x, classes);
  }
  return tasks::sequence_classification(tasks::Problem::kSingleLabel, logits, batch.at("labels"),
                                        batch.at(std::string(data::kExampleWeight)),
                                        tasks::loss_options(impl_->options.loss, root));
}

std::unique_ptr<Metrics> ImageClassification::metrics() const {
  const auto classes = static_cast<int64_t>(impl_->labels.size());
  const auto more = classes > 5 ? std::vector<std::string>{"top_5_accuracy"} : std::vector<std::string>();
  return std::make_unique<tasks::ClassificationMetrics>(Head::kSoftmax, classes, impl_->options.metrics, more);
}

std::unique_ptr<ErrorAnalyzer> ImageClassification::error_analyzer(int64_t max_mistakes) const {
  return tasks::class_errors(Head::kSoftmax, impl_->labels, max_mistakes);
}

void ImageClassification::save(const fs::path& folder) const {
  const std::string_view head = impl_->two_heads ? kHeads : kHead;
  save_folder(folder, {.architecture = model().facts().class_prefix + std::string(head),
                       .labels = impl_->labels,
                       .problem_type = "single_label_classification"});
}

void ImageClassificationRunOptions::describe(OptionFields& fields) {
  describe_label_column(fields, label_column);
  describe_classes(fields, labels);
  describe_metrics(fields, metrics);
  describe_loss(fields, loss, weights);
  fields("image_column", image_column, "column of the path, from the table's folder",
         {.other_names = "image_column_name", .kept = true});
  input.describe(fields);
}

namespace {

using RunOptions = ImageClassificationRunOptions;

// An image of one black pixel, as PNG.
constexpr std::string_view kImage =
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\2\0\0\0\x90wS\xde\0\0\0\fIDATx\xda"
    "c```\0\0\0\4\0\1\xc8\xea\xeb\xf9\0\0\0\0IEND\xae"
    "B`\x82"sv;

ImageClassificationOptions learnt_from_rows(const RunOptions& options, const TaskContext& context) {
  ImageClassificationOptions found = options;
  const std::string& column = options.label_column;
  const data::Dataset rows = read_images(context.files, options.image_column, column, context.table);
  if (found.labels.empty()) {
    found.labels = tasks::classes_of_rows(context, rows, column);
    tasks::require_several_classes(found.labels, context, column);
  }
  const RowLabels labels = tasks::one_class_a_row(tasks::in_order_of_model(found.labels, context), column);
  found.loss = tasks::with_class_weights(options.loss, options.weights, Head::kSoftmax, labels, context, rows);
  return found;
}

std::unique_ptr<RowTask> make_image_classification(const TaskContext& context, const RunOptions& options) {
  if (context.classes == Classes::kOfRows) {
    return std::make_unique<ImageClassification>(context.folder, learnt_from_rows(options, context));
  }
  ImageClassificationOptions found = options;
  found.labels = tasks::classes_without_rows(context, kImageClassification, std::move(found.labels));
  return std::make_unique<ImageClassification>(context.folder, std::move(found));
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
