// The numbered layers of the architectures: where a checkpoint has them, and which sizes in config.json belong to them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/json_object.h"

namespace portatune::models {

/// The numbered layers of a model: its encoder or its decoder. "Part" is the name of a module inside of a layer,
/// without the number of the layer: "output.dense".
struct LayerStack {
  std::string prefix;               ///< the end of names before the number of a layer: "encoder.layer."
  std::string layers_field;         ///< key of the number of layers in config.json
  std::string width_field;          ///< key of the number of intermediate features in config.json
  std::vector<std::string> inputs;  ///< linear parts that compute intermediate features; a variant may lack some
  std::string output;               ///< the linear part that reads them
  int64_t kernels_of_input = 1;     ///< number of kernels in the weight of an input, one after the other
  bool is_transposed = false;       ///< whether weights of linear parts are [in, out]
  /// Parts whose output is added to x, the input of the layer. Without them a layer returns x. Empty: a layer ends with
  /// a norm, and therefore changes x in any case.
  std::vector<std::string> added_parts;
  double zero_weight = 0;         ///< the weight with which an added part returns zeros
  std::string only_in_first;      ///< a part that only the first layer has; empty: none
  std::string absent_from_first;  ///< a norm that only the first layer lacks; empty: none
  std::string like_absent;        ///< a norm of all layers with the parameters of `absent_from_first`
};
using LayerStacks = std::vector<LayerStack>;

/// The stacks of a model, the encoder before the decoder.
/// errors  CheckpointError, with the list of all others, for an architecture that is unknown or cannot grow
LayerStacks layer_stacks(const io::JsonObject& config);

// The layouts of checkpoints, for the registry.
LayerStacks bert_stacks(const io::JsonObject& config);
LayerStacks distilbert_stacks(const io::JsonObject& config);
LayerStacks modernbert_stacks(const io::JsonObject& config);
LayerStacks vit_stacks(const io::JsonObject& config);
LayerStacks wav2vec2_stacks(const io::JsonObject& config);
LayerStacks gpt2_stacks(const io::JsonObject& config);
LayerStacks gpt_neox_stacks(const io::JsonObject& config);
LayerStacks llama_stacks(const io::JsonObject& config);
LayerStacks gemma2_stacks(const io::JsonObject& config);
LayerStacks opt_stacks(const io::JsonObject& config);
LayerStacks phi_stacks(const io::JsonObject& config);
LayerStacks bart_stacks(const io::JsonObject& config);
LayerStacks mbart_stacks(const io::JsonObject& config);
LayerStacks bigbird_pegasus_stacks(const io::JsonObject& config);
LayerStacks t5_stacks(const io::JsonObject& config);
LayerStacks umt5_stacks(const io::JsonObject& config);

}  // namespace portatune::models
