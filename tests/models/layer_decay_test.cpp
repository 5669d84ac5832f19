// The layers of every architecture, as layer-wise decay of the learning rate sees them.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "models/cases.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/train/program/batch_shapes.h"
#include "portatune/train/program/programs.h"

namespace portatune::test {
namespace {

struct Layers {
  std::string name;  // of the case
  std::string prefix;
  int64_t count;
  std::vector<std::string> below;   // parts of the names of parameters before the layers
  std::string decoder_prefix = {};  // of a model that has an encoder, too
  int64_t decoder_count = 0;
};

Layers of_bart(const std::string& name, int64_t count) {
  return {name, "encoder.layers.", count, {"shared.", "embed_positions.", "layernorm_embedding."}, "decoder.layers.",
          count};
}
Layers of_t5(const std::string& name, int64_t encoder, int64_t decoder) {
  return {name, "encoder.block.", encoder, {"shared."}, "decoder.block.", decoder};
}
Layers of_wav2vec2(const std::string& name) {
  return {name,
          "encoder.layers.",
          2,
          {"feature_extractor.", "feature_projection.", "masked_spec_embed", "pos_conv_embed.", "encoder.layer_norm."}};
}

const std::vector<Layers> kModels = {
    {"albert_softmax", "albert_layer_groups.", 1, {"embeddings.", "embedding_hidden_mapping_in."}},
    {"ast_softmax", "encoder.layer.", 2, {"embeddings."}},
    of_bart("bart_lm", 2),
    {"bert_pretraining", "encoder.layer.", 1, {"embeddings."}},
    {"bigbird_softmax", "encoder.layer.", 2, {"embeddings."}},
    {"bigbirdpegasus_lm",  // its layernorm_embedding comes after the layers
     "encoder.layers.",
     2,
     {"shared.", "embed_positions."},
     "decoder.layers.",
     2},
    {"debertav3_softmax", "encoder.layer.", 2, {"embeddings.", "encoder.LayerNorm."}},
    {"deit_softmax", "encoder.layer.", 2, {"embeddings."}},
    {"distilbert_softmax", "transformer.layer.", 2, {"embeddings."}},
    {"electra_softmax", "encoder.layer.", 2, {"embeddings.", "embeddings_project."}},
    {"gemma_softmax", "layers.", 1, {"embed_tokens."}},
    {"gemma2_softmax", "layers.", 1, {"embed_tokens."}},
    {"gemma3_softmax", "layers.", 1, {"embed_tokens."}},
    {"gpt2_softmax", "h.", 1, {"wte.", "wpe."}},
    {"gptneox_softmax", "layers.", 1, {"embed_in."}},
    of_wav2vec2("hubert_softmax"),
    {"llama_softmax", "layers.", 1, {"embed_tokens."}},
    of_bart("marian_lm", 2),
    of_bart("mbart_lm", 1),
    {"mistral_softmax", "layers.", 1, {"embed_tokens."}},
    {"modernbert_softmax", "layers.", 2, {"embeddings."}},
    {"mpnet_softmax", "encoder.layer.", 2, {"embeddings.", "relative_attention_bias."}},
    of_t5("mt5_lm", 1, 1),
    {"opt_350m", "layers.", 1, {"embed_tokens.", "embed_positions.", "project_in."}},
    of_bart("pegasus_lm", 1),
    {"phi_softmax", "layers.", 1, {"embed_tokens."}},
    {"qwen2_softmax", "layers.", 1, {"embed_tokens."}},
    {"qwen3_softmax", "layers.", 1, {"embed_tokens."}},
    {"roberta_softmax", "encoder.layer.", 2, {"embeddings."}},
    {"smollm3_softmax", "layers.", 1, {"embed_tokens."}},
    of_t5("t5_lm", 2, 1),
    of_t5("umt5_lm", 2, 2),
    {"vit_softmax", "encoder.layer.", 2, {"embeddings."}},
    of_wav2vec2("wav2vec2_softmax"),
    {"whisper_lm",
     "encoder.layers.",
     2,
     {"conv1.", "conv2.", "embed_positions.", "embed_tokens."},
     "decoder.layers.",
     2},
    {"xlmroberta_softmax", "encoder.layer.", 2, {"embeddings."}}};

// Number of layers from that of a parameter to the end of its stack; none for a parameter of another stack.
std::optional<int64_t> place_in_stack(const std::string& name, const std::string& prefix, int64_t count) {
  const size_t at = prefix.empty() ? std::string::npos : name.find(prefix);
  return at == std::string::npos ? std::nullopt : std::optional(count - std::stoll(name.substr(at + prefix.size())));
}

// The power of the decay that a parameter has.
int64_t expected_exponent(const std::string& name, const Layers& model) {
  if (const auto place = place_in_stack(name, model.prefix, model.count)) return *place;
  if (const auto place = place_in_stack(name, model.decoder_prefix, model.decoder_count)) return *place;
  const bool is_of_decoder = model.decoder_count > 0 && name.find("decoder.") != std::string::npos;
  for (const std::string& part : model.below) {
    if (name.find(part) != std::string::npos) return (is_of_decoder ? model.decoder_count : model.count) + 1;
  }
  return 0;
}

TEST(LayerDecay, KnowsTheLayersOfEveryArchitecture) {
  for (const Layers& model : kModels) {
    SCOPED_TRACE(model.name);
    const parity::ReferenceCase reference(case_folder(model.name));
    const parity::ReferenceTask task(reference);
    const std::vector<nn::Parameter> parameters =
        train::evaluation_program(task, train::signature_of(task, reference.inputs()), {}).parameters;
    const train::StepRates rates(parameters, {}, 0.5);
    std::set<int64_t> exponents;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].trainable) continue;
      const int64_t exponent = expected_exponent(parameters[i].name, model);
      EXPECT_EQ(rates.peaks(1)[rates.index(i)], std::ldexp(1, -static_cast<int>(exponent))) << parameters[i].name;
      exponents.insert(exponent);
    }
    EXPECT_EQ(rates.peaks(1).size(), exponents.size());
  }
}

}  // namespace
}  // namespace portatune::test
