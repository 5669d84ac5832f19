// Big Bird beyond its cases among tests/data/models: the random blocks of training, which
// tests/oracle/models/make_big_bird_blocks.py has drawn with NumPy and transformers, and texts of any length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "models/cases.h"
#include "models/expect_passed.h"
#include "portatune/analysis/parity/optimizer_steps.h"
#include "portatune/analysis/parity/parity.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/error.h"
#include "portatune/models/encoders/big_bird_blocks.h"
#include "portatune/models/one_text_per_row.h"
#include "portatune/nn/program_parameters.h"
#include "train/one_step.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

const std::filesystem::path kData = std::filesystem::path(PORTATUNE_TEST_DATA) / "big_bird";

const Json& golden_blocks() {
  static const Json kGolden = Json::parse(std::ifstream(kData / "blocks.json"));
  return kGolden;
}

TEST(BigBirdBlocks, PermutationsEqualNumPys) {
  for (const Json& expected : golden_blocks()["permutations"]) {
    const std::vector<int32_t> order = expected["order"];
    std::vector<int32_t> items = order;
    std::ranges::sort(items);
    EXPECT_EQ(models::numpy_permutation(expected["seed"], items), order) << expected["seed"];
  }
}

TEST(BigBirdBlocks, EqualThoseOfTransformers) {
  for (const Json& expected : golden_blocks()["blocks"]) {
    std::vector<int32_t> wanted;
    for (const Json& head : expected["blocks"]) {
      for (const Json& row : head) wanted.insert(wanted.end(), row.begin(), row.end());
    }
    EXPECT_EQ(models::random_blocks({.heads = expected["heads"],
                                     .length = expected["length"],
                                     .block_size = expected["block_size"],
                                     .num_random_blocks = expected["num_random_blocks"],
                                     .max_position_embeddings = expected["max_position_embeddings"],
                                     .seed = expected["seed"]}),
              wanted)
        << expected["length"];
  }
}

TEST(BigBirdBlocks, ErrorNamesTheBlocksToChooseFrom) {
  const auto draw = [] {
    models::random_blocks({.heads = 1,
                           .length = 4096,
                           .block_size = 256,
                           .num_random_blocks = 3,
                           .max_position_embeddings = 4096,
                           .seed = 0});
  };
  try {
    draw();
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("4096"), HasSubstr("3 random blocks of 256 tokens, from 1")));
  }
}

// transformers has another plan of random blocks for texts of 1024 tokens.
TEST(BigBird, StepsOnALongTextEqualThoseOfTransformers) {
  const parity::ReferenceCase reference(kData / "old_plan");
  expect_passed(check_parity(kernels(), reference, DType::kFloat32));
  expect_passed(check_parity(decompositions(), reference, DType::kFloat32));
}

class SparseBigBird : public ::testing::Test {
 protected:
  // The first `length` tokens of the case's texts, of which the first `tokens` are no padding.
  data::Example texts(int64_t length, int64_t tokens) const {
    data::Example batch;
    for (const std::string& name : task_.inputs()) {
      const Tensor& whole = reference_.inputs().tensor(name);
      batch.set(name,
                whole.shape().rank() == 1 ? whole : cut(whole, length, name == "attention_mask" ? tokens : length));
    }
    return batch;
  }

  // Results of an evaluation: loss, weights, logits, hidden states.
  std::vector<Tensor> evaluated(const data::Example& batch) const {
    const train::EvaluationProgram program =
        train::evaluation_program(task_, train::signature_of(task_, batch), {.compute_dtype = DType::kFloat32});
    std::vector<Tensor> arguments = task_.initial_weights(nn::arguments_of(program.parameters), 0).values;
    for (const std::string& name : task_.inputs()) arguments.push_back(batch.tensor(name));
    return evaluate(program.function.results, program.function.parameters, arguments, kernels());
  }

  const parity::ReferenceCase reference_{case_folder("bigbirdsparse_softmax")};
  const parity::ReferenceTask task_{reference_};

