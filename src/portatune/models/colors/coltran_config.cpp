#include "portatune/models/colors/coltran_config.h"

#include <algorithm>
#include <array>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::models {
namespace {

struct ColTranClass {
  const char* name;
  ColorStage stage;
};
constexpr ColTranClass kColTranClasses[] = {{"ColTranColorizer", ColorStage::kColorizer},
                                            {"ColTranColorUpsampler", ColorStage::kColorUpsampler},
                                            {"ColTranSpatialUpsampler", ColorStage::kSpatialUpsampler}};

const ColTranClass& coltran_class(const io::JsonObject& config) {
  std::string names;
  const std::vector<std::string> given = config.get_strings("architectures");
  for (const ColTranClass& known : kColTranClasses) {
    if (std::ranges::find(given, known.name) != given.end()) return known;
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  throw CheckpointError({.where = "config.json, architectures",
                         .given = given.empty() ? "nothing" : list_of(given),
                         .expected = "one of " + names});
}

// Reads a word that is one of `words`.
void read_word(const ConfigReader& config, std::string_view key, std::string& field,
               const std::vector<std::string>& words) {
  config.read(key, field);
  if (std::ranges::find(words, field) != words.end()) return;
  throw CheckpointError(
      {.where = "config.json, " + std::string(key), .given = in_quotes(field), .expected = "one of " + list_of(words)});
}

// The side of squares, which a config has as [height, width].
void read_side(const ConfigReader& config, std::string_view key, int64_t& side) {
  if (!config.has(key)) return;
  constexpr io::IntRange kPixels{2, 1 << 12};
  const std::vector<int64_t> sides = config.get_ints(key, kPixels);
  if (sides.size() != 2 || sides[0] != sides[1]) {
    std::vector<std::string> numbers;
    for (const int64_t number : sides) numbers.push_back(std::to_string(number));
    throw CheckpointError({.where = "config.json, " + std::string(key),
                           .given = "[" + list_of(numbers) + "]",
                           .expected = "height and width of squares, such as [256, 256]"});
  }
  side = sides[0];
}

ColTranConditions coltran_conditions(const ConfigReader& config) {
  const std::vector<std::string> activations = {"identity", "relu", "sigmoid", "tanh"};
  ColTranConditions c;
  config.read("skip", c.skip);
  config.read("cond_att_q", c.cond_att_q);
  config.read("cond_att_k", c.cond_att_k);
  config.read("cond_att_v", c.cond_att_v);
  config.read("cond_att_scale", c.cond_att_scale);
  read_word(config, "cond_att_act", c.cond_att_act, activations);
  read_word(config, "cond_mlp", c.cond_mlp, {"affine", "shift", "none"});
  read_word(config, "cond_mlp_act", c.cond_mlp_act, activations);
  config.read("cond_ln", c.cond_ln);
  read_word(config, "cond_ln_act", c.cond_ln_act, activations);
  read_word(config, "cond_ln_seq", c.cond_ln_seq, {"sc", "cs"});
  read_word(config, "cond_ln_sp_ave", c.cond_ln_sp_ave, {"learnable", "mean"});
  return c;
}

void read_colorizer(const ConfigReader& config, ColTranConfig& c) {
  constexpr io::FloatRange kFactor{0, 1e6};
  config.read("num_outer_layers", c.num_outer_layers, kLayers);
  config.read("num_inner_layers", c.num_inner_layers, kLayers);
  std::string stage = "encoder_decoder";
  read_word(config, "stage", stage, {"encoder_decoder", "decoder"});
  c.has_parallel_head = stage == "encoder_decoder";
  config.read("loss_factor", c.loss_factor, kFactor);
  config.read("encoder_loss_factor", c.encoder_loss_factor, kFactor);
  c.conditions = coltran_conditions(config);
}

}  // namespace

ColTranConfig coltran_config(const ConfigReader& config) {
  ColTranConfig c;
  const ColTranClass& named = coltran_class(config);
  c.class_name = named.name;
  c.stage = named.stage;
  if (c.stage == ColorStage::kSpatialUpsampler) c.num_encoder_layers = 3;
  config.read("hidden_size", c.hidden_size, kSize);
  config.read("ff_size", c.ff_size, kSize);
  config.read("num_heads", c.num_heads, kSize);
  config.read("num_encoder_layers", c.num_encoder_layers, kLayers);
  config.read("downsample_res", c.downsample_res, {2, 1 << 12});
  read_side(config, "resolution", c.resolution);
  config.read("dropout", c.dropout, kRate);
  if (c.stage == ColorStage::kColorizer) read_colorizer(config, c);
  require_multiple("hidden_size", c.hidden_size, "num_heads", c.num_heads);
  return c;
}

ColorModelFacts ColTranConfig::facts() const {
  const bool has_two_losses = stage == ColorStage::kColorizer && has_parallel_head;
  return {.stage = stage,
          .class_name = class_name,
          .small_side = downsample_res,
          .large_side = resolution,
          .loss_factor = has_two_losses ? loss_factor : 1,
          .parallel_loss_factor = has_two_losses ? encoder_loss_factor : 0};
}

}  // namespace portatune::models
