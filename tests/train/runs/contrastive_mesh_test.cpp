// Pretraining on speech on several devices: the loss is a sum over masked frames, and the perplexity of the codevectors
// that it contains is that of the whole batch.
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "portatune/base/text/message.h"
#include "portatune/hub/model_folder.h"
#include "portatune/media_models.h"
#include "portatune/tasks/objectives/contrastive.h"
#include "train/one_step.h"

namespace portatune::test {
namespace {

constexpr int64_t kRows = 8, kSamples = 400, kFrames = 39, kNegatives = 5, kGroups = 2, kCodevectors = 6;

// The task of pretraining with the noise of a batch.
class NoisyPretraining final : public Task {
 public:
  std::vector<std::string> inputs() const override {
    return {"input_values", "samples", "mask_time", "negatives", "noise", "weights"};
  }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const models::AudioInputs in{
        .input_values = batch.at("input_values"), .samples = batch.at("samples"), .mask_time = batch.at("mask_time")};
    const auto states = model_->contrastive_states(
        root, in, {.noise = batch.at("noise"), .temperature = full({DType::kFloat32, {}}, 2)});
    const tasks::ContrastiveLoss loss =
        tasks::contrastive_loss(*model_->facts().contrastive, states, in.mask_time, batch.at("negatives"),
                                batch.at("weights"), root.options().mesh);
    return {.loss_sum = loss.total, .weight_sum = loss.masked, .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  void save(const std::filesystem::path&) const override {}

 private:
  const std::unique_ptr<models::AudioModel> model_ =
      models::audio_model(hub::ModelFolder::open(PORTATUNE_TEST_DATA "/models/wav2vec2_pretraining").config());
};

// Rows of different lengths with different numbers of masked frames. The last one only fills the batch.
data::Example noisy_batch() {
  std::vector<float> weights(kRows, 1);
  weights.back() = 0;
  std::vector<int32_t> samples, masks, negatives;
  for (int64_t row = 0; row < kRows; ++row) {
    const int64_t frames = kFrames - 2 * row;
    samples.push_back(static_cast<int32_t>(10 * frames + 10));
    for (int64_t frame = 0; frame < kFrames; ++frame) {
      masks.push_back(frame < frames && (frame + row) % (row + 2) == 0 ? 1 : 0);
      for (int64_t i = 0; i < kNegatives; ++i) {
        negatives.push_back(static_cast<int32_t>((frame + (i + 1) * (row + 2)) % frames));
      }
    }
  }
  data::Example batch;
  return batch.set("input_values", random(TensorType{DType::kFloat32, {kRows, kSamples}}, 1))
      .set("samples", vector_of(samples))
      .set("mask_time", Tensor({kRows, kFrames}, std::span<const int32_t>(masks)))
      .set("negatives", Tensor({kRows, kFrames, kNegatives}, std::span<const int32_t>(negatives)))
      .set("noise", random(TensorType{DType::kFloat32, {kRows, kFrames, kGroups, kCodevectors}}, 2))
      .set("weights", vector_of(weights));
}

TEST(ContrastiveMesh, GivesTheLossNormAndUpdateOfOneDevice) {
  const NoisyPretraining task;
  const data::Example batch = noisy_batch();
  const auto found = [&](const Mesh& mesh) {
    return step(Device({.mesh = mesh, .cache_folder = program_cache()}), task, batch, in_micro_batches(1));
  };
  const auto wanted = found({});
  for (const Mesh& mesh : {Mesh{.data = 2}, Mesh{.data = 4}, Mesh{.fsdp = 2}, Mesh{.data = 2, .fsdp = 2},
                           Mesh{.tensor = 2}, Mesh{.data = 2, .tensor = 2}}) {
    SCOPED_TRACE(to_string(mesh));
    expect_close(found(mesh), wanted);
  }
}

}  // namespace
}  // namespace portatune::test
