#include "portatune/tasks/colorization.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "portatune/base/random.h"
#include "portatune/error.h"
#include "portatune/generate/search/sampling.h"
#include "portatune/media/image/encode_png.h"
#include "portatune/media_models.h"
#include "portatune/ops.h"
#include "portatune/tasks/file_task.h"
#include "portatune/tasks/files/file_classes.h"
#include "portatune/tasks/files/square_pictures.h"
#include "portatune/tasks/image_task.h"
#include "portatune/tasks/losses.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/results/colored_lines.h"
#include "portatune/tasks/rows/row_file.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using models::ColorStage;

// Columns of batches.
constexpr const char* kGray = "gray";
constexpr const char* kColors = "colors";      // to learn: [side, side], or [channels, side, side] for upsamplers
constexpr const char* kChannels = "channels";  // what an upsampler reads, made from the colours of the image
constexpr const char* kGivenChannels = "given_channels";  // the same, made by another model
constexpr const char* kIsLearned = "is_learned";  // int32, in batches whose colours are compared with predictions
constexpr const char* kColorSeed = "color_seed";
constexpr const char* kPicture = "picture";  // the name of the file

// Outputs of the forward pass.
constexpr const char* kBits = "bits";
constexpr const char* kParallelBits = "parallel_bits";
constexpr const char* kColored = "colored";

constexpr uint64_t kChannelDraw = 2;  // the choice of a channel, after those of a square

// The mean cross-entropy of each row in bits, float32 [batch].
Value bits_of_rows(const Value& logits, const Value& labels) {
  const Value losses = reshape(softmax_cross_entropy(logits, labels), {labels.shape()[0], -1});
  return mean(losses, {1}) / std::log(2.0);
}

// One channel of an array [channels, side, side].
Tensor channel_of(const Tensor& channels, int64_t channel) {
  const int64_t height = channels.shape()[1], width = channels.shape()[2];
  const auto size = static_cast<size_t>(height * width);
  return Tensor({1, height, width}, channels.as<int32_t>().subspan(static_cast<size_t>(channel) * size, size));
}

// Each device along `tensor` would compute the whole model.
void require_undivided_layers(const Mesh& mesh) {
  if (mesh.size({MeshAxis::kTensor}) == 1) return;
  throw UsageError({.where = "mesh",
                    .given = to_string(mesh) + " for ColTran, whose layers are not divided",
                    .expected = "a mesh without tensor",
                    .fix = "use data=N, or fsdp=N to divide the weights"});
}

class BitMetrics final : public Metrics {
 public:
  explicit BitMetrics(std::string name) : name_(std::move(name)) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    const auto weights = batch.tensor(data::kExampleWeight).as<float>();
    has_parallel_ = outputs.has(kParallelBits);
    for (size_t row = 0; row < weights.size(); ++row) {
      const auto weighted = [&](const char* output) {
        return static_cast<double>(weights[row]) * static_cast<double>(outputs.tensor(output).as<float>()[row]);
      };
      weight_ += static_cast<double>(weights[row]);
      bits_ += weighted(kBits);
      if (has_parallel_) parallel_bits_ += weighted(kParallelBits);
    }
  }
  Scores result() const override {
    if (weight_ == 0) return {};
    Scores scores = {{name_, bits_ / weight_}};
    if (has_parallel_) scores.emplace_back("parallel_" + name_, parallel_bits_ / weight_);
    return scores;
  }

 private:
  const std::string name_;
  double bits_ = 0, parallel_bits_ = 0, weight_ = 0;
  bool has_parallel_ = false;
};

class Colorization final : public FileTask {
 public:
  Colorization(const ModelSource& model, ColorizationOptions options)
      : FileTask(model, options.image_column, tasks::kImageFile, "images"),
        options_(std::move(options)),
        model_(models::color_model(config())),
        upsampler_(dynamic_cast<const models::ColorUpsampler*>(model_.get())) {
    if (upsampler_ == nullptr || !options_.color_seed) return;
    throw UsageError({.where = "color_seed",
                      .given = "a seed for " + model_->facts().class_name,
                      .expected = "a colorizer, as upsamplers take the most probable values",
                      .fix = "leave it out"});
  }

