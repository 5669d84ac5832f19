#include "portatune/run/probes/step_times.h"

#include <random>
#include <string>
#include <utility>

#include "portatune/base/threads/clock.h"
#include "portatune/data.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/run/inputs/task/adapter.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::run {
namespace {

Tensor random_integers(const Shape& shape, int64_t limit) {
  std::mt19937 bits(0);
  Tensor tensor({DType::kInt32, shape});
  for (int32_t& value : tensor.as<int32_t>()) value = static_cast<int32_t>(bits() % static_cast<uint64_t>(limit));
  return tensor;
}

// The mask of rows in which between half and all of the tokens are real, so that no computation may skip the mask.
Tensor random_mask(int64_t rows, int64_t length) {
  std::mt19937 bits(0);
  Tensor mask({DType::kInt32, {rows, length}});
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t real = length - static_cast<int64_t>(bits() % static_cast<uint64_t>(length / 2 + 1));
    for (int64_t i = 0; i < real; ++i) mask.as<int32_t>()[static_cast<size_t>(row * length + i)] = 1;
  }
  return mask;
}

data::Example random_batch(const StepTimesOptions& a, int64_t labels) {
  const io::JsonObject config = hub::read_config(a.run.model.folder);
  const int64_t size = a.batch_size * a.run.training.gradient_accumulation_steps * a.run.device.mesh.size(kBatchAxes);
  const Shape tokens{size, a.run.model.options.of<TextClassificationRunOptions>().max_length};
  const std::vector<float> weights(static_cast<size_t>(size), 1.0F);
  data::Example batch;
  batch.set("input_ids", random_integers(tokens, config.get_int("vocab_size", {2, 1 << 30})));
  batch.set("token_type_ids", Tensor({DType::kInt32, tokens}));
  batch.set("attention_mask", random_mask(size, tokens[1]));
  batch.set("labels", random_integers({size}, labels));
  batch.set(data::kExampleWeight, Tensor({size}, std::span<const float>(weights)));
  return batch;
}

struct Compilation final : Callback {
  double seconds = 0;
  bool from_cache = false;
  void on_compile(const std::string&, double compile_seconds, bool cached) override {
    seconds = compile_seconds;
    from_cache = cached;
  }
};

double timed_step(Trainer& trainer, const data::Example& batch) {
  const Clock::time_point start = Clock::now();
  static_cast<void>(trainer.step(batch).loss());  // loss() waits for the step
  return seconds_since(start);
}

}  // namespace

StepTimes time_steps(const StepTimesOptions& a) {
  TextClassificationOptions options = a.run.model.options.of<TextClassificationRunOptions>();
  options.head = Head::kSoftmax;
  options.labels = {"0", "1"};  // independent of the checkpoint: an encoder alone has no labels
  const TextClassification task(a.run.model.folder, std::move(options));
  const data::Example batch = random_batch(a, static_cast<int64_t>(task.labels().size()));
  TrainingOptions training = a.run.training;
  training.lr_scheduler_type = "constant";
  training.lora = adapters_of(a.run, a.run.model.folder);
  const Device device(a.run.device);
  Trainer trainer(device, task, training);

  // The first step runs through fit(), because fit() reports the compilation.
  Compilation compilation;
  trainer.fit(data::from_examples({batch}), {.num_train_epochs = 1, .steps_per_epoch = 1, .callback = &compilation});
  for (int64_t i = 0; i < a.warmup; ++i) timed_step(trainer, batch);
  StepTimes times{.seconds = {}, .compile_seconds = compilation.seconds, .from_cache = compilation.from_cache};
  for (int64_t i = 0; i < a.steps; ++i) times.seconds.push_back(timed_step(trainer, batch));
  return times;
}

}  // namespace portatune::run
