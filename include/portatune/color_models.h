// Models that colour grey pictures: config.json in, a graph out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "portatune/json_object.h"
#include "portatune/nn.h"

namespace portatune::models {

/// The three models that colour a picture one after the other.
enum class ColorStage {
  kColorizer,        ///< coarse colours for a small grey picture
  kColorUpsampler,   ///< fine colours for a small picture of coarse ones
  kSpatialUpsampler  ///< the large picture for a small one
};

/// Metadata of a checkpoint.
struct ColorModelFacts {
  ColorStage stage;
  std::string class_name;  ///< its class in "architectures" of config.json: "ColTranColorizer"
  int64_t small_side;      ///< side of a small picture in pixels: downsample_res of config.json
  int64_t large_side;      ///< side of a large picture: resolution of config.json
  /// Weights of the two losses of a colorizer.
  double loss_factor = 1, parallel_loss_factor = 0;

  /// The side of the pictures that the model makes.
  int64_t side() const { return stage == ColorStage::kSpatialUpsampler ? large_side : small_side; }
};

/// Number of values of a channel in coarse colours.
inline constexpr int64_t kCoarseLevels = 8;
/// Number of coarse colours.
inline constexpr int64_t kCoarseColors = kCoarseLevels * kCoarseLevels * kCoarseLevels;
/// Number of values of a byte.
inline constexpr int64_t kByteLevels = 256;

/// A model that colours pictures.
///   gray  int32 [batch, side, side], 0 to 255
class ColorModel {
 public:
  explicit ColorModel(ColorModelFacts facts) : facts_(std::move(facts)) {}
  virtual ~ColorModel() = default;

  const ColorModelFacts& facts() const { return facts_; }

 private:
  ColorModelFacts facts_;
};

/// Logits of coarse colours, float32 [batch, side, side, 512].
struct ColorLogits {
  Value autoregressive;  ///< of each pixel, given the grey picture and the colours of the pixels before it
  Value parallel;        ///< of each pixel, given the grey picture alone; absent if the model has no such head
};

/// Chooses a colour for each picture: int32 [batch].
///   logits  float32 [batch, 512]
///   pixel   an int32 scalar, the index of the pixel in the order of reading
using ChooseColor = std::function<Value(const Value& logits, const Value& pixel)>;

/// Coarse colours, pixel by pixel in the order of reading.
class Colorizer : public ColorModel {
 public:
  using ColorModel::ColorModel;

  /// colors  int32 [batch, side, side]: 64 red + 8 green + blue, each from 0 to 7
  virtual ColorLogits logits(const nn::Scope& root, const Value& gray, const Value& colors) const = 0;
  /// Colours all pixels, one after the other: int32 [batch, side, side].
  virtual Value colors(const nn::Scope& root, const Value& gray, const ChooseColor& choose) const = 0;
};

/// Fine values of channels, all at once.
class ColorUpsampler : public ColorModel {
 public:
  using ColorModel::ColorModel;

  /// Number of values of a channel of the picture that the model reads: 8 or 256.
  virtual int64_t levels() const = 0;
  /// Logits of the values of bytes, float32 [batch, channels, side, side, 256].
  ///   channels  int32 [batch, channels, side, side]: the value of a channel + levels() * its index (red 0, green 1,
  ///             blue 2)
  virtual Value logits(const nn::Scope& root, const Value& gray, const Value& channels) const = 0;
};

/// True if a config.json belongs to a model that colours pictures; false for an unknown architecture.
bool is_color_model(const io::JsonObject& config);
/// The model of a checkpoint's config.json.
/// errors  CheckpointError for an unknown architecture or class, and for an unusable value
std::unique_ptr<ColorModel> color_model(const io::JsonObject& config);

}  // namespace portatune::models
