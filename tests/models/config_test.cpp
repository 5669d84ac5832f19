#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portune/error.h"
#include "portune/io/json.h"
#include "portune/models.h"

namespace portune::models {
namespace {

constexpr const char* kBert = R"("model_type": "bert", "vocab_size": 100, "hidden_size": 24, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 40)";

struct BadConfig {
  const char* name;
  std::string text;
  const char* says;
};

class TextModelConfig : public ::testing::TestWithParam<BadConfig> {};

TEST_P(TextModelConfig, BadValuesAreRefusedByName) {
  try {
    text_model(io::JsonObject::parse(GetParam().text, "config.json"));
    FAIL() << "accepted " << GetParam().text;
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().says));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Values, TextModelConfig,
    ::testing::Values(
        BadConfig{"unknown_type", R"({"model_type": "bort"})", "\"bort\""},
        BadConfig{"no_type", R"({"vocab_size": 3})", "model_type"},
        BadConfig{"heads", R"({"model_type": "bert", "vocab_size": 100, "hidden_size": 24,
                          "num_hidden_layers": 2, "num_attention_heads": 5, "intermediate_size": 40})",
                  "24 and num_attention_heads 5"},
        BadConfig{"activation", "{" + std::string(kBert) + R"(, "hidden_act": "gulu"})", "gulu"},
        BadConfig{"positions", "{" + std::string(kBert) + R"(, "position_embedding_type": "relative_key"})",
                  "relative_key"},
        BadConfig{"decoder", "{" + std::string(kBert) + R"(, "is_decoder": true})", "is_decoder"},
        BadConfig{"cross_attention", R"({"model_type": "gpt2", "add_cross_attention": true})", "add_cross_attention"},
        BadConfig{"gpt2_heads", R"({"model_type": "gpt2", "n_embd": 24, "n_head": 5})", "n_embd 24 and n_head 5"},
        BadConfig{"opt_activation", R"({"model_type": "opt", "activation_function": "gulu"})", "gulu"},
        BadConfig{"opt_layerdrop", R"({"model_type": "opt", "layerdrop": 0.1})", "layerdrop"},
        BadConfig{"kv_heads", R"({"model_type": "llama", "num_key_value_heads": 5})",
                  "num_attention_heads 32 and num_key_value_heads 5"},
        BadConfig{"rope", R"({"model_type": "mistral", "rope_scaling": {"type": "su"}})", "\"su\""},
        BadConfig{"layer_types", R"({"model_type": "qwen3", "num_hidden_layers": 1, "layer_types": ["linear"]})",
                  "\"linear\""}),
    [](const auto& info) { return info.param.name; });

TEST(TextModel, ClassesHaveTheNamesOfTransformers) {
  const auto model = text_model(io::JsonObject::parse("{" + std::string(kBert) + "}", "config.json"));
  EXPECT_EQ(model->class_name(HeadKind::kMaskedLM), "BertForMaskedLM");
  EXPECT_EQ(model->class_name(HeadKind::kSequenceClassification), "BertForSequenceClassification");
  const auto gpt2 = text_model(io::JsonObject::parse(R"({"model_type": "gpt2"})", "config.json"));
  EXPECT_EQ(gpt2->class_name(HeadKind::kCausalLM), "GPT2LMHeadModel");
  EXPECT_EQ(gpt2->class_name(HeadKind::kTokenClassification), "GPT2ForTokenClassification");
}

TEST(TextModel, AHeadThatTransformersDoesNotHaveIsRefused) {
  const auto model = text_model(io::JsonObject::parse("{" + std::string(kBert) + "}", "config.json"));
  nn::Context context({});
  EXPECT_THROW(model->causal_lm_logits(nn::Scope(context), {}), UsageError);
}

}  // namespace
}  // namespace portune::models
