#include "portatune/tasks/image_task.h"

#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/hub/model_folder.h"
#include "portatune/option_fields.h"
#include "portatune/tasks/rows/row_file.h"

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

}  // namespace

void describe_image_column(OptionFields& fields, std::string& column) {
  fields("image_column", column, "column of the path, from the table's folder",
         {.other_names = "image_column_name", .kept = true});
}
void describe_max_pixels(OptionFields& fields, int64_t& max_pixels) {
  fields("max_pixels", max_pixels, "larger images are refused", {.lowest = 1, .kept = true});
}
void describe_random_crop(OptionFields& fields, bool& random_crop) {
  fields("no_random_crop", random_crop, "do not train on random parts of the images",
         {.sets = "false", .use = OptionUse::kTraining});
}

void ImageInputOptions::describe(OptionFields& fields) {
  describe_max_pixels(fields, max_pixels);
  fields("reduced_decode", reduced_decode, "faster, and not the same pixels, where JPEGs are large", {.kept = true});
  describe_random_crop(fields, augmentation.crop);
  fields("no_flip", augmentation.flip, "do not mirror every other image",
         {.sets = "false", .use = OptionUse::kTraining});
  fields("color_jitter", augmentation.color, "by how much brightness, contrast, saturation may change",
         {.highest = 1, .use = OptionUse::kTraining});
}

struct ImageTask::Impl {
  Impl(const fs::path& path, ImageInputOptions given, const io::JsonObject& config)
      : options(given),
        model(models::image_model(config)),
        processor(processor_of(hub::folder_of_settings(path), config, model->facts())) {}

  image::DecodeOptions decoding() const {
    image::DecodeOptions decoding = {.max_pixels = options.max_pixels};
    if (options.reduced_decode) decoding.at_least = [&](image::Size whole) { return processor.resized_size(whole); };
    return decoding;
  }

  ImageInputOptions options;
  std::unique_ptr<const models::ImageModel> model;
  image::Processor processor;
};

ImageTask::ImageTask(const ModelSource& model, std::string column, ImageInputOptions options)
    : FileTask(model, std::move(column), tasks::kImageFile, "images"),
      impl_(std::make_unique<Impl>(model.folder, options, config())) {}
ImageTask::~ImageTask() = default;

const models::ImageModel& ImageTask::model() const { return *impl_->model; }

data::BatchType ImageTask::arrays(bool) const {
  const auto [height, width] = model().facts().image_size;
  return {{"pixel_values", {DType::kFloat32, {3, height, width}}}};
}

void ImageTask::add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                           std::optional<uint64_t> key) const {
  const image::Processor& processor = impl_->processor;
  example.set("pixel_values",
              key ? image::augment(file, where, processor, impl_->options.augmentation, *key, impl_->decoding())
                  : processor(image::decode(file, where, impl_->decoding()).view(), where));
}

const std::string& ImageTask::base_prefix() const { return model().facts().base_prefix; }

std::map<std::string, std::string> ImageTask::image_settings() const {
  const image::Augmentation& changes = impl_->options.augmentation;
  return {{"image_column", image_column()},
          {"reduced_decode", impl_->options.reduced_decode ? "true" : "false"},
          {"augment", std::string(changes.crop ? "crop " : "") + (changes.flip ? "flip " : "") + "color " +
                          to_text(changes.color)}};
}

double ImageTask::initializer_range() const { return model().facts().initializer_range; }

}  // namespace portatune