  std::vector<std::string> columns(Labels labels) const override {
    std::vector<std::string> columns = {file_column()};
    if (labels == Labels::kIgnored && reads_colored()) columns.push_back(options_.colored_column);
    return columns;
  }
  data::Dataset read(const std::vector<std::string>& files, Labels labels, data::TableOptions table) const override;

  std::map<std::string, std::string> settings() const override {
    return {{"image_column", file_column()}, {"random_crop", options_.random_crop ? "true" : "false"}};
  }
  bool has_mean_predictions() const override { return false; }
  bool predicts_labelled_rows() const override { return false; }
  double initializer_range() const override { return 1; }  // each weight of the model has its own deviation

  std::vector<std::string> inputs() const override { return {kGray, std::string(data::kExampleWeight)}; }
  std::vector<std::string> optional_inputs() const override {
    return {kColors, kChannels, kGivenChannels, kIsLearned, kColorSeed};
  }
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override { return std::make_unique<BitMetrics>(bits_name()); }
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  void save(const fs::path& folder) const override {
    save_folder(folder, {.architecture = model_->facts().class_name});
  }

 private:
  bool reads_colored() const { return upsampler_ != nullptr && !options_.colored_column.empty(); }
  const models::Colorizer& colorizer() const { return dynamic_cast<const models::Colorizer&>(*model_); }

  data::Example example_of(const data::Example& row, Labels labels) const override;
  data::BatchType arrays(bool is_training) const override;
  void add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                  std::optional<uint64_t> key) const override;
  const std::string& base_prefix() const override { return model_->facts().class_name; }

  image::Image decoded(std::span<const std::byte> file, const std::string& where) const {
    return image::decode(file, where, {.max_pixels = options_.max_pixels});
  }
  // What an upsampler reads of a small picture.
  Tensor channels_to_read(const image::Image& small) const {
    const image::Image picture = tasks::resized_picture(small, model_->facts().side());
    return tasks::numbered_channels(picture, upsampler_->levels());
  }
  Tensor given_channels(const data::Example& row) const;

  Forward learned(const nn::Scope& root, const Columns& batch) const;
  Forward colored(const nn::Scope& root, const Columns& batch) const;
  static models::ChooseColor choice(const Columns& batch);
  // The name of the mean cross-entropy.
  std::string bits_name() const { return upsampler_ != nullptr ? "bits_per_channel" : "bits_per_pixel"; }

  const ColorizationOptions options_;
  const std::unique_ptr<const models::ColorModel> model_;
  const models::ColorUpsampler* const upsampler_;  // null: the model is a colorizer
};

data::Dataset Colorization::read(const std::vector<std::string>& files, Labels labels, data::TableOptions table) const {
  const std::vector<std::string> read = columns(labels);
  return tasks::read_labelled_files(files, file_column(), read.size() > 1 ? read.back() : "", std::move(table),
                                    "images", [&](const std::string& folder) {
                                      return data::read_image_folder(
                                          folder, {.image_column = file_column(), .label_column = ""});
                                    });
}

data::Example Colorization::example_of(const data::Example& row, Labels labels) const {
  data::Example example(row.origin());
  example.set(kPicture, tasks::file_path(row, file_column(), tasks::kImageFile));
  tasks::set_weight_of(row, example);
  if (labels == Labels::kRequired) return example.set(kIsLearned, Tensor({}, {int32_t{1}}));
  if (reads_colored()) example.set(kGivenChannels, given_channels(row));
  if (upsampler_ == nullptr && options_.color_seed) {
    example.set(kColorSeed, Tensor({}, {static_cast<uint32_t>(split_mix_64(*options_.color_seed, 0))}));
  }
  return example;
}