 private:
  static Tensor cut(const Tensor& whole, int64_t length, int64_t kept) {
    Tensor part({DType::kInt32, {whole.shape()[0], length}});
    for (int64_t row = 0; row < whole.shape()[0]; ++row) {
      std::copy_n(whole.as<int32_t>().begin() + row * whole.shape()[1], kept,
                  part.as<int32_t>().begin() + row * length);
    }
    return part;
  }
};

// The program of 38 tokens has ten blocks of 4, too.
TEST_F(SparseBigBird, TextOfAnyLengthIsPaddedToWholeBlocks) {
  const std::vector<Tensor> wanted = evaluated(texts(40, 38)), found = evaluated(texts(38, 38));
  ASSERT_EQ(found.size(), wanted.size());
  for (const size_t result : {0, 2}) {  // the loss and the logits
    ASSERT_EQ(found[result].shape(), wanted[result].shape());
    for (size_t i = 0; i < wanted[result].as<float>().size(); ++i) {
      EXPECT_NEAR(found[result].as<float>()[i], wanted[result].as<float>()[i], 1e-5);
    }
  }
  EXPECT_EQ(found.back().shape(), (Shape{3, 38, 24}));
}

// Without dropout training differs from evaluation by the random blocks. Each device draws those of its heads.
TEST_F(SparseBigBird, DevicesSeeTheRandomBlocksOfTheirHeads) {
  const data::Example three = texts(40, 40);
  data::Example batch;  // of four rows
  for (const std::string& name : task_.inputs()) {
    const Tensor& rows = three.tensor(name);
    TensorType type = rows.type();
    type.shape[0] = 4;
    Tensor repeated(type);
    const int64_t row = rows.type().bytes() / 3;
    for (int64_t i = 0; i < 4; ++i) std::copy_n(rows.data() + i % 3 * row, row, repeated.data() + i * row);
    batch.set(name, repeated);
  }
  train::StepOptions options = in_micro_batches(1);
  const auto on = [&](const Mesh& mesh) {
    return step(Device({.mesh = mesh, .cache_folder = program_cache()}), task_, batch, options);
  };
  const auto evaluated = on({});
  options.dropout = true;
  const auto trained = on({});
  EXPECT_NE(trained, evaluated);
  expect_close(on({.tensor = 2}), trained);
  expect_close(on({.data = 2, .fsdp = 2}), trained);
  options.gradient_accumulation_steps = 2;
  expect_close(on({.tensor = 4}), trained);
}

std::unique_ptr<models::TextModel> model_of(const std::string& fields) {
  return models::text_model(io::JsonObject::parse(
      R"({"model_type": "big_bird", "vocab_size": 100, "hidden_size": 24, "num_hidden_layers": 2,
          "num_attention_heads": 4, "intermediate_size": 40)" +
          fields + "}",
      "config.json"));
}

TEST(BigBird, ReadsEveryFieldOfAPublishedConfig) {
  const auto config = io::JsonObject::parse(
      R"({"architectures": ["BigBirdForPreTraining"], "attention_probs_dropout_prob": 0.1,
          "attention_type": "block_sparse", "block_size": 64, "bos_token_id": 1, "eos_token_id": 2,
          "gradient_checkpointing": false, "hidden_act": "gelu_new", "hidden_dropout_prob": 0.1, "hidden_size": 768,
          "initializer_range": 0.02, "intermediate_size": 3072, "layer_norm_eps": 1e-12,
          "max_position_embeddings": 4096, "model_type": "big_bird", "num_attention_heads": 12,
          "num_hidden_layers": 12, "num_random_blocks": 3, "pad_token_id": 0, "position_embedding_type": "absolute",
          "rescale_embeddings": false, "sep_token_id": 66, "transformers_version": "4.4.0.dev0",
          "type_vocab_size": 2, "use_bias": true, "use_cache": true, "vocab_size": 50358})",
      "config.json");
  const auto model = models::text_model(config);
  EXPECT_THAT(config.unread_keys(), ::testing::IsEmpty());
  EXPECT_EQ(model->facts().max_length, 4096);
  EXPECT_EQ(model->decoder(), nullptr);
  EXPECT_FALSE(models::can_be_packed(*model));
}

