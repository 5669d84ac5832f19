#include "portatune/models/grow/grow_model.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "portatune/base/random_normal.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/hub/changed_model.h"
#include "portatune/hub/model_folder.h"
#include "portatune/io/text/json.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/models/grow/wider_tensor.h"
#include "portatune/models/layer_stacks.h"

namespace portatune::grow {
namespace {

namespace fs = std::filesystem;
using hub::ModelFolder;
using models::LayerStack;
using Json = nlohmann::ordered_json;

// The name of a parameter of a layer.
struct LayerName {
  std::string before;  // with the prefix of its stack
  int64_t layer;
  std::string part;

  std::string in_layer(int64_t number) const { return before + std::to_string(number) + "." + part; }
};

std::optional<LayerName> layer_name(const std::string& name, const LayerStack& stack) {
  for (size_t at = name.find(stack.prefix); at != std::string::npos; at = name.find(stack.prefix, at + 1)) {
    const size_t number = at + stack.prefix.size(), dot = name.find('.', number);
    const bool begins = at == 0 || name[at - 1] == '.';
    if (!begins || dot == std::string::npos || dot == number || dot - number > 6) continue;
    const std::string digits = name.substr(number, dot - number);
    if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) continue;
    return LayerName{name.substr(0, number), std::stoll(digits), name.substr(dot + 1)};
  }
  return std::nullopt;
}

bool is_in(const std::string& name, const std::string& part) { return !part.empty() && name.starts_with(part + "."); }

bool is_in_any(const std::string& name, const std::vector<std::string>& parts) {
  return std::ranges::any_of(parts, [&](const std::string& part) { return is_in(name, part); });
}

// A stack with what becomes of it.
struct GrownStack {
  LayerStack layout;
  StackSizes before, after;
  std::vector<LayerOrigin> origins;

