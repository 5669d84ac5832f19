// A divided step, in micro-batches or on several devices, equals the step of the whole batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/base/text/message.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/graph/exchange.h"
#include "portatune/tasks/language_models.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "tasks/sentences.h"
#include "train/one_step.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using ::testing::Contains;
using ::testing::FloatEq;
using ::testing::HasSubstr;

data::Dataset eleven_rows() {
  return data::from_examples({sentence("the film was good", "good"), sentence("bad", "bad"),
                              sentence("it was a good story", "good"), sentence("a bad play", "bad"),
                              sentence("we thought it was very good", "good"), sentence("the film was bad", "bad"),
                              sentence("good", "good"), sentence("it was a bad story", "bad"),
                              sentence("a good play", "good"), sentence("we thought it was very bad", "bad"),
                              sentence("a good film", "good")});
}

// Eleven rows in batches of 8. The last batch has 3: one of four micro-batches is half full, and two are empty.
TEST(GradientAccumulation, GivesTheLossNormAndUpdateOfTheWholeBatch) {
  const TextClassification task = task_from(kTinyBert);
  for (const bool use_kernels : {true, false}) {
    const Device device({.cache_folder = program_cache(), .use_kernels = use_kernels});
    for (const data::Example& batch : task.batches(eleven_rows(), 8).iterate()) {
      const auto whole = step(device, task, batch, in_micro_batches(1));
      for (const int64_t parts : {2, 4}) expect_close(step(device, task, batch, in_micro_batches(parts)), whole);
    }
  }
}

// Each device uses 1 and 2 micro-batches. In the second batch, some devices have no example, and some half of them.
TEST(Mesh, GivesTheLossNormAndUpdateOfOneDevice) {
  const TextClassification task = task_from(kTinyBert);
  const std::vector<data::Example> batches = [&] {
    std::vector<data::Example> all;
    for (data::Example& batch : task.batches(eleven_rows(), 8).iterate()) all.push_back(std::move(batch));
    return all;
  }();
  for (const bool use_kernels : {true, false}) {
    const auto steps = [&](const Mesh& mesh, const train::StepOptions& options) {
      const Device device({.mesh = mesh, .cache_folder = program_cache(), .use_kernels = use_kernels});
      std::vector<std::vector<float>> all;
      for (const data::Example& batch : batches)
        std::ranges::move(step(device, task, batch, options), back_inserter(all));
      return all;
    };
    const auto whole = steps({}, in_micro_batches(1));
    for (const Mesh& mesh : {Mesh{.data = 8}, Mesh{.fsdp = 8}, Mesh{.data = 2, .fsdp = 2}, Mesh{.tensor = 2},
                             Mesh{.data = 2, .fsdp = 2, .tensor = 2}, Mesh{.fsdp = 4, .tensor = 2}}) {
      for (const int64_t count : std::set{int64_t{1}, 8 / mesh.size(kBatchAxes)}) {
        SCOPED_TRACE(to_string(mesh) + ", " + std::to_string(count) + " micro-batches");
        expect_close(steps(mesh, in_micro_batches(count)), whole);
      }
    }
    for (const Remat remat : {Remat::kLayers, Remat::kDots}) {
      train::StepOptions options = in_micro_batches(1);
      options.remat = remat;
      expect_close(steps({.data = 2, .fsdp = 2}, options), whole);
    }
  }
}

// Along tensor, attention drops the same elements of all heads as one device, and the rest is the same on all devices.
TEST(Mesh, DropoutAlongTensorEqualsOneDevice) {
  const TextClassification task = task_from(kTinyBert);  // has dropout in attention and elsewhere
  const data::Example batch = *task.batches(eleven_rows(), 8).iterate().next();
  train::StepOptions options = in_micro_batches(1);
  options.dropout = true;
  for (const bool use_kernels : {true, false}) {
    const auto found = [&](const Mesh& mesh, uint32_t key) {
      const Device device({.mesh = mesh, .cache_folder = program_cache(), .use_kernels = use_kernels});
      return step(device, task, batch, options, key);
    };
    expect_close(found({.tensor = 2}, 1), found({}, 1));
    expect_close(found({.data = 2, .tensor = 2}, 1), found({.data = 2}, 1));
    EXPECT_NE(found({.tensor = 2}, 2), found({.tensor = 2}, 1));
  }
}

