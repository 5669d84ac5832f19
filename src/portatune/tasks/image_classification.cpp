#include "portatune/tasks/image_classification.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/message.h"
#include "portatune/base/random.h"
#include "portatune/data/read/file_kinds.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/hub/model_folder.h"
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
#include "portatune/tasks/results/save_model.h"
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

image::ProcessorConfig processor_of(const fs::path& folder, const io::JsonObject& config,
                                    const models::ImageModelFacts& facts) {
  const fs::path file = folder / "preprocessor_config.json";
  const auto processor = image::ProcessorConfig::read(file, config.get_string("model_type"));
  const image::Size size = {facts.image_size.height, facts.image_size.width};
  if (processor.output_size() != size) {
    throw CheckpointError({.where = file.string(),
                           .given = "images of " + to_string(processor.output_size()),
                           .expected = to_string(size) + ", the image_size of config.json"});
  }
  if (facts.num_channels != 3) {
    throw CheckpointError({.where = "config.json, num_channels",
                           .given = std::to_string(facts.num_channels),
                           .expected = "3: red, green and blue"});
  }
  return processor;
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

// The random key of a row's augmentation.
uint64_t key_of(const data::Example& row, uint64_t seed) {
  const auto number = [&](std::string_view column) {
    return static_cast<uint64_t>(row.tensor(column).as<int64_t>()[0]);
  };
  return split_mix_64(split_mix_64(seed, number("epoch")), number("index"));
}

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
  Impl(const fs::path& path, ImageClassificationOptions given)
      : options(std::move(given)),
        folder(hub::ModelFolder::open_config(path)),
        model(models::image_model(folder.config())),
        two_heads(has_two_heads(folder.config())),
        processor(processor_of(hub::folder_of_settings(path), folder.config(), model->facts())),
        labels(tasks::in_stored_order(options.labels, tasks::labels_in(folder.config()))) {
    tasks::require_classes(labels);
    tasks::check(options.loss, Head::kSoftmax, labels.size());
  }

  image::DecodeOptions decoding() const {
    image::DecodeOptions decoding = {.max_pixels = options.max_pixels};
    if (options.reduced_decode) decoding.at_least = [&](image::Size whole) { return processor.resized_size(whole); };
    return decoding;
  }

  // The rows of a pass with their downloaded images, if the unshuffled rows of `source` name URLs.
  data::Dataset with_files(const data::Dataset& source, const data::Dataset& pass, const data::LocalRows& local) const {
    const std::string& column = options.image_column;
    return tasks::names_urls(source, column) ? tasks::download_images(pass, column, local) : pass;
  }

  // An example without its pixels.
  data::Example example_of(const data::Example& row, Labels wanted) const {
    data::Example example(row.origin());
    example.set("image", tasks::image_name(row, options.image_column));
    const int32_t label = wanted == Labels::kRequired ? tasks::label_id(row, options.label_column, labels) : 0;
    example.set("labels", Tensor({}, {label}));
    return tasks::set_weight_of(row, example);
  }

  // The example of another process's row, whose file is not opened.
  data::Example encode_without_pixels(const data::Example& row, Labels wanted) const {
    return data::call_on(row, [&](const data::Example&) { return example_of(row, wanted); });
  }

  data::Example encode(const data::Example& row, Labels wanted) const {
    return data::call_on(row, [&](const data::Example&) {
      data::Example example = example_of(row, wanted);
      const tasks::ImageFile file(row, options.image_column);
      example.set("pixel_values", processor(image::decode(file.bytes(), file.name(), decoding()).view(), file.name()));
      return example;
    });
  }

  data::Example encode_for_training(const data::Example& row, uint64_t seed) const {
    return data::call_on(row, [&](const data::Example&) {
      data::Example example = example_of(row, Labels::kRequired);
      const tasks::ImageFile file(row, options.image_column);
      example.set("pixel_values", image::augment(file.bytes(), file.name(), processor, options.augmentation,
                                                 key_of(row, seed), decoding()));
      return example;
    });
  }

  ImageClassificationOptions options;
  hub::ModelFolder folder;
  std::unique_ptr<const models::ImageModel> model;
  bool two_heads;
  image::Processor processor;
  std::vector<std::string> labels;
};