  // How the weight of a part becomes wider.
  std::optional<Tiling> tiling(const std::string& part) const {
    const int64_t copies = after.intermediate_size / before.intermediate_size;
    if (copies == 1) return std::nullopt;
    if (part == layout.output + ".weight") return Tiling{layout.is_transposed ? 0 : 1, copies, 1, true};
    if (!is_in_any(part, layout.inputs)) return std::nullopt;
    const bool is_matrix = part.ends_with(".weight");
    return Tiling{is_matrix && layout.is_transposed ? 1 : 0, copies, layout.kernels_of_input, false};
  }
};

// Calls f(name, view) for all tensors of the layers of a stack.
template <class F>
void for_each_tensor(const ModelFolder& model, const LayerStack& stack, const F& f) {
  for (const NamedTensorView& tensor : model.tensors()) {
    if (const std::optional<LayerName> name = layer_name(tensor.name, stack)) f(*name, tensor.view);
  }
}

bool has_layers(const ModelFolder& model, const LayerStack& stack) {
  return std::ranges::any_of(model.tensors(),
                             [&](const NamedTensorView& tensor) { return layer_name(tensor.name, stack).has_value(); });
}

CheckpointError mismatch(const ModelFolder& model, std::string given, std::string expected) {
  return CheckpointError({.where = model.path().string(), .given = std::move(given), .expected = std::move(expected)});
}

int64_t layers_of(const ModelFolder& model, const LayerStack& stack) {
  std::set<int64_t> numbers;
  for_each_tensor(model, stack, [&](const LayerName& name, const TensorView&) { numbers.insert(name.layer); });
  const int64_t layers = std::ssize(numbers);
  const int64_t expected = model.config().get_int_or(stack.layers_field, layers);
  if (layers > 0 && *numbers.rbegin() + 1 == layers && expected == layers) return layers;
  throw mismatch(model, std::to_string(layers) + " numbered layers in the weights",
                 "layers " + stack.prefix + "0 to " + std::to_string(expected - 1) + ", as " + stack.layers_field +
                     " in config.json says");
}

int64_t width_of(const ModelFolder& model, const LayerStack& stack) {
  std::set<int64_t> widths;
  for_each_tensor(model, stack, [&](const LayerName& name, const TensorView& view) {
    if (name.part == stack.output + ".weight" && view.type.shape.rank() == 2) {
      widths.insert(view.type.shape[stack.is_transposed ? 0 : 1]);
    }
  });
  if (widths.size() == 1) return *widths.begin();
  throw mismatch(model, std::to_string(widths.size()) + " sizes of feed-forward layers",
                 "matrices " + stack.prefix + "N." + stack.output + ".weight of one size");
}

int64_t size_after(const char* option, int64_t before, int64_t after) {
  if (after == 0 || after >= before) return std::max(before, after);
  throw UsageError({.where = option,
                    .given = std::to_string(after) + ", with a model of " + std::to_string(before),
                    .expected = "at least " + std::to_string(before) + ": a model can grow, not shrink"});
}

int64_t width_after(int64_t before, int64_t after) {
  const int64_t width = size_after("intermediate_size", before, after);
  if (width % before == 0) return width;
  throw UsageError({.where = "intermediate_size",
                    .given = std::to_string(after),
                    .expected = "a multiple of " + std::to_string(before) +
                                ", the size in the model: all its features get the same number of copies"});
}

void require_silence(const io::JsonObject& config, const LayerStack& stack) {
  if (!stack.added_parts.empty()) return;
  throw UsageError({.where = "depth",
                    .given = "zero, with a model of type " + config.get_string("model_type"),
                    .expected =
                        "stack or interpolate: each layer of this model ends with a norm, so no weights make an "
                        "additional layer return its input"});
}

StackSizes sizes_after(const io::JsonObject& config, const LayerStack& layout, const StackSizes& before,
                       bool is_decoder, const GrowthOptions& a) {
  const bool has_own_number = is_decoder && a.decoder_layers > 0;
  const StackSizes after = {has_own_number ? size_after("decoder_layers", before.layers, a.decoder_layers)
                                           : size_after("layers", before.layers, a.layers),
                            width_after(before.intermediate_size, a.intermediate_size)};
  if (a.depth == Depth::kZero && after.layers > before.layers) require_silence(config, layout);
  return after;
}

GrownStack grown_stack(const ModelFolder& model, const LayerStack& layout, bool is_decoder, const GrowthOptions& a) {
  GrownStack stack{.layout = layout, .before = {layers_of(model, layout), width_of(model, layout)}};
  stack.after = sizes_after(model.config(), layout, stack.before, is_decoder, a);
  stack.origins = layer_origins(a.depth, stack.before.layers, stack.after.layers);
  return stack;
}

void require_decoder(const models::LayerStacks& layouts, const GrowthOptions& a) {
  if (a.decoder_layers == 0 || layouts.size() > 1) return;
  throw UsageError({.where = "decoder_layers",
                    .given = "a model with one stack of layers",
                    .expected = "an encoder-decoder model",
                    .fix = "use --layers"});
}

std::vector<GrownStack> grown_stacks(const ModelFolder& model, const GrowthOptions& a) {
  const models::LayerStacks layouts = models::layer_stacks(model.config());
  require_decoder(layouts, a);
  std::vector<GrownStack> stacks;
  for (const LayerStack& layout : layouts) {
    const bool is_decoder = &layout != &layouts.front();
    // Heads that read the encoder alone have no decoder.
    if (!is_decoder || has_layers(model, layout)) stacks.push_back(grown_stack(model, layout, is_decoder, a));
  }
  return stacks;
}

void require_a_size(const GrowthOptions& a) {
  if (a.has_size()) return;
  throw UsageError(
      {.where = "layers", .given = "no new size", .expected = "a number of layers, --intermediate-size, or both"});
}

void require_whole_model(const ModelFolder& model) {
  if (!model.lora()) return;
  throw UsageError({.where = model.path().string(),
                    .given = "an adapter",
                    .expected = "a whole model",
                    .fix = "make one: portatune merge"});
}

// A sum over the layers has a weight for each, and transformers has no rule for additional ones.
void require_no_sum_of_layers(const ModelFolder& model, const std::vector<GrownStack>& stacks) {
  const bool is_deeper =
      std::ranges::any_of(stacks, [](const GrownStack& s) { return s.after.layers > s.before.layers; });
  if (!is_deeper || !model.find("layer_weights")) return;
  throw UsageError({.where = "layers",
                    .given = "a model with use_weighted_layer_sum, whose head has a weight for each layer",
                    .expected = "a model whose head reads the last layer"});
}

// What becomes of one tensor.
struct GrownTensor {
  TensorView source;
  TensorType type;
  std::optional<Tiling> tiling;
  std::optional<double> filled_with;  // all elements have this value
};
using GrownTensors = std::map<std::string, GrownTensor>;

double value_of_silent(const LayerStack& layout, const std::string& part) {
  return part.ends_with(".weight") ? layout.zero_weight : 0;
}

// Adds a tensor of the small model to a layer that originates from its layer.
void add_to_layer(const GrownStack& stack, const LayerName& name, const TensorView& view, int64_t layer,
                  GrownTensors& tensors) {
  const LayerStack& layout = stack.layout;
  if (layer > 0 && is_in(name.part, layout.only_in_first)) return;
  GrownTensor tensor{.source = view, .type = view.type, .tiling = stack.tiling(name.part)};
  if (tensor.tiling) tensor.type = wider_type(view.type, *tensor.tiling);
  if (stack.origins[static_cast<size_t>(layer)].is_silent && is_in_any(name.part, layout.added_parts)) {
    tensor.filled_with = value_of_silent(layout, name.part);
  }
  tensors.emplace(name.in_layer(layer), tensor);
  if (layer > 0 && name.layer == 0 && is_in(name.part, layout.like_absent)) {
    LayerName absent = name;
    absent.part.replace(0, layout.like_absent.size(), layout.absent_from_first);
    tensor.filled_with = absent.part.ends_with(".weight") ? 1 : 0;
    tensors.emplace(absent.in_layer(layer), tensor);
  }
}

GrownTensors grown_tensors(const ModelFolder& model, const std::vector<GrownStack>& stacks) {
  GrownTensors tensors;
  for (const NamedTensorView& tensor : model.tensors()) {
    bool is_of_layer = false;
    for (const GrownStack& stack : stacks) {
      const std::optional<LayerName> name = layer_name(tensor.name, stack.layout);
      if (!name) continue;
      is_of_layer = true;
      for (int64_t layer = 0; layer < stack.after.layers; ++layer) {
        if (stack.origins[static_cast<size_t>(layer)].layer == name->layer) {
          add_to_layer(stack, *name, tensor.view, layer, tensors);
        }
      }
    }
    if (!is_of_layer) tensors.emplace(tensor.name, GrownTensor{.source = tensor.view, .type = tensor.view.type});
  }
  return tensors;
}

Tensor values_of(const std::string& name, const GrownTensor& tensor, const GrowthOptions& a) {
  if (tensor.filled_with) return filled(tensor.type, *tensor.filled_with);
  const bool is_matrix = tensor.type.shape.rank() > 1;
  return wider_tensor(tensor.source, *tensor.tiling, {is_matrix ? a.noise : 0, key_of(name, a.seed)});
}

void write_tensors(const fs::path& file, const GrownTensors& tensors, const GrowthOptions& a) {
  std::vector<io::NamedTensorType> types;
  for (const auto& [name, tensor] : tensors) types.push_back({name, tensor.type});
  std::ranges::sort(types, io::lies_before);
  io::SafetensorsWriter writer(file, types);
  for (const io::NamedTensorType& type : types) {
    stop_if_requested();
    const GrownTensor& tensor = tensors.at(type.name);
    const bool is_copied = !tensor.tiling && !tensor.filled_with;
    is_copied ? writer.write(tensor.source) : writer.write(values_of(type.name, tensor, a).view());
  }
  writer.finish();
}

// Throws CheckpointError if the kinds of layers follow from their numbers, which growing changes, and not from a list.
void require_list_of_kinds(const Json& config, const ModelFolder& model) {
  const std::string type = config.value("model_type", "");
  const bool is_by_rule = type == "gemma2" || type == "gemma3_text" || type == "modernbert" ||
                          (type.starts_with("qwen") && config.value("use_sliding_window", false));
  const char* key = type == "smollm3" ? "no_rope_layers" : "layer_types";
  if ((!is_by_rule && type != "smollm3") || config.contains(key)) return;
  throw CheckpointError(
      {.where = (model.path() / "config.json").string(),
       .given = std::string("no ") + key + ", so that the number of a layer decides about its attention",
       .expected = "a list with an entry for each layer",
       .fix = "load the model with transformers 5 and save it with save_pretrained()"});
}

// Lists with an entry for each layer follow the layers.
void grow_lists(Json& config, const GrownStack& stack) {
  for (const char* key : {"layer_types", "no_rope_layers"}) {
    if (!config.contains(key) || std::ssize(config[key]) < stack.before.layers) continue;
    Json list = Json::array();
    for (const LayerOrigin& origin : stack.origins) list.push_back(config[key][static_cast<size_t>(origin.layer)]);
    config[key] = std::move(list);
  }
}

std::string grown_config(const ModelFolder& model, const std::vector<GrownStack>& stacks) {
  Json config = io::parse_json_object(model.config_text(), (model.path() / "config.json").string());
  for (const GrownStack& stack : stacks) {
    if (stack.after.layers != stack.before.layers) require_list_of_kinds(config, model);
    config[stack.layout.layers_field] = stack.after.layers;
    config[stack.layout.width_field] = stack.after.intermediate_size;
    grow_lists(config, stack);
  }
  // Configs of BART repeat encoder_layers.
  if (config.contains("num_hidden_layers")) config["num_hidden_layers"] = stacks.front().after.layers;
  return io::indented_text(config);
}

int64_t parameters_of(const ModelFolder& model) {
  int64_t parameters = 0;
  for (const NamedTensorView& tensor : model.tensors()) parameters += tensor.view.type.shape.elements();
  return parameters;
}

int64_t parameters_of(const GrownTensors& tensors) {
  int64_t parameters = 0;
  for (const auto& [name, tensor] : tensors) parameters += tensor.type.shape.elements();
  return parameters;
}

}  // namespace

