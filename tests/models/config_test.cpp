#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/models.h"

namespace portatune::models {
namespace {

constexpr const char* kSizes = R"("vocab_size": 100, "hidden_size": 24, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 40)";

// A config.json with the usual sizes and further fields.
std::string with(const std::string& fields) { return "{" + std::string(kSizes) + ", " + fields + "}"; }

std::unique_ptr<TextModel> text_model_with(const std::string& fields) {
  return text_model(io::JsonObject::parse(with(fields), "config.json"));
}

std::unique_ptr<ImageModel> image_model_with(const std::string& fields) {
  return image_model(io::JsonObject::parse(with(fields), "config.json"));
}

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "no CheckpointError";
}

struct BadConfig {
  const char* name;
  std::string text;
  const char* says;
};

class TextModelConfig : public ::testing::TestWithParam<BadConfig> {};

TEST_P(TextModelConfig, BadValuesAreRefusedByName) {
  EXPECT_THAT(refusal_of([] { text_model(io::JsonObject::parse(GetParam().text, "config.json")); }),
              ::testing::HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Values, TextModelConfig,
    ::testing::Values(
        BadConfig{"unknown_type", R"({"model_type": "bort"})", "\"bort\""},
        BadConfig{"no_type", R"({"vocab_size": 3})", "model_type"},
        BadConfig{"heads", R"({"model_type": "bert", "vocab_size": 100, "hidden_size": 24,
                          "num_hidden_layers": 2, "num_attention_heads": 5, "intermediate_size": 40})",
                  "24 and num_attention_heads 5"},
        BadConfig{"activation", with(R"("model_type": "bert", "hidden_act": "gulu")"), "gulu"},
        BadConfig{"positions", with(R"("model_type": "bert", "position_embedding_type": "relative_key")"),
                  "relative_key"},
        BadConfig{"untied", R"({"model_type": "bart", "tie_word_embeddings": false})", "tie_word_embeddings"},
        BadConfig{"decoder", with(R"("model_type": "bert", "is_decoder": true)"), "is_decoder"},
        BadConfig{"cross_attention", R"({"model_type": "gpt2", "add_cross_attention": true})", "add_cross_attention"},
        BadConfig{"gpt2_heads", R"({"model_type": "gpt2", "n_embd": 24, "n_head": 5})", "n_embd 24 and n_head 5"},
        BadConfig{"opt_activation", R"({"model_type": "opt", "activation_function": "gulu"})", "gulu"},
        BadConfig{"opt_layerdrop", R"({"model_type": "opt", "layerdrop": 0.1})", "layerdrop"},
        BadConfig{"kv_heads", R"({"model_type": "llama", "num_key_value_heads": 5})",
                  "num_attention_heads 32 and num_key_value_heads 5"},
        BadConfig{"rope", R"({"model_type": "mistral", "rope_scaling": {"type": "su"}})", "\"su\""},
        BadConfig{"layer_types", R"({"model_type": "qwen3", "num_hidden_layers": 1, "layer_types": ["linear"]})",
                  "\"linear\""},
        BadConfig{"nope_layers", with(R"("model_type": "smollm3", "no_rope_layers": [1])"), "1 numbers for 2 layers"},
        BadConfig{"gemma_of_both_directions", with(R"("model_type": "gemma", "use_bidirectional_attention": true)"),
                  "use_bidirectional_attention"},
        BadConfig{"part_of_head", with(R"("model_type": "llama", "rope_parameters": {"partial_rotary_factor": 0.5})"),
                  "partial_rotary_factor"},
        BadConfig{"neox_heads", R"({"model_type": "gpt_neox", "hidden_size": 24, "num_attention_heads": 5})",
                  "24 and num_attention_heads 5"},
        BadConfig{"phi_kv_heads", with(R"("model_type": "phi", "num_key_value_heads": 3)"),
                  "num_attention_heads 4 and num_key_value_heads 3"},
        BadConfig{"images_of_gemma3", R"({"model_type": "gemma3", "text_config": {}})", "gemma3_text"},
        BadConfig{"no_position_left", with(R"("model_type": "roberta", "max_position_embeddings": 2)"),
                  "1, with max_position_embeddings 2"},
        BadConfig{"summary", with(R"("model_type": "electra", "summary_type": "last")"), "\"last\""},
        BadConfig{"groups", with(R"("model_type": "albert", "num_hidden_groups": 3)"), "num_hidden_groups"},
        BadConfig{"distilbert_heads", R"({"model_type": "distilbert", "vocab_size": 100, "dim": 24, "n_layers": 2,
                          "n_heads": 5, "hidden_dim": 40})",
                  "dim 24 and n_heads 5"},
        BadConfig{"pooling", with(R"("model_type": "modernbert", "classifier_pooling": "max")"), "\"max\""},
        BadConfig{"kinds_of_layers", with(R"("model_type": "modernbert", "layer_types": ["full_attention", "linear"])"),
                  "\"linear\""},
        BadConfig{"number_of_layers", with(R"("model_type": "modernbert", "layer_types": ["full_attention"])"),
                  "1 types for 2 layers"},
        BadConfig{"local_rope", with(R"("model_type": "modernbert",
                          "rope_parameters": {"sliding_attention": {"rope_type": "yarn"}})"),
                  "\"yarn\""},
        BadConfig{"buckets_of_mpnet", with(R"("model_type": "mpnet", "relative_attention_num_buckets": 16)"), "16"},
        BadConfig{"positions_of_mpnet", with(R"("model_type": "mpnet", "max_position_embeddings": 2)"), "100 and 2"},
        BadConfig{"deberta_terms", with(R"("model_type": "deberta-v2", "pos_att_type": "c2p|p2p")"), "\"p2p\""},
        BadConfig{"deberta_without_terms", with(R"("model_type": "deberta-v2", "relative_attention": true)"),
                  "pos_att_type"},
        BadConfig{"deberta_buckets", with(R"("model_type": "deberta-v2", "relative_attention": true,
                          "pos_att_type": "c2p", "position_buckets": 8, "max_relative_positions": 5)"),
                  "8, with max_relative_positions 5"},
        BadConfig{"deberta_even_kernel", with(R"("model_type": "deberta-v2", "conv_kernel_size": 4)"),
                  "conv_kernel_size"},
        BadConfig{"deberta_groups", with(R"("model_type": "deberta-v2", "conv_kernel_size": 3, "conv_groups": 2)"),
                  "conv_groups"},
        BadConfig{"deberta_pooler", with(R"("model_type": "deberta-v2", "pooler_hidden_size": 20)"),
                  "20 features, with hidden_size 24"},
        BadConfig{"deberta_heads", with(R"("model_type": "deberta-v2", "attention_head_size": 8)"),
                  "32 features, with hidden_size 24"},
        BadConfig{"deberta_embeddings", with(R"("model_type": "deberta-v2", "legacy": false, "embedding_size": 12)"),
                  "embedding_size, with legacy false"},
        BadConfig{"bart_layerdrop", R"({"model_type": "bart", "encoder_layerdrop": 0.1})", "encoder_layerdrop"},
        BadConfig{"bart_heads", R"({"model_type": "bart", "decoder_attention_heads": 5})",
                  "d_model 1024 and decoder_attention_heads 5"},
        BadConfig{"marian_padding",
                  R"({"model_type": "marian", "share_encoder_decoder_embeddings": false, "decoder_vocab_size": 100,
                          "pad_token_id": 100})",
                  "pad_token_id"},
        BadConfig{"t5_start", R"({"model_type": "t5"})", "decoder_start_token_id"},
        BadConfig{"t5_feed_forward",
                  R"({"model_type": "t5", "decoder_start_token_id": 0, "feed_forward_proj": "gated-gulu"})",
                  "\"gated-gulu\""},
        BadConfig{"image_model", with(R"("model_type": "vit")"), "which is no text model"}),
    [](const auto& info) { return info.param.name; });