// Each device rounds its terms of the sums to the type of activations.
TEST(Mesh, SumsAlongTensorIn16Bits) {
  const TextClassification task = task_from(kTinyBert);
  const data::Example batch = *task.batches(eleven_rows(), 8).iterate().next();
  for (const auto& [dtype, tolerance] : {std::pair(DType::kBFloat16, 0.03), {DType::kFloat16, 0.004}}) {
    train::StepOptions options = in_micro_batches(1);
    options.compute_dtype = dtype;
    const auto found = [&](const Mesh& mesh) {
      return step(Device({.mesh = mesh, .cache_folder = program_cache()}), task, batch, options);
    };
    const auto one = found({}), two = found({.tensor = 2});
    // Loss and norm come before the scale.
    for (const size_t i : {one.size() - 4, one.size() - 2}) {
      EXPECT_NEAR(two[i][0] / one[i][0], 1, tolerance) << name_of(dtype) << ", result " << i;
    }
  }
}

int64_t count(const std::string& text, const std::string& word) {
  int64_t times = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++times;
  return times;
}

// Devices along data have whole weights, which layers round; those along fsdp gather them rounded. Along tensor,
// gradients are sums of four terms in another order.
TEST(Mesh, GathersRoundedWeightsIn16Bits) {
  const auto task = masked_lm(kTinyBert, {.max_length = 12});  // its embeddings are tied to the decoder
  const data::Example batch = *task->batches(eleven_rows(), 8).iterate().next();
  for (const auto& [dtype, remat] : {std::pair(DType::kBFloat16, Remat::kNone),
                                     {DType::kBFloat16, Remat::kLayers},
                                     {DType::kFloat16, Remat::kNone}}) {
    SCOPED_TRACE(name_of(dtype));
    train::StepOptions options = in_micro_batches(1);
    options.compute_dtype = dtype;
    options.dropout = true;
    options.max_grad_norm = 0;  // the norm is a sum in another order, too
    const auto results = [&](const Mesh& mesh, Remat policy) {
      options.remat = policy;
      return step(Device({.mesh = mesh, .cache_folder = program_cache()}), *task, batch, options);
    };
    const auto wanted = results({.data = 2}, Remat::kNone), found = results({.fsdp = 2}, remat);
    const size_t loss = wanted.size() - 4, norm = wanted.size() - 2;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (i == norm) continue;
      EXPECT_TRUE(found[i] == wanted[i]) << "result " << i;
    }
    const auto sharing = results({.data = 2, .tensor = 2}, Remat::kNone),
               both = results({.fsdp = 2, .tensor = 2}, remat);
    EXPECT_EQ(both[loss], sharing[loss]);
    expect_close(both, sharing);
  }
}

// Sends matrices in 16 bits, each once for all layers that share it, biases and norms unchanged; gradients in float32.
TEST(Mesh, SendsHalfTheBytesOfWeightsIn16Bits) {
  const auto task = masked_lm(kTinyBert, {.max_length = 12});
  const train::Signature batch = train::signature_of(*task, *task->batches(eleven_rows(), 8).iterate().next());
  const auto program = [&](DType dtype) {
    return train::step_program(*task, batch, {.compute_dtype = dtype, .mesh = {.fsdp = 2}});
  };
  const train::StepProgram wide = program(DType::kFloat32), narrow = program(DType::kBFloat16);
  double matrices = 0, vectors = 0;
  int64_t divided = 0;
  for (const nn::Parameter& parameter : wide.parameters) {
    if (parameter.sharding.over.empty()) continue;
    ++divided;
    (parameter.type.shape.rank() >= 2 ? matrices : vectors) += static_cast<double>(parameter.input.type().bytes());
  }
  EXPECT_EQ(exchange_of(wide.function).parts, 2 * (matrices + vectors));
  EXPECT_EQ(exchange_of(narrow.function).parts, 1.5 * matrices + 2 * vectors);
  EXPECT_EQ(count(to_stablehlo(narrow.function, {}), "stablehlo.all_gather"), divided);
}

// Two devices cannot share a vocabulary of 63 equally: each has all of it.
TEST(Mesh, KeepsAnIndivisibleVocabularyWhole) {
  const auto task = masked_lm(kTinyBert, {.max_length = 12});
  const data::Example batch = *task->batches(eleven_rows(), 8).iterate().next();
  const auto found = [&](const Mesh& mesh) {
    return step(Device({.mesh = mesh, .cache_folder = program_cache()}), *task, batch, in_micro_batches(1));
  };
  expect_close(found({.tensor = 2}), found({}));
}

