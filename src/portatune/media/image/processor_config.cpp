#include <algorithm>

#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/media.h"

namespace portatune::image {
namespace {

constexpr int64_t kMaxResizedSide = 16384;
constexpr io::IntRange kSide = {.least = 1, .most = kMaxResizedSide};
constexpr std::array<double, 3> kImageNetMean = {0.485, 0.456, 0.406}, kImageNetDeviation = {0.229, 0.224, 0.225};

// The defaults of a processor.
struct ProcessorKind {
  std::string_view name, model_type;
  ProcessorConfig defaults;
};

const std::array<ProcessorKind, 2> kProcessorKinds = {{{"ViTImageProcessor", "vit", {}},
                                                       {"DeiTImageProcessor",
                                                        "deit",
                                                        {.size = {256, 256},
                                                         .resample = Filter::kBicubic,
                                                         .do_center_crop = true,
                                                         .mean = kImageNetMean,
                                                         .deviation = kImageNetDeviation}}}};

// The current name of a processor: "ViTFeatureExtractor" and "ViTImageProcessorFast" become "ViTImageProcessor".
std::string current_name(std::string name) {
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  constexpr std::string_view kOld = "FeatureExtractor";
  if (name.ends_with(kOld)) name.replace(name.size() - kOld.size(), kOld.size(), "ImageProcessor");
  return name;
}

const ProcessorKind& kind_of(const io::JsonObject& json, const std::string& file, std::string_view model_type) {
  const std::string given =
      json.get_string_or("image_processor_type", json.get_string_or("feature_extractor_type", ""));
  const auto found = std::ranges::find_if(kProcessorKinds, [&](const ProcessorKind& kind) {
    return given.empty() ? kind.model_type == model_type : kind.name == current_name(given);
  });
  if (found != kProcessorKinds.end()) return *found;
  throw CheckpointError(
      {.where = file + ", image_processor_type",
       .given = given.empty() ? "none, for a model of type \"" + std::string(model_type) + "\"" : "\"" + given + "\"",
       .expected = "ViTImageProcessor or DeiTImageProcessor"});
}

// Reads a size. A number applies to both sides; a list holds height and width.
Size size_in(const io::JsonObject& json, std::string_view key, Size fallback) {
  const std::string_view type = json.type_of(key);
  if (type == "number") {
    const int64_t side = json.get_int(key, kSide);
    return {side, side};
  }
  if (type == "array") {
    const std::vector<int64_t> sides = json.get_ints(key, kSide);
    if (sides.size() == 2) return {sides[0], sides[1]};
    if (sides.size() == 1) return {sides[0], sides[0]};
  }
  if (const auto size = json.get_object(key)) return {size->get_int("height", kSide), size->get_int("width", kSide)};
  return fallback;
}

// Requires that all keys of a size were read. Other rules, such as longest_edge, leave a key unread.
void require_read(const io::JsonObject& json, const std::string& file, std::string_view key) {
  for (const std::string& unread : json.unread_keys()) {
    if (!unread.starts_with(std::string(key) + ".")) continue;
    throw CheckpointError({.where = file, .given = unread, .expected = "height and width, or shortest_edge alone"});
  }
}

void read_sizes(const io::JsonObject& json, const std::string& file, ProcessorConfig& config) {
  const auto size = json.type_of("size") == "object" ? json.get_object("size") : std::nullopt;
  if (size && size->has("shortest_edge")) {
    config.shortest_edge = size->get_int("shortest_edge", kSide);
  } else {
    config.size = size_in(json, "size", config.size);
  }
  require_read(json, file, "size");
  config.crop_size = size_in(json, "crop_size", config.crop_size);
  require_read(json, file, "crop_size");
}

std::array<double, 3> by_colour(const io::JsonObject& json, const std::string& file, std::string_view key,
                                std::array<double, 3> fallback, io::FloatRange range) {
  if (!json.has(key)) return fallback;
  if (json.type_of(key) == "number") {
    const double value = json.get_float(key, range);
    return {value, value, value};
  }
  const std::vector<double> values = json.get_floats(key, range);
  if (values.size() != 3) {
    throw CheckpointError({.where = file + ", " + std::string(key),
                           .given = std::to_string(values.size()) + " numbers",
                           .expected = "three: for red, green and blue"});
  }
  return {values[0], values[1], values[2]};
}

void require_fixed_size(const ProcessorConfig& config, const std::string& file) {
  if (config.do_center_crop || (config.do_resize && !config.shortest_edge)) return;
  throw CheckpointError({.where = file,
                         .given = config.do_resize ? "a size by shortest_edge and no do_center_crop"
                                                   : "neither do_resize nor do_center_crop",
                         .expected = "steps that give all images the same size"});
}

}  // namespace

ProcessorConfig ProcessorConfig::read(const std::filesystem::path& file, std::string_view model_type) {
  const io::JsonObject json = io::JsonObject::read(file);
  const std::string name = file.string();
  ProcessorConfig config = kind_of(json, name, model_type).defaults;
  config.do_resize = json.get_bool_or("do_resize", config.do_resize);
  config.do_center_crop = json.get_bool_or("do_center_crop", config.do_center_crop);
  read_sizes(json, name, config);
  config.resample =
      static_cast<Filter>(json.get_int_or("resample", static_cast<int64_t>(config.resample), {.least = 0, .most = 5}));
  config.do_rescale = json.get_bool_or("do_rescale", config.do_rescale);
  config.rescale_factor = json.get_float_or("rescale_factor", config.rescale_factor);
  config.do_normalize = json.get_bool_or("do_normalize", config.do_normalize);
  config.mean = by_colour(json, name, "image_mean", config.mean, {});
  config.deviation = by_colour(json, name, "image_std", config.deviation, {.least = 1e-6});
  if (json.get_bool_or("do_pad", false)) {
    throw CheckpointError({.where = name + ", do_pad", .given = "true", .expected = "false, as in ViT and DeiT"});
  }
  require_fixed_size(config, name);
  return config;
}

Size ProcessorConfig::resized_size(Size image) const {
  if (!shortest_edge) return size;
  const int64_t shortest = std::min(image.height, image.width), longest = std::max(image.height, image.width);
  // The value is a double, rounded down, as in Python; but the product is an integer.
  const auto other =
      static_cast<int64_t>(static_cast<double>(*shortest_edge * longest) / static_cast<double>(shortest));
  return image.width <= image.height ? Size{other, *shortest_edge} : Size{*shortest_edge, other};
}

}  // namespace portatune::image