TEST(TextModel, ClassesHaveTheNamesOfTransformers) {
  const auto model = text_model_with(R"("model_type": "bert")");
  EXPECT_EQ(model->class_name(HeadKind::kMaskedLM), "BertForMaskedLM");
  EXPECT_EQ(model->class_name(HeadKind::kSequenceClassification), "BertForSequenceClassification");
  const auto gpt2 = text_model(io::JsonObject::parse(R"({"model_type": "gpt2"})", "config.json"));
  EXPECT_EQ(gpt2->class_name(HeadKind::kCausalLM), "GPT2LMHeadModel");
  EXPECT_EQ(gpt2->class_name(HeadKind::kTokenClassification), "GPT2ForTokenClassification");
  const auto bart = text_model(io::JsonObject::parse(R"({"model_type": "bart"})", "config.json"));
  EXPECT_EQ(bart->class_name(HeadKind::kSeq2SeqLM), "BartForConditionalGeneration");
  const auto marian = text_model(io::JsonObject::parse(R"({"model_type": "marian"})", "config.json"));
  EXPECT_EQ(marian->class_name(HeadKind::kSeq2SeqLM), "MarianMTModel");
  const auto gemma3 = text_model_with(R"("model_type": "gemma3_text")");
  EXPECT_EQ(gemma3->class_name(HeadKind::kCausalLM), "Gemma3ForCausalLM");
  EXPECT_EQ(gemma3->class_name(HeadKind::kSequenceClassification), "Gemma3TextForSequenceClassification");
  EXPECT_FALSE(gemma3->heads().contains(HeadKind::kTokenClassification));
}

