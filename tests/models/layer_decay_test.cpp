// The layers of every architecture, as layer-wise decay of the learning rate sees them.
#include <gtest/gtest.h>

#include <cmath>

#include "models/cases.h"
#include "portatune/parity/reference_task.h"
#include "portatune/train/batch_shapes.h"
#include "portatune/train/programs.h"

namespace portatune::test {
namespace {

struct Layers {
  std::string name;  // of the case
  std::string prefix;
  int64_t count;
  std::vector<std::string> below;  // parts of the names of parameters before the layers
};

const std::vector<Layers> kModels = {
    {"albert_softmax", "albert_layer_groups.", 1, {"embeddings.", "embedding_hidden_mapping_in."}},
    {"bert_pretraining", "encoder.layer.", 1, {"embeddings."}},
    {"debertav3_softmax", "encoder.layer.", 2, {"embeddings.", "encoder.LayerNorm."}},
    {"deit_softmax", "encoder.layer.", 2, {"embeddings."}},
    {"distilbert_softmax", "transformer.layer.", 2, {"embeddings."}},
    {"electra_softmax", "encoder.layer.", 2, {"embeddings.", "embeddings_project."}},
    {"gemma_softmax", "layers.", 1, {"embed_tokens."}},
    {"gemma2_softmax", "layers.", 1, {"embed_tokens."}},
    {"gemma3_softmax", "layers.", 1, {"embed_tokens."}},
    {"gpt2_softmax", "h.", 1, {"wte.", "wpe."}},
    {"gptneox_softmax", "layers.", 1, {"embed_in."}},
    {"llama_softmax", "layers.", 1, {"embed_tokens."}},
    {"mistral_softmax", "layers.", 1, {"embed_tokens."}},
    {"modernbert_softmax", "layers.", 2, {"embeddings."}},
    {"mpnet_softmax", "encoder.layer.", 2, {"embeddings.", "relative_attention_bias."}},
    {"opt_350m", "layers.", 1, {"embed_tokens.", "embed_positions.", "project_in."}},
    {"phi_softmax", "layers.", 1, {"embed_tokens."}},
    {"qwen2_softmax", "layers.", 1, {"embed_tokens."}},
    {"qwen3_softmax", "layers.", 1, {"embed_tokens."}},
    {"roberta_softmax", "encoder.layer.", 2, {"embeddings."}},
    {"smollm3_softmax", "layers.", 1, {"embed_tokens."}},
    {"vit_softmax", "encoder.layer.", 2, {"embeddings."}},
    {"xlmroberta_softmax", "encoder.layer.", 2, {"embeddings."}}};

// The power of the decay that a parameter has.
int64_t expected_exponent(const std::string& name, const Layers& model) {
  const size_t at = name.find(model.prefix);
  if (at != std::string::npos) return model.count - std::stoll(name.substr(at + model.prefix.size()));
  for (const std::string& part : model.below) {
    if (name.find(part) != std::string::npos) return model.count + 1;
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
    const train::LearningRates rates(parameters, {}, 0.5);
    EXPECT_EQ(rates.peaks(1).size(), static_cast<size_t>(model.count + 2));
    for (size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_EQ(rates.peaks(1)[rates.index(i)], std::ldexp(1, -expected_exponent(parameters[i].name, model)))
          << parameters[i].name;
    }
  }
}

}  // namespace
}  // namespace portatune::test