void GrowthOptions::describe(OptionFields& fields) {
  fields.group("Sizes");
  fields("layers", layers, "number of layers; of encoder-decoder models, that of both stacks",
         {.lowest = 1, .highest = 1024, .default_help = "as before"});
  fields("decoder_layers", decoder_layers, "number of layers of the decoder of an encoder-decoder model",
         {.lowest = 1, .highest = 1024, .default_help = "--layers"});
  fields("depth", depth,
         "origin of additional layers: stack, all layers again; interpolate, each layer several times in a row; zero, "
         "stack with layers that begin by returning their input");
  fields("intermediate_size", intermediate_size, "features in the middle of a feed-forward layer, a multiple of before",
         {.lowest = 1, .default_help = "as before"});
  fields("noise", noise, "noise on copied features, times the deviation of the weights; 0: copies stay equal",
         {.highest = 10});
  fields("seed", seed, "seed of the noise");
}

void check_growth(const io::JsonObject& config, const std::vector<GrowthOptions>& stages) {
  const models::LayerStacks layouts = models::layer_stacks(config);
  for (const GrowthOptions& stage : stages) require_decoder(layouts, stage);
  for (const LayerStack& layout : layouts) {
    StackSizes sizes{config.get_int_or(layout.layers_field, 0), config.get_int_or(layout.width_field, 0)};
    if (sizes.layers == 0 || sizes.intermediate_size == 0) continue;  // a default of the architecture
    for (const GrowthOptions& stage : stages) {
      if (stage.has_size()) sizes = sizes_after(config, layout, sizes, &layout != &layouts.front(), stage);
    }
  }
}

Growth grow_model(const fs::path& folder, const fs::path& output, const GrowthOptions& options,
                  const std::vector<std::string>& others) {
  require_a_size(options);
  const ModelFolder model = ModelFolder::open(folder);
  require_whole_model(model);
  const std::vector<GrownStack> stacks = grown_stacks(model, options);
  require_no_sum_of_layers(model, stacks);
  const GrownTensors tensors = grown_tensors(model, stacks);
  hub::write_changed_model(model, output, grown_config(model, stacks), others,
                           [&](const fs::path& file) { write_tensors(file, tensors, options); });
  Growth growth{.parameters_before = parameters_of(model), .parameters = parameters_of(tensors)};
  for (const GrownStack& stack : stacks) {
    growth.before.push_back(stack.before);
    growth.after.push_back(stack.after);
  }
  return growth;
}

}  // namespace portatune::grow