TEST(BigBirdPegasus, ReadsEveryFieldOfAPublishedConfig) {
  const auto config = io::JsonObject::parse(
      R"({"activation_dropout": 0.0, "activation_function": "gelu_new",
          "architectures": ["BigBirdPegasusForConditionalGeneration"], "attention_dropout": 0.0,
          "attention_type": "block_sparse", "block_size": 64, "bos_token_id": 2, "classifier_dropout": 0.0,
          "d_model": 1024, "decoder_attention_heads": 16, "decoder_ffn_dim": 4096, "decoder_layerdrop": 0.0,
          "decoder_layers": 16, "decoder_start_token_id": 2, "dropout": 0.1, "encoder_attention_heads": 16,
          "encoder_ffn_dim": 4096, "encoder_layerdrop": 0.0, "encoder_layers": 16, "eos_token_id": 1,
          "gradient_checkpointing": false, "init_std": 0.02, "is_encoder_decoder": true, "length_penalty": 0.8,
          "max_length": 256, "max_position_embeddings": 4096, "model_type": "bigbird_pegasus", "num_beams": 5,
          "num_hidden_layers": 16, "num_random_blocks": 3, "pad_token_id": 0, "scale_embedding": true,
          "tokenizer_class": "PegasusTokenizer", "transformers_version": "4.5.0.dev0", "use_bias": false,
          "use_cache": true, "vocab_size": 96103})",
      "config.json");
  const auto model = models::text_model(config);
  EXPECT_THAT(config.unread_keys(), ::testing::IsEmpty());
  EXPECT_EQ(model->facts().max_length, 4096);
  EXPECT_EQ(model->seq2seq()->facts().max_target, 4096);
  EXPECT_FALSE(models::can_be_packed(*model));
}

// Full attention for up to 36 tokens, in longer texts blocks of 4.
TEST(BigBirdPegasus, PaddingAddsNoBlock) {
  const auto of = [](const char* name, int64_t tokens) {
    const auto model = models::text_model(parity::ReferenceCase(case_folder(name)).model().config());
    return models::max_padded_length(*model, tokens);
  };
  EXPECT_EQ(of("bigbirdpegasus_lm", 9), 36);
  EXPECT_EQ(of("bigbirdpegasus_lm", 37), 40);
  EXPECT_EQ(of("bigbird_softmax", 40), 40);
  EXPECT_EQ(of("bigbird_token", 40), of("bart_lm", 40));  // which have full attention
}

TEST(BigBirdPegasus, RefusesPackedTexts) {
  const auto model = models::text_model(parity::ReferenceCase(case_folder("bigbirdpegasus_lm")).model().config());
  EXPECT_THAT(message_of<UsageError>([&] {
                nn::Context context({});
                model->seq2seq()->encoder_states(nn::Scope(context),
                                                 {.input_ids = full({DType::kInt32, {1, 8}}, 1), .packed = true});
              }),
              HasSubstr("BigBirdPegasus model, which reads one text per row"));
}

TEST(BigBird, IsADecoderIfItsConfigSaysSo) {
  const auto model = model_of(R"(, "is_decoder": true)");
  EXPECT_NE(model->decoder(), nullptr);
  EXPECT_EQ(model->class_name(models::HeadKind::kCausalLM), "BigBirdForCausalLM");
  EXPECT_FALSE(model->heads().contains(models::HeadKind::kMaskedLM));
}

TEST(BigBird, RefusesOtherAttentionAndPackedTexts) {
  EXPECT_THAT(message_of<CheckpointError>([] { model_of(R"(, "attention_type": "sliding")"); }),
              HasSubstr("\"sliding\""));
  EXPECT_THAT(message_of<CheckpointError>([] { model_of(R"(, "add_cross_attention": true)"); }),
              HasSubstr("add_cross_attention"));
  EXPECT_THAT(message_of<UsageError>([] {
                nn::Context context({});
                model_of("")->body().hidden_states(nn::Scope(context),
                                                   {.input_ids = full({DType::kInt32, {1, 8}}, 1), .packed = true});
              }),
              AllOf(HasSubstr("packing"), HasSubstr("BigBird model"), HasSubstr("--padding")));
}

}  // namespace
}  // namespace portatune::test