// The fields of config.json of published checkpoints, and the same in the form that transformers 5 writes.
struct PublishedConfig {
  const char *name, *text;
  bool is_decoder = true;
};

class Published : public ::testing::TestWithParam<PublishedConfig> {};

TEST_P(Published, HasNoUnknownField) {
  const auto config = io::JsonObject::parse(GetParam().text, "config.json");
  const auto model = text_model(config);
  EXPECT_EQ(model->decoder() != nullptr, GetParam().is_decoder);
  EXPECT_THAT(config.unread_keys(), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Models, Published,
    ::testing::Values(
        PublishedConfig{"MpNet", R"({"architectures": ["MPNetForMaskedLM"], "attention_probs_dropout_prob": 0.1,
            "bos_token_id": 0, "eos_token_id": 2, "gradient_checkpointing": false, "hidden_act": "gelu",
            "hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02, "intermediate_size": 3072,
            "layer_norm_eps": 1e-05, "max_position_embeddings": 514, "model_type": "mpnet", "num_attention_heads": 12,
            "num_hidden_layers": 12, "pad_token_id": 1, "relative_attention_num_buckets": 32,
            "transformers_version": "4.11.2", "vocab_size": 30527})",
                        false},
        PublishedConfig{"DebertaV3", R"({"attention_probs_dropout_prob": 0.1, "hidden_act": "gelu",
            "hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02, "intermediate_size": 3072,
            "layer_norm_eps": 1e-07, "max_position_embeddings": 512, "max_relative_positions": -1,
            "model_type": "deberta-v2", "norm_rel_ebd": "layer_norm", "num_attention_heads": 12,
            "num_hidden_layers": 12, "pos_att_type": "p2c|c2p", "position_biased_input": false,
            "position_buckets": 256, "relative_attention": true, "share_att_key": true, "type_vocab_size": 0,
            "vocab_size": 128100})",
                        false},
        PublishedConfig{"DebertaV2", R"({"attention_head_size": 64, "attention_probs_dropout_prob": 0.1,
            "conv_act": "gelu", "conv_kernel_size": 3, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
            "hidden_size": 1536, "initializer_range": 0.02, "intermediate_size": 6144, "layer_norm_eps": 1e-07,
            "max_position_embeddings": 512, "max_relative_positions": -1, "model_type": "deberta-v2",
            "norm_rel_ebd": "layer_norm", "num_attention_heads": 24, "num_hidden_layers": 24,
            "pos_att_type": "p2c|c2p", "position_biased_input": false, "position_buckets": 256,
            "relative_attention": true, "share_att_key": true, "type_vocab_size": 0, "vocab_size": 128100})",
                        false},
        PublishedConfig{"Pythia", R"({"architectures": ["GPTNeoXForCausalLM"], "bos_token_id": 0, "eos_token_id": 0,
            "hidden_act": "gelu", "hidden_size": 512, "initializer_range": 0.02, "intermediate_size": 2048,
            "layer_norm_eps": 1e-05, "max_position_embeddings": 2048, "model_type": "gpt_neox",
            "num_attention_heads": 8, "num_hidden_layers": 6, "rotary_emb_base": 10000, "rotary_pct": 0.25,
            "tie_word_embeddings": false, "torch_dtype": "float16", "transformers_version": "4.24.0",
            "use_cache": true, "use_parallel_residual": true, "vocab_size": 50304})"},
        PublishedConfig{"Phi2", R"({"architectures": ["PhiForCausalLM"], "attention_dropout": 0.0,
            "bos_token_id": 50256, "embd_pdrop": 0.0, "eos_token_id": 50256, "hidden_act": "gelu_new",
            "hidden_size": 2560, "initializer_range": 0.02, "intermediate_size": 10240, "layer_norm_eps": 1e-05,
            "max_position_embeddings": 2048, "model_type": "phi", "num_attention_heads": 32, "num_hidden_layers": 32,
            "num_key_value_heads": 32, "partial_rotary_factor": 0.4, "qk_layernorm": false, "resid_pdrop": 0.1,
            "rope_scaling": null, "rope_theta": 10000.0, "tie_word_embeddings": false, "torch_dtype": "float16",
            "transformers_version": "4.37.0", "use_cache": true, "vocab_size": 51200})"},
        PublishedConfig{"SmolLm3", R"({"architectures": ["SmolLM3ForCausalLM"], "attention_bias": false,
            "attention_dropout": 0.0, "bos_token_id": null, "eos_token_id": 128012, "hidden_act": "silu",
            "hidden_size": 2048, "initializer_range": 0.02, "intermediate_size": 11008,
            "layer_types": ["full_attention", "full_attention", "full_attention", "full_attention"],
            "max_position_embeddings": 65536, "max_window_layers": 28, "mlp_bias": false, "model_type": "smollm3",
            "no_rope_layer_interval": 4, "no_rope_layers": [1, 1, 1, 0], "num_attention_heads": 16,
            "num_hidden_layers": 4, "num_key_value_heads": 4, "pad_token_id": 128012, "pretraining_tp": 2,
            "rms_norm_eps": 1e-06, "rope_scaling": null, "rope_theta": 5000000.0, "sliding_window": null,
            "torch_dtype": "bfloat16", "use_cache": false, "use_sliding_window": false, "vocab_size": 128256})"},
        PublishedConfig{"Gemma", R"({"architectures": ["GemmaForCausalLM"], "attention_bias": false,
            "attention_dropout": 0.0, "bos_token_id": 2, "eos_token_id": 1, "head_dim": 256, "hidden_act": "gelu",
            "hidden_activation": null, "hidden_size": 2048, "initializer_range": 0.02, "intermediate_size": 16384,
            "max_position_embeddings": 8192, "model_type": "gemma", "num_attention_heads": 8, "num_hidden_layers": 18,
            "num_key_value_heads": 1, "pad_token_id": 0, "rms_norm_eps": 1e-06, "rope_scaling": null,
            "rope_theta": 10000.0, "torch_dtype": "bfloat16", "use_cache": true, "vocab_size": 256000})"},
        PublishedConfig{"Gemma2", R"({"architectures": ["Gemma2ForCausalLM"], "attention_bias": false,
            "attention_dropout": 0.0, "attn_logit_softcapping": 50.0, "bos_token_id": 2,
            "cache_implementation": "hybrid", "eos_token_id": 1, "final_logit_softcapping": 30.0, "head_dim": 256,
            "hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2304,
            "initializer_range": 0.02, "intermediate_size": 9216, "max_position_embeddings": 8192,
            "model_type": "gemma2", "num_attention_heads": 8, "num_hidden_layers": 26, "num_key_value_heads": 4,
            "pad_token_id": 0, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_theta": 10000.0,
            "sliding_window": 4096, "torch_dtype": "float32", "use_cache": true, "vocab_size": 256000})"},
        PublishedConfig{"Gemma3", R"({"architectures": ["Gemma3ForCausalLM"], "attention_bias": false,
            "attention_dropout": 0.0, "attn_logit_softcapping": null, "bos_token_id": 2,
            "cache_implementation": "hybrid", "eos_token_id": [1, 106], "final_logit_softcapping": null,
            "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 1152, "initializer_range": 0.02,
            "intermediate_size": 6912, "max_position_embeddings": 32768, "model_type": "gemma3_text",
            "num_attention_heads": 4, "num_hidden_layers": 26, "num_key_value_heads": 1, "pad_token_id": 0,
            "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_local_base_freq": 10000, "rope_scaling": null,
            "rope_theta": 1000000, "sliding_window": 512, "sliding_window_pattern": 6, "torch_dtype": "bfloat16",
            "use_cache": true, "vocab_size": 262144})"},
        PublishedConfig{"Qwen25", R"({"architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0,
            "bos_token_id": 151643, "eos_token_id": 151643, "hidden_act": "silu", "hidden_size": 896,
            "initializer_range": 0.02, "intermediate_size": 4864, "max_position_embeddings": 32768,
            "max_window_layers": 24, "model_type": "qwen2", "num_attention_heads": 14, "num_hidden_layers": 24,
            "num_key_value_heads": 2, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "sliding_window": 32768,
            "tie_word_embeddings": true, "torch_dtype": "bfloat16", "transformers_version": "4.40.1",
            "use_cache": true, "use_mrope": false, "use_sliding_window": false, "vocab_size": 151936})"},
        PublishedConfig{"Qwen25OfTransformers5", R"({"architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0,
            "dtype": "bfloat16", "eos_token_id": 151643, "hidden_act": "silu", "hidden_size": 896,
            "initializer_range": 0.02, "intermediate_size": 4864, "layer_types": ["full_attention", "full_attention"],
            "max_position_embeddings": 32768, "max_window_layers": 24, "model_type": "qwen2",
            "num_attention_heads": 14, "num_hidden_layers": 2, "num_key_value_heads": 2, "pad_token_id": null,
            "rms_norm_eps": 1e-06, "rope_parameters": {"rope_theta": 1000000.0, "rope_type": "default"},
            "sliding_window": null, "tie_word_embeddings": true, "transformers_version": "5.23.0", "use_cache": true,
            "use_sliding_window": false, "vocab_size": 151936})"},
        PublishedConfig{"Llama32", R"({"architectures": ["LlamaForCausalLM"], "attention_bias": false,
            "attention_dropout": 0.0, "bos_token_id": 128000, "eos_token_id": [128001, 128008, 128009],
            "head_dim": 64, "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02,
            "intermediate_size": 8192, "max_position_embeddings": 131072, "mlp_bias": false, "model_type": "llama",
            "num_attention_heads": 32, "num_hidden_layers": 16, "num_key_value_heads": 8, "pretraining_tp": 1,
            "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
            "original_max_position_embeddings": 8192, "rope_type": "llama3"}, "rope_theta": 500000.0,
            "tie_word_embeddings": true, "torch_dtype": "bfloat16", "use_cache": true, "vocab_size": 128256})"},
        PublishedConfig{"Llama32OfTransformers5", R"({"architectures": ["LlamaForCausalLM"], "attention_bias": false,
            "attention_dropout": 0.0, "bos_token_id": 128000, "dtype": "bfloat16",
            "eos_token_id": [128001, 128008, 128009], "head_dim": 64, "hidden_act": "silu", "hidden_size": 2048,
            "initializer_range": 0.02, "intermediate_size": 8192, "max_position_embeddings": 131072,
            "mlp_bias": false, "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 16,
            "num_key_value_heads": 8, "pad_token_id": null, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
            "rope_parameters": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
            "original_max_position_embeddings": 8192, "rope_theta": 500000.0, "rope_type": "llama3"},
            "tie_word_embeddings": true, "transformers_version": "5.23.0", "use_cache": true, "vocab_size": 128256})"}),
    [](const auto& info) { return info.param.name; });