ImageClassification::ImageClassification(const fs::path& model, ImageClassificationOptions options)
    : impl_(std::make_unique<Impl>(model, std::move(options))) {
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
  return impl_->encode(row, labels);
}

data::LocalRows ImageClassification::local_rows(int64_t batch_size) const {
  const auto [height, width] = impl_->model->facts().image_size;
  return {.size = batch_size, .share = share_, .arrays = {{"pixel_values", {DType::kFloat32, {3, height, width}}}}};
}

data::Dataset ImageClassification::batches(const data::Dataset& rows, int64_t size, Labels labels) const {
  const auto encode = [this, labels](const data::Example& row, bool is_local) {
    return is_local ? impl_->encode(row, labels) : impl_->encode_without_pixels(row, labels);
  };
  const data::LocalRows local = local_rows(size);
  return impl_->with_files(rows, rows, local)
      .map_local(encode, local, {.threads = 0})
      .named("decode")
      .batch_local(local)
      .named("batch");
}

data::Dataset ImageClassification::training_batches(const data::Dataset& rows, int64_t size,
                                                    const data::ShuffleOptions& order) const {
  const auto encode = [this, seed = order.seed](const data::Example& row, bool is_local) {
    return is_local ? impl_->encode_for_training(row, seed) : impl_->encode_without_pixels(row, Labels::kRequired);
  };
  const data::LocalRows local = local_rows(size);
  return impl_->with_files(rows, rows.enumerate().shuffle(order).named("shuffle"), local)
      .map_local(encode, local, {.threads = 0})
      .named("decode")
      .batch_local(local)
      .named("batch");
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
  const ImageClassificationOptions& options = impl_->options;
  const image::Augmentation& changes = options.augmentation;
  std::map<std::string, std::string> settings = {
      {"image_column", options.image_column},
      {"label_column", options.label_column},
      {"reduced_decode", options.reduced_decode ? "true" : "false"},
      {"augment",
       std::string(changes.crop ? "crop " : "") + (changes.flip ? "flip " : "") + "color " + to_text(changes.color)}};
  settings.merge(tasks::settings_of(options.loss));
  return settings;
}

std::vector<std::string> ImageClassification::unknown_config_keys() const {
  return impl_->folder.config().unread_keys();
}

std::vector<std::string> ImageClassification::inputs() const {
  return {"pixel_values", "labels", std::string(data::kExampleWeight)};
}

Forward ImageClassification::forward(const nn::Scope& root, const Columns& batch) const {
  const models::ImageModel& model = *impl_->model;
  const Value x = model.hidden_states(root, batch.at("pixel_values")).back();
  const auto classes = static_cast<int64_t>(impl_->labels.size());
  Value logits;
  if (impl_->two_heads) {
    const auto [cls, distillation] = model.distilled_logits(root, x, classes);
    logits = (cls + distillation) / 2.0;
  } else {
    logits = model.image_logits(root, x, classes);
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

TokenCount ImageClassification::tokens(const data::Example& batch) const {
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const auto real = std::ranges::count_if(weights, [](float weight) { return weight != 0; });
  return {.real = real, .positions = std::ssize(weights), .unit = "images"};
}

double ImageClassification::initializer_range() const { return impl_->model->facts().initializer_range; }

InitialWeights ImageClassification::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  return hub::load_weights(impl_->folder, parameters, impl_->model->facts().base_prefix, seed);
}

void ImageClassification::require_weights() const { impl_->folder.require_weights(); }

void ImageClassification::save(const fs::path& folder) const {
  const std::string_view head = impl_->two_heads ? kHeads : kHead;
  tasks::save_model(folder, impl_->folder,
                    {.architecture = impl_->model->facts().class_prefix + std::string(head),
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
  fields("max_pixels", max_pixels, "larger images are refused", {.lowest = 1, .kept = true});
  fields("reduced_decode", reduced_decode, "faster, and not the same pixels, where JPEGs are large", {.kept = true});
  fields("no_random_crop", augmentation.crop, "do not train on random parts of the images",
         {.sets = "false", .use = OptionUse::kTraining});
  fields("no_flip", augmentation.flip, "do not mirror every other image",
         {.sets = "false", .use = OptionUse::kTraining});
  fields("color_jitter", augmentation.color, "by how much brightness, contrast, saturation may change",
         {.highest = 1, .use = OptionUse::kTraining});
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
