#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "graph/evaluate.h"
#include "models/cases.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/error.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/io/text/json.h"
#include "portatune/media_models.h"
#include "portatune/models.h"

namespace portatune::models {
namespace {

using test::evaluate;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

// A small config.json with other fields; 20 samples a frame.
io::JsonObject config_with(const std::string& fields, const std::string& model_type = "wav2vec2") {
  nlohmann::json config = nlohmann::json::parse(R"({"hidden_size": 24, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 40, "conv_dim": [10, 14, 12], "conv_kernel": [10, 3, 2],
    "conv_stride": [5, 2, 2], "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4, "hidden_dropout": 0.0,
    "activation_dropout": 0.0, "attention_dropout": 0.0})");
  config["model_type"] = model_type;
  config.update(nlohmann::json::parse("{" + fields + "}"));
  return io::JsonObject::parse(config.dump(), "config.json");
}

std::string refusal_of(const std::string& fields, const std::string& model_type = "wav2vec2") {
  try {
    audio_model(config_with(fields, model_type));
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "no CheckpointError";
}

const Tensor& waveforms() {
  static const Tensor random = test::random(TensorType{DType::kFloat32, {3, 190}});
  return random;
}

// Hidden states of three waveforms in a model with random weights; in training, with a random key.
std::vector<std::vector<float>> states_of(const AudioModel& model, const AudioInputs& in,
                                          const std::optional<Tensor>& key = {}) {
  nn::ContextOptions options;
  Values parameters;
  std::vector<Tensor> values;
  if (key) {  // an input, so that all keys have one program
    options.training = true;
    options.random_key = parameter("key", key->type());
    parameters.push_back(options.random_key);
    values.push_back(*key);
  }
  nn::Context context(std::move(options));
  const Values states = model.hidden_states(nn::Scope(context), in);
  for (const nn::Parameter& parameter : context.parameters()) {
    parameters.push_back(parameter.input);
    values.push_back(hub::draw(parameter, 1));
  }
  std::vector<std::vector<float>> found;
  for (const Tensor& state : evaluate(states, parameters, values)) found.push_back(to_floats(state.view()));
  return found;
}

Value ints(std::initializer_list<int32_t> values) {
  return constant(Tensor({std::ssize(values)}, std::span<const int32_t>(values.begin(), values.size())));
}

TEST(AudioModelFacts, CountsFramesAsTheConvolutionsDo) {
  const auto base = audio_model(io::JsonObject::parse(
      R"({"model_type": "wav2vec2", "hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 4,
          "intermediate_size": 40, "num_conv_pos_embedding_groups": 4})",
      "config.json"));
  const AudioModelFacts& facts = base->facts();
  // The numbers of _get_feat_extract_output_lengths() of transformers.
  EXPECT_EQ(facts.frames(399), 0);
  EXPECT_EQ(facts.frames(400), 1);
  EXPECT_EQ(facts.frames(719), 1);
  EXPECT_EQ(facts.frames(720), 2);
  EXPECT_EQ(facts.frames(16000), 49);
  EXPECT_EQ(facts.frames(250000), 781);
  EXPECT_EQ(facts.samples(1), 400);
  EXPECT_EQ(facts.samples(49), 400 + 48 * 320);
  EXPECT_EQ(test::elements(frames_of(facts, ints({100, 400, 719, 720, 16000, 250000}))),
            (std::vector<double>{1, 1, 1, 2, 49, 781}));
}

TEST(AudioModelFacts, CountsFramesBehindTheAdapter) {
  const AudioModelFacts facts = audio_model(config_with(R"("add_adapter": true)"))->facts();
  // The numbers of _get_feat_extract_output_lengths() of transformers with and without the adapter.
  EXPECT_EQ(facts.frames(190), 9);
  EXPECT_EQ(facts.head_frames(9), 2);
  EXPECT_EQ(facts.head_frames(1), 1);
  EXPECT_EQ(facts.head_frames(781), 98);
  const AudioInputs in{.input_values = constant(waveforms())};
  EXPECT_EQ(test::elements(head_frames_of(facts, in)), (std::vector<double>{2, 2, 2}));
  const AudioInputs with_samples{.input_values = in.input_values, .samples = ints({190, 20, 110})};
  EXPECT_EQ(test::elements(head_frames_of(facts, with_samples)), (std::vector<double>{2, 1, 1}));
  EXPECT_EQ(audio_model(config_with(""))->facts().head_frames(9), 9);
}