TEST(TextModel, ErrorForALackingHeadNamesThoseOfTheModel) {
  const auto model = text_model_with(R"("model_type": "bert")");
  nn::Context context({});
  try {
    model->logits(HeadKind::kCausalLM, nn::Scope(context), {});
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                ::testing::AllOf(::testing::HasSubstr("causal language modelling for a Bert checkpoint"),
                                 ::testing::HasSubstr("masked language modelling, next sentence prediction")));
  }
  EXPECT_FALSE(model->heads().contains(HeadKind::kCausalLM));
  EXPECT_TRUE(model->heads().contains(HeadKind::kMaskedLM));
}

TEST(TextModel, IsADecoderIfItCanContinueATextTokenByToken) {
  EXPECT_EQ(text_model_with(R"("model_type": "bert")")->decoder(), nullptr);
  EXPECT_NE(text_model(io::JsonObject::parse(R"({"model_type": "gpt2"})", "config.json"))->decoder(), nullptr);
}

TEST(TextModel, PositionsOfRobertaBeginAfterPadding) {
  const auto model = text_model_with(R"("model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1)");
  EXPECT_EQ(model->facts().max_length, 512);
  EXPECT_EQ(text_model_with(R"("model_type": "bert", "max_position_embeddings": 514)")->facts().max_length, 514);
}