Tensor Colorization::given_channels(const data::Example& row) const {
  // Without the other columns: RowFile would take the downloaded image of the row for the coloured picture.
  const std::string& column = options_.colored_column;
  const data::Example colored = data::Example(row.origin()).set(column, row.text(column));
  const tasks::RowFile file(colored, column, tasks::kImageFile);
  const image::Image picture = decoded(file.bytes(), file.name());
  const int64_t side = model_->facts().small_side;
  if (picture.size() == image::Size{side, side}) return channels_to_read(picture);
  throw DataError({.where = file.name(),
                   .given = to_string(picture.size()),
                   .expected = to_string(image::Size{side, side}) + ", the downsample_res of config.json"});
}

data::BatchType Colorization::arrays(bool is_training) const {
  const int64_t side = model_->facts().side();
  const TensorType picture{DType::kInt32, {side, side}};
  if (upsampler_ == nullptr) return {{kGray, picture}, {kColors, picture}};
  const TensorType channels{DType::kInt32, {is_training ? 1 : 3, side, side}};
  return {{kGray, picture}, {kColors, channels}, {kChannels, channels}};
}

// As in the original, an image becomes a large picture first, and this one a small one. In training an upsampler
// learns one channel of an image, chosen at random.
void Colorization::add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                              std::optional<uint64_t> key) const {
  const models::ColorModelFacts& facts = model_->facts();
  const std::optional<uint64_t> crop_key = options_.random_crop ? key : std::nullopt;
  image::Image picture = tasks::square_picture(decoded(file, where).view(), facts.large_side, crop_key);
  const image::Image small = tasks::resized_picture(picture, facts.small_side);
  if (facts.stage != ColorStage::kSpatialUpsampler) picture = tasks::resized_picture(picture, facts.small_side);
  example.set(kGray, tasks::gray_values(picture));
  if (upsampler_ == nullptr) {
    example.set(kColors, tasks::coarse_colors(picture));
    return;
  }
  Tensor colors = tasks::color_channels(picture), channels = channels_to_read(small);
  if (key) {
    const auto channel = static_cast<int64_t>(split_mix_64(*key, kChannelDraw) % 3);
    colors = channel_of(colors, channel);
    channels = channel_of(channels, channel);
  }
  example.set(kColors, std::move(colors));
  example.set(kChannels, std::move(channels));
}

Forward Colorization::learned(const nn::Scope& root, const Columns& batch) const {
  const Value &gray = batch.at(kGray), &colors = batch.at(kColors);
  const Value& weights = batch.at(std::string(data::kExampleWeight));
  const models::ColorModelFacts& facts = model_->facts();
  Forward forward{.loss_sum = {}, .weight_sum = sum(weights), .outputs = {}};
  const auto add = [&](const char* output, const Value& logits, double factor) {
    const Value bits = bits_of_rows(logits, colors);
    const Value loss = sum(bits * weights) * factor;
    forward.loss_sum = forward.loss_sum ? forward.loss_sum + loss : loss;
    forward.outputs.emplace_back(output, bits);
  };
  if (upsampler_ != nullptr) {
    add(kBits, upsampler_->logits(root, gray, batch.at(kChannels)), facts.loss_factor);
    return forward;
  }
  const auto [autoregressive, parallel] = colorizer().logits(root, gray, colors);
  add(kBits, autoregressive, facts.loss_factor);
  if (parallel) add(kParallelBits, parallel, facts.parallel_loss_factor);
  return forward;
}