TEST(AudioModel, AdaptersBelongToTheHeadOfCtc) {
  nn::Context context({});
  const nn::Scope root(context);
  const auto model = audio_model(config_with(R"("add_adapter": true, "output_hidden_size": 14)"));
  EXPECT_FALSE(model->facts().xvector || model->facts().contrastive);
  const AudioInputs in{.input_values = constant(waveforms())};
  const Values states = model->hidden_states(root, in);
  EXPECT_EQ(model->last_hidden_state(root, states.back()).shape(), (Shape{3, 2, 14}));
  EXPECT_EQ(model->ctc_logits(root, states.back()).shape(), (Shape{3, 2, 32}));
  EXPECT_THROW(model->class_logits(root, states, in, 2), UsageError);
  EXPECT_THROW(model->frame_logits(root, states, 2), UsageError);
  EXPECT_THROW(model->xvectors(root, states, in, 2), UsageError);
  EXPECT_THROW(model->contrastive_states(root, in, {}), UsageError);
}

TEST(AudioModelFacts, FollowTheConfig) {
  const AudioModelFacts group = audio_model(config_with(R"("pad_token_id": 5)"))->facts();
  EXPECT_FALSE(group.masks_padding);
  EXPECT_EQ(group.ctc->blank_id, 5);
  EXPECT_FALSE(group.ctc->is_mean);
  EXPECT_EQ(group.spec_augment->time.prob, 0.05);
  EXPECT_EQ(group.spec_augment->time.min_masks, 2);
  EXPECT_EQ(group.classification_class, "Wav2Vec2ForSequenceClassification");
  const AudioModelFacts layer = audio_model(config_with(R"("feat_extract_norm": "layer", "apply_spec_augment": false,
      "ctc_loss_reduction": "mean", "ctc_zero_infinity": true)"))
                                    ->facts();
  EXPECT_TRUE(layer.masks_padding);
  EXPECT_FALSE(layer.spec_augment.has_value());
  EXPECT_TRUE(layer.ctc->is_mean && layer.ctc->zero_infinity);
}

TEST(AudioModel, BadValuesAreRefusedByName) {
  EXPECT_THAT(refusal_of("", "bert"), HasSubstr("which is no audio model"));
  EXPECT_THAT(refusal_of("", "wav3vec"), HasSubstr("\"wav3vec\""));
  EXPECT_THAT(refusal_of(R"("feat_extract_norm": "batch")"), HasSubstr("\"batch\""));
  EXPECT_THAT(refusal_of(R"("conv_stride": [5, 2])"), HasSubstr("3, 2 and 3 numbers"));
  EXPECT_THAT(refusal_of(R"("num_conv_pos_embedding_groups": 5)"), HasSubstr("num_conv_pos_embedding_groups 5"));
  EXPECT_THAT(refusal_of(R"("add_adapter": true, "adapter_kernel_size": 4)"), HasSubstr("adapter_kernel_size"));
  EXPECT_THAT(refusal_of(R"("adapter_attn_dim": 0)"), HasSubstr("adapter_attn_dim"));
  EXPECT_THAT(refusal_of(R"("ctc_loss_reduction": "none")"), HasSubstr("\"none\""));
  EXPECT_THAT(refusal_of(R"("pad_token_id": 40)"), HasSubstr("pad_token_id"));
  EXPECT_THAT(refusal_of(R"("conv_pos_batch_norm": true)", "hubert"), HasSubstr("conv_pos_batch_norm"));
  EXPECT_THAT(refusal_of(R"("patch_size": 200)", "audio-spectrogram-transformer"), HasSubstr("128 and 1024"));
}

TEST(AudioModel, InputsOfAnotherSizeAreRefused) {
  nn::Context context({});
  const auto waveforms = audio_model(config_with(""));
  const auto spectrograms = audio_model(config_with("", "audio-spectrogram-transformer"));
  EXPECT_EQ(spectrograms->facts().spectrogram->mel_bins, 128);
  const auto zeros = [](const Shape& shape) { return full({DType::kFloat32, shape}, 0); };
  EXPECT_THROW(waveforms->hidden_states(nn::Scope(context), {zeros({2, 40, 3})}), ShapeError);
  EXPECT_THROW(waveforms->hidden_states(nn::Scope(context), {zeros({2, 15})}), ShapeError);
  EXPECT_THROW(spectrograms->hidden_states(nn::Scope(context), {zeros({2, 1024, 80})}), ShapeError);
  EXPECT_THROW(spectrograms->ctc_logits(nn::Scope(context), zeros({2, 5, 24})), UsageError);
  AudioInputs in{.input_values = zeros({2, 190}), .mask_time = full({DType::kInt32, {2, 8}}, 1)};
  EXPECT_THROW(waveforms->hidden_states(nn::Scope(context), in), ShapeError);
  in.mask_time = full({DType::kInt32, {2, 9}}, 1);
  EXPECT_THROW(audio_model(config_with(R"("mask_time_prob": 0.0)"))->hidden_states(nn::Scope(context), in), ShapeError);
}

TEST(AudioModel, DropsLayersInTrainingOnly) {
  const auto model = audio_model(config_with(R"("layerdrop": 0.5)"));
  const AudioInputs in{.input_values = constant(waveforms())};
  const auto whole = states_of(*model, in);
  EXPECT_NE(whole[1], whole[0]);
  int dropped = 0;
  for (uint32_t seed = 0; seed < 16; ++seed) {
    const auto found = states_of(*model, in, Tensor({2}, {seed, uint32_t{7}}));
    EXPECT_EQ(found[0], whole[0]);
    EXPECT_TRUE(found[1] == whole[0] || found[1] == whole[1]);
    dropped += (found[1] == found[0]) + (found[2] == found[1]);
  }
  EXPECT_GT(dropped, 8);
  EXPECT_LT(dropped, 24);
}

TEST(AudioModel, MaskedFeaturesAreZero) {
  const auto model = audio_model(config_with(""));
  AudioInputs in{.input_values = constant(waveforms()), .mask_feature = full({DType::kInt32, {3, 24}}, 1)};
  const auto masked = states_of(*model, in);
  in.input_values = full(waveforms().type(), 0);
  EXPECT_EQ(states_of(*model, in), masked);
  EXPECT_NE(states_of(*model, {.input_values = constant(waveforms())}), masked);
}

TEST(AudioModel, ANewVectorOfMaskedFramesIsUniformBetween0And1) {
  nn::Context context({});
  audio_model(config_with(""))->hidden_states(nn::Scope(context), {constant(waveforms())});
  const auto& parameters = context.parameters();
  const auto masked = std::ranges::find(parameters, "wav2vec2.masked_spec_embed", &nn::Parameter::name);
  ASSERT_NE(masked, parameters.end());
  std::vector<double> values;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Tensor drawn = hub::draw(*masked, seed);
    values.insert(values.end(), drawn.as<float>().begin(), drawn.as<float>().end());
  }
  ASSERT_EQ(values.size(), 2400u);
  EXPECT_THAT(values, Each(AllOf(Ge(0), Le(1))));
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 2400;
  EXPECT_NEAR(mean, 0.5, 5 / std::sqrt(12 * 2400.0));  // five sampling errors
  const auto below = [&](double limit) { return std::ranges::count_if(values, [&](double x) { return x < limit; }); };
  EXPECT_NEAR(static_cast<double>(below(0.25)), 600, 5 * std::sqrt(450.0));
}