TEST(TextModel, OfDebertaHasNoMaximalLengthWithoutPositionEmbeddings) {
  EXPECT_EQ(text_model_with(R"("model_type": "deberta-v2", "max_position_embeddings": 40)")->facts().max_length, 40);
  EXPECT_EQ(text_model_with(R"("model_type": "deberta-v2", "position_biased_input": false)")->facts().max_length,
            1 << 20);
}

TEST(TextModel, ReportsModelsWithoutTokenTypes) {
  EXPECT_EQ(text_model_with(R"("model_type": "modernbert")")->facts().type_vocab_size, 0);
  EXPECT_EQ(text_model_with(R"("model_type": "mpnet")")->facts().type_vocab_size, 0);
  EXPECT_EQ(text_model_with(R"("model_type": "deberta-v2")")->facts().type_vocab_size, 0);
  EXPECT_EQ(text_model_with(R"("model_type": "deberta-v2", "type_vocab_size": 2)")->facts().type_vocab_size, 2);
  EXPECT_EQ(text_model_with(R"("model_type": "electra")")->facts().type_vocab_size, 2);
}

TEST(ImageModel, BadValuesAreRefusedByName) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal_of([] { image_model_with(R"("model_type": "bert")"); }), HasSubstr("which is no image model"));
  EXPECT_THAT(refusal_of([] { image_model_with(R"("model_type": "vat")"); }), HasSubstr("\"vat\""));
  EXPECT_THAT(refusal_of([] { image_model_with(R"("model_type": "vit", "image_size": 30)"); }),
              HasSubstr("image_size 30 and patch_size 16"));
  EXPECT_THAT(refusal_of([] { image_model_with(R"("model_type": "vit", "patch_size": [2, 2, 2])"); }),
              HasSubstr("3 numbers"));
}

TEST(ImageModel, ImagesOfAnotherSizeAreRefused) {
  const auto model = image_model_with(R"("model_type": "vit", "image_size": [32, 48])");
  EXPECT_EQ(model->facts().image_size.width, 48);
  nn::Context context({});
  EXPECT_THROW(model->hidden_states(nn::Scope(context), parameter("x", {DType::kFloat32, {2, 3, 48, 32}})), ShapeError);
}

TEST(ImageModel, OnlyDeiTHasATeacher) {
  nn::Context context({});
  const Value x = parameter("x", {DType::kFloat32, {2, 6, 24}});
  EXPECT_THROW(image_model_with(R"("model_type": "vit")")->distilled_logits(nn::Scope(context), x, 3), UsageError);
  EXPECT_EQ(image_model_with(R"("model_type": "deit")")->distilled_logits(nn::Scope(context), x, 3).cls.shape(),
            (Shape{2, 3}));
}

}  // namespace
}  // namespace portatune::models