// The colours that the model gives to grey pictures, int32, in the shape of those that it learns, and their
// cross-entropy, which shows whether the logits are finite.
Forward Colorization::colored(const nn::Scope& root, const Columns& batch) const {
  const Value& gray = batch.at(kGray);
  Value colors, logits;
  if (upsampler_ != nullptr) {
    const auto given = batch.find(kGivenChannels);
    logits = upsampler_->logits(root, gray, given != batch.end() ? given->second : batch.at(kChannels));
    colors = argmax(logits, logits.rank() - 1);
  } else {
    colors = colorizer().colors(root, gray, choice(batch));
    logits = colorizer().logits(root, gray, colors).autoregressive;
  }
  return {.loss_sum = full({DType::kFloat32, {}}, 0),
          .weight_sum = sum(batch.at(std::string(data::kExampleWeight))),
          .outputs = {{kColored, colors}, {kBits, bits_of_rows(logits, colors)}}};
}

models::ChooseColor Colorization::choice(const Columns& batch) {
  const auto seed = batch.find(kColorSeed);
  if (seed == batch.end()) return [](const Value& logits, const Value&) { return generate::most_probable(logits); };
  const Value key = full({DType::kUInt32, {2}}, 0);  // the seed is in the numbers
  return [key, numbers = seed->second](const Value& logits, const Value& pixel) {
    return generate::sample(logits, {.key = key, .numbers = numbers, .token = pixel});
  };
}

Forward Colorization::forward(const nn::Scope& root, const Columns& batch) const {
  require_undivided_layers(root.options().mesh);
  return batch.contains(kIsLearned) ? learned(root, batch) : colored(root, batch);
}

std::unique_ptr<PredictionLines> Colorization::prediction_lines() const {
  if (options_.colored_images.empty()) {
    throw UsageError({.where = "colored_images",
                      .given = "no folder",
                      .expected = "a folder to which predictions write their pictures",
                      .fix = "--colored-images FOLDER"});
  }
  const auto picture_of = [side = model_->facts().side(), is_coarse = upsampler_ == nullptr](
                              const data::Example& outputs, size_t row) {
    const auto all = outputs.tensor(kColored).as<int32_t>();
    const auto size = static_cast<size_t>((is_coarse ? 1 : 3) * side * side);
    const auto of_row = all.subspan(row * size, size);
    return is_coarse ? tasks::picture_of_coarse(of_row, side) : tasks::picture_of_channels(of_row, side);
  };
  return std::make_unique<tasks::ColoredLines>(
      tasks::ColoredColumns{.name = kPicture, .bits = kBits, .bits_name = bits_name()}, options_.colored_images,
      picture_of);
}

std::vector<data::Example> rows_of_colorization(const RowTask& task, const ColorizationOptions& options) {
  image::Image black({1, 1});
  std::ranges::fill(black.bytes(), uint8_t{0});
  data::Example row = tasks::sample_row(task);
  return {row.set(options.image_column, image::encode_png(black))};
}

}  // namespace

void ColorizationOptions::describe(OptionFields& fields) {
  describe_image_column(fields, image_column);
  describe_max_pixels(fields, max_pixels);
  describe_random_crop(fields, random_crop);
  fields("colored_images", colored_images, "folder to which pictures are written");
  fields("colored_column", colored_column, "column of the pictures that an upsampler reads",
         {.default_help = "the image's own colors"});
  fields("color_seed", color_seed, "draw colors at random", {.default_help = "the most probable ones"});
}

std::unique_ptr<RowTask> colorization(const ModelSource& model, ColorizationOptions options) {
  return std::make_unique<Colorization>(model, std::move(options));
}

const TaskSpec& colorization_spec() {
  static const TaskSpec kSpec = task_spec<ColorizationOptions>(
      {.name = "colorization",
       .classes = {"ColTranColorizer", "ColTranColorUpsampler", "ColTranSpatialUpsampler"},
       .run_options = {RunOption::kWeightColumn},
       .prediction_options = {"colored_images", "colored_column", "color_seed"},
       .pipeline = "image-to-image",
       .make = [](const TaskContext& context,
                  const ColorizationOptions& options) { return colorization(context.model, options); },
       .sample_rows = rows_of_colorization});
  return kSpec;
}

}  // namespace portatune