TEST(AudioModel, PaddingDoesNotChangeFramesIfItIsHidden) {
  const auto model = audio_model(config_with(R"("feat_extract_norm": "layer", "num_conv_pos_embeddings": 1)"));
  const AudioInputs whole{.input_values = constant(waveforms()), .samples = ints({190, 100, 110})};
  Tensor changed = waveforms();
  for (size_t i = 110; i < 190; ++i) changed.as<float>()[2 * 190 + i] = 9;
  const AudioInputs other{.input_values = constant(changed), .samples = whole.samples};
  const auto a = states_of(*model, whole).back(), b = states_of(*model, other).back();
  const size_t row = 9 * 24, frames = 5 * 24;  // 110 samples have 5 frames
  for (size_t i = 0; i < frames; ++i) EXPECT_NEAR(a[2 * row + i], b[2 * row + i], 1e-5) << i;
}

TEST(AudioModel, FreezesTheFeatureEncoderByItsName) {
  const auto model = audio_model(config_with(""));
  nn::Context context({.frozen = {model->facts().feature_encoder}});
  model->hidden_states(nn::Scope(context), {constant(waveforms())});
  for (const nn::Parameter& parameter : context.parameters()) {
    EXPECT_EQ(parameter.trainable, !parameter.name.starts_with("wav2vec2.feature_extractor.")) << parameter.name;
    // Convolutions are not layers, which have learning rates of their own.
    EXPECT_EQ(parameter.layer.has_value(), parameter.name.find(".encoder.layers.") != std::string::npos);
  }
}

// A saved model has the names of its parameters, so transformers finds all weights in it.
TEST(AudioModel, HasTheParametersOfFilesOfTransformers) {
  for (const std::string& name : test::case_names()) {
    const parity::ReferenceCase reference(test::case_folder(name));
    if (!is_audio_model(reference.model().config())) continue;
    const parity::ReferenceTask task(reference);
    nn::Context context({});
    Columns batch;
    for (const std::string& input : task.inputs()) batch.emplace(input, constant(reference.inputs().tensor(input)));
    task.forward(nn::Scope(context), batch);
    const std::vector<nn::Parameter> parameters(context.parameters().begin(), context.parameters().end());
    const InitialWeights weights = task.initial_weights(parameters, 0);
    EXPECT_THAT(weights.report.missing, testing::IsEmpty()) << name;
    EXPECT_THAT(weights.report.unexpected, testing::IsEmpty()) << name;
  }
}

}  // namespace
}  // namespace portatune::models
