#include "portatune/models/layer_stacks.h"

namespace portatune::models {
namespace {

// The layers of BERT, which ViT has with norms in other places.
LayerStack bert_layout(std::vector<std::string> added_parts) {
  return {.prefix = "encoder.layer.",
          .layers_field = "num_hidden_layers",
          .width_field = "intermediate_size",
          .inputs = {"intermediate.dense"},
          .output = "output.dense",
          .added_parts = std::move(added_parts)};
}

LayerStack decoder_layout(std::vector<std::string> inputs, std::string output, std::string attention_output) {
  return {.prefix = "layers.",
          .layers_field = "num_hidden_layers",
          .width_field = "intermediate_size",
          .inputs = std::move(inputs),
          .output = output,
          .added_parts = {std::move(attention_output), output}};
}

LayerStack llama_layout() {
  return decoder_layout({"mlp.gate_proj", "mlp.up_proj"}, "mlp.down_proj", "self_attn.o_proj");
}

// An encoder or decoder of BART.
LayerStack bart_layout(const std::string& stack, std::vector<std::string> added_parts) {
  return {.prefix = stack + ".layers.",
          .layers_field = stack + "_layers",
          .width_field = stack + "_ffn_dim",
          .inputs = {"fc1"},
          .output = "fc2",
          .added_parts = std::move(added_parts)};
}

// The stacks of a config, of which a decoder alone has the last.
LayerStacks of_encoder_and_decoder(const io::JsonObject& config, LayerStacks stacks) {
  if (!config.get_bool_or("is_encoder_decoder", true)) stacks.erase(stacks.begin(), stacks.end() - 1);
  return stacks;
}

LayerStacks bart_family_stacks(const io::JsonObject& config, const std::string& encoder_attention) {
  return of_encoder_and_decoder(config,
                                {bart_layout("encoder", {encoder_attention, "fc2"}),
                                 bart_layout("decoder", {"self_attn.out_proj", "encoder_attn.out_proj", "fc2"})});
}

// An encoder or decoder of T5, whose layers are "blocks" of numbered parts.
LayerStack t5_layout(const std::string& stack, const std::string& layers_field, const std::string& feed_forward,
                     std::vector<std::string> attention_outputs) {
  LayerStack layout{.prefix = stack + ".block.",
                    .layers_field = layers_field,
                    .width_field = "d_ff",
                    .inputs = {feed_forward + ".wi", feed_forward + ".wi_0", feed_forward + ".wi_1"},
                    .output = feed_forward + ".wo",
                    .added_parts = std::move(attention_outputs)};
  layout.added_parts.push_back(layout.output);
  return layout;
}

}  // namespace

LayerStacks bert_stacks(const io::JsonObject&) { return {bert_layout({})}; }

LayerStacks vit_stacks(const io::JsonObject&) { return {bert_layout({"attention.output.dense", "output.dense"})}; }

LayerStacks distilbert_stacks(const io::JsonObject&) {
  return {{.prefix = "transformer.layer.",
           .layers_field = "n_layers",
           .width_field = "hidden_dim",
           .inputs = {"ffn.lin1"},
           .output = "ffn.lin2"}};
}

LayerStacks modernbert_stacks(const io::JsonObject&) {
  LayerStack stack = decoder_layout({"mlp.Wi"}, "mlp.Wo", "attn.Wo");
  stack.kernels_of_input = 2;
  stack.absent_from_first = "attn_norm";
  stack.like_absent = "mlp_norm";
  return {stack};
}

LayerStacks wav2vec2_stacks(const io::JsonObject& config) {
  LayerStack stack{.prefix = "encoder.layers.",
                   .layers_field = "num_hidden_layers",
                   .width_field = "intermediate_size",
                   .inputs = {"feed_forward.intermediate_dense"},
                   .output = "feed_forward.output_dense"};
  if (config.get_bool_or("do_stable_layer_norm", false)) {
    stack.added_parts = {"attention.out_proj", "feed_forward.output_dense"};
    if (config.has("adapter_attn_dim")) stack.added_parts.push_back("adapter_layer.linear_2");
  }
  return {stack};
}

LayerStacks gpt2_stacks(const io::JsonObject&) {
  return {{.prefix = "h.",
           .layers_field = "n_layer",
           .width_field = "n_inner",
           .inputs = {"mlp.c_fc"},
           .output = "mlp.c_proj",
           .is_transposed = true,
           .added_parts = {"attn.c_proj", "mlp.c_proj"}}};
}

LayerStacks gpt_neox_stacks(const io::JsonObject&) {
  return {decoder_layout({"mlp.dense_h_to_4h"}, "mlp.dense_4h_to_h", "attention.dense")};
}

LayerStacks llama_stacks(const io::JsonObject&) { return {llama_layout()}; }

LayerStacks gemma2_stacks(const io::JsonObject&) {
  LayerStack stack = llama_layout();
  stack.added_parts = {"post_attention_layernorm", "post_feedforward_layernorm"};
  stack.zero_weight = -1;  // these norms scale by 1 + weight
  return {stack};
}

LayerStacks opt_stacks(const io::JsonObject& config) {
  LayerStack stack = decoder_layout({"fc1"}, "fc2", "self_attn.out_proj");
  stack.width_field = "ffn_dim";
  if (!config.get_bool_or("do_layer_norm_before", true)) stack.added_parts.clear();
  return {stack};
}

LayerStacks phi_stacks(const io::JsonObject&) { return {decoder_layout({"mlp.fc1"}, "mlp.fc2", "self_attn.dense")}; }

LayerStacks bart_stacks(const io::JsonObject& config) {
  return of_encoder_and_decoder(config, {bart_layout("encoder", {}), bart_layout("decoder", {})});
}

LayerStacks mbart_stacks(const io::JsonObject& config) { return bart_family_stacks(config, "self_attn.out_proj"); }

LayerStacks bigbird_pegasus_stacks(const io::JsonObject& config) {
  return bart_family_stacks(config, "self_attn.output");
}

LayerStacks umt5_stacks(const io::JsonObject&) {
  return {t5_layout("encoder", "num_layers", "layer.1.DenseReluDense", {"layer.0.SelfAttention.o"}),
          t5_layout("decoder", "num_decoder_layers", "layer.2.DenseReluDense",
                    {"layer.0.SelfAttention.o", "layer.1.EncDecAttention.o"})};
}

LayerStacks t5_stacks(const io::JsonObject& config) {
  LayerStacks stacks = umt5_stacks(config);
  for (LayerStack& stack : stacks) stack.only_in_first = "layer.0.SelfAttention.relative_attention_bias";
  return stacks;
}

}  // namespace portatune::models