// A task whose loss is the sum of dropout(x p), with dropout of one half.
class DropTask final : public Task {
 public:
  std::vector<std::string> inputs() const override { return {"x"}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value& x = batch.at("x");
    const Value p = root.parameter("p", {x.shape()[1]}, {});
    return {
        .loss_sum = sum(nn::dropout(root, x * p, 0.5)), .weight_sum = full({DType::kFloat32, {}}, 1), .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  void save(const std::filesystem::path&) const override {}
};

// The first moment of p, for 2 rows of ones in two parts.
std::vector<float> first_moment(const Device& device, int64_t micro_batches, uint32_t key) {
  const std::vector<float> ones(128, 1.0f);
  data::Example batch;
  batch.set("x", Tensor({2, 64}, std::span<const float>(ones)));
  return step(device, DropTask(), batch, {.gradient_accumulation_steps = micro_batches, .max_grad_norm = 0}, key)[1];
}

TEST(DividedStep, DropsOtherElementsInEachPartButTheSameInEachRun) {
  const Device two({.mesh = {.data = 2}, .cache_folder = program_cache()});
  const std::vector<float> in_micro_batches = first_moment(decompositions(), 2, 5);
  for (const auto& [device, micro_batches] : {std::pair(&decompositions(), 2), std::pair(&two, 1)}) {
    const std::vector<float> found = first_moment(*device, micro_batches, 5);
    // Both parts have weight 1, so the gradient is a mean: 0, 1 or 2, and 1 if one of two masks drops.
    EXPECT_THAT(found, Contains(FloatEq(0.1f)));
    EXPECT_EQ(found, in_micro_batches);
    EXPECT_EQ(first_moment(*device, micro_batches, 5), found);
    EXPECT_NE(first_moment(*device, micro_batches, 6), found);
  }
}

TEST(GradientAccumulation, RejectsAnIndivisibleBatch) {
  const TextClassification task = task_from(kTinyBert);
  const data::Example batch = *task.batches(eleven_rows(), 6).iterate().next();
  const std::string text = message_of<UsageError>([&] { step(decompositions(), task, batch, in_micro_batches(4)); });
  EXPECT_THAT(text, HasSubstr("gradient_accumulation_steps"));
  EXPECT_THAT(text, HasSubstr("int32[6, 12]"));
}

data::Dataset packed(const TextClassification& task, int64_t parts) {
  return task.packed_batches(eleven_rows(),
                             {.examples = 8 / parts, .rows = {1, 2, 4}, .length = 12, .window = 8, .parts = parts},
                             {.buffer = 1});
}

// The last parts of the second batch have no example.
TEST(DividedStep, EqualsTheWholeBatchForPackedBatches) {
  const TextClassification task = task_from(kTinyBert);
  const Device one({.cache_folder = program_cache()}), two({.mesh = {.data = 2}, .cache_folder = program_cache()}),
      four({.mesh = {.data = 2, .fsdp = 2}, .cache_folder = program_cache()});
  data::Cursor in_four = packed(task, 4).iterate();
  for (const data::Example& batch : task.batches(eleven_rows(), 8).iterate()) {
    const auto whole = step(one, task, batch, in_micro_batches(1));
    const data::Example parts = *in_four.next();
    expect_close(step(one, task, parts, in_micro_batches(4)), whole);
    expect_close(step(two, task, parts, in_micro_batches(2)), whole);
    expect_close(step(four, task, parts, in_micro_batches(1)), whole);
  }
  EXPECT_FALSE(in_four.next());
}

TEST(DividedStep, RejectsABatchPackedInAnotherNumberOfParts) {
  const TextClassification task = task_from(kTinyBert);
  for (const auto& [parts, micro_batches] : {std::pair{1, 2}, {2, 4}, {2, 1}}) {
    const data::Example batch = *packed(task, parts).iterate().next();
    EXPECT_THAT(message_of<UsageError>([&] { step(decompositions(), task, batch, in_micro_batches(micro_batches)); }),
                HasSubstr(counted(micro_batches, "part") + ": one for each"));
  }
}

TEST(GradientAccumulation, RejectsAnotherNumberOnResume) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer trainer(decompositions(), task, {.lr_scheduler_type = "constant", .gradient_accumulation_steps = 2});
  trainer.step(*task.batches(eleven_rows(), 4).iterate().next());
  trainer.save_checkpoint(folder / "saved");
  const TextClassification saved = task_from(folder / "saved");
  Trainer other(decompositions(), saved, {.lr_scheduler_type = "constant", .gradient_accumulation_steps = 4});
  EXPECT_THAT(message_of<UsageError>([&] { other.resume(folder / "saved"); }),
              HasSubstr("gradient_accumulation_steps 4"));
}

}  // namespace
}  // namespace portatune::test
