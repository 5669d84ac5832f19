#include "portatune/tasks/image_task.h"

#include <algorithm>
#include <utility>

#include "portatune/base/message.h"
#include "portatune/base/random.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/hub/model_folder.h"
#include "portatune/option_fields.h"
#include "portatune/tasks/results/save_model.h"
#include "portatune/tasks/rows/image_file.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

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

// The random key of a row's augmentation.
uint64_t key_of(const data::Example& row, uint64_t seed) {
  const auto number = [&](std::string_view column) {
    return static_cast<uint64_t>(row.tensor(column).as<int64_t>()[0]);
  };
  return split_mix_64(split_mix_64(seed, number("epoch")), number("index"));
}

}  // namespace

void ImageInputOptions::describe(OptionFields& fields) {
  fields("max_pixels", max_pixels, "larger images are refused", {.lowest = 1, .kept = true});
  fields("reduced_decode", reduced_decode, "faster, and not the same pixels, where JPEGs are large", {.kept = true});
  fields("no_random_crop", augmentation.crop, "do not train on random parts of the images",
         {.sets = "false", .use = OptionUse::kTraining});
  fields("no_flip", augmentation.flip, "do not mirror every other image",
         {.sets = "false", .use = OptionUse::kTraining});
  fields("color_jitter", augmentation.color, "by how much brightness, contrast, saturation may change",
         {.highest = 1, .use = OptionUse::kTraining});
}

struct ImageTask::Impl {
  Impl(const fs::path& path, std::string column, ImageInputOptions given)
      : column(std::move(column)),
        options(given),
        folder(hub::ModelFolder::open_config(path)),
        model(models::image_model(folder.config())),
        processor(processor_of(hub::folder_of_settings(path), folder.config(), model->facts())) {}

  image::DecodeOptions decoding() const {
    image::DecodeOptions decoding = {.max_pixels = options.max_pixels};
    if (options.reduced_decode) decoding.at_least = [&](image::Size whole) { return processor.resized_size(whole); };
    return decoding;
  }

  // The rows of a pass with their downloaded images, if the unshuffled rows of `source` name URLs.
  data::Dataset with_files(const data::Dataset& source, const data::Dataset& pass, const data::LocalRows& local) const {
    return tasks::names_urls(source, column) ? tasks::download_images(pass, column, local) : pass;
  }

  Tensor pixels(const data::Example& row) const {
    const tasks::ImageFile file(row, column);
    return processor(image::decode(file.bytes(), file.name(), decoding()).view(), file.name());
  }

  Tensor augmented_pixels(const data::Example& row, uint64_t seed) const {
    const tasks::ImageFile file(row, column);
    return image::augment(file.bytes(), file.name(), processor, options.augmentation, key_of(row, seed), decoding());
  }

  std::string column;
  ImageInputOptions options;
  hub::ModelFolder folder;
  std::unique_ptr<const models::ImageModel> model;
  image::Processor processor;
};

ImageTask::ImageTask(const fs::path& model, std::string column, ImageInputOptions options)
    : impl_(std::make_unique<Impl>(model, std::move(column), options)) {}
ImageTask::~ImageTask() = default;

const io::JsonObject& ImageTask::config() const { return impl_->folder.config(); }
const models::ImageModel& ImageTask::model() const { return *impl_->model; }
const std::string& ImageTask::image_column() const { return impl_->column; }

data::Example ImageTask::encoded(const data::Example& row, Labels labels) const {
  return data::call_on(row, [&](const data::Example&) {
    data::Example example = example_of(row, labels);
    example.set("pixel_values", impl_->pixels(row));
    return example;
  });
}

data::LocalRows ImageTask::local_rows(int64_t batch_size) const {
  const auto [height, width] = model().facts().image_size;
  return {.size = batch_size, .share = share_, .arrays = {{"pixel_values", {DType::kFloat32, {3, height, width}}}}};
}

// Files of other processes' rows are not opened.
data::Dataset ImageTask::batches(const data::Dataset& rows, int64_t size, Labels labels) const {
  const auto encode = [this, labels](const data::Example& row, bool is_local) {
    if (is_local) return encoded(row, labels);
    return data::call_on(row, [&](const data::Example&) { return example_of(row, labels); });
  };
  const data::LocalRows local = local_rows(size);
  return impl_->with_files(rows, rows, local)
      .map_local(encode, local, {.threads = 0})
      .named("decode")
      .batch_local(local)
      .named("batch");
}

data::Dataset ImageTask::training_batches(const data::Dataset& rows, int64_t size,
                                          const data::ShuffleOptions& order) const {
  const auto encode = [this, seed = order.seed](const data::Example& row, bool is_local) {
    return data::call_on(row, [&](const data::Example&) {
      data::Example example = example_of(row, Labels::kRequired);
      if (is_local) example.set("pixel_values", impl_->augmented_pixels(row, seed));
      return example;
    });
  };
  const data::LocalRows local = local_rows(size);
  return impl_->with_files(rows, rows.enumerate().shuffle(order).named("shuffle"), local)
      .map_local(encode, local, {.threads = 0})
      .named("decode")
      .batch_local(local)
      .named("batch");
}

std::map<std::string, std::string> ImageTask::image_settings() const {
  const image::Augmentation& changes = impl_->options.augmentation;
  return {{"image_column", impl_->column},
          {"reduced_decode", impl_->options.reduced_decode ? "true" : "false"},
          {"augment", std::string(changes.crop ? "crop " : "") + (changes.flip ? "flip " : "") + "color " +
                          to_text(changes.color)}};
}

std::vector<std::string> ImageTask::unknown_config_keys() const { return config().unread_keys(); }

TokenCount ImageTask::tokens(const data::Example& batch) const {
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const auto real = std::ranges::count_if(weights, [](float weight) { return weight != 0; });
  return {.real = real, .positions = std::ssize(weights), .unit = "images"};
}

double ImageTask::initializer_range() const { return model().facts().initializer_range; }

InitialWeights ImageTask::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  return hub::load_weights(impl_->folder, parameters, model().facts().base_prefix, seed);
}

void ImageTask::require_weights() const { impl_->folder.require_weights(); }

void ImageTask::save_folder(const fs::path& folder, ConfigChanges changes) const {
  tasks::save_model(folder, impl_->folder, std::move(changes));
}

}  // namespace portatune
