// The training of fine_tune.cpp as a custom loop over step():  own_loop MODEL TRAIN VALIDATION OUTPUT
#include <cstdio>

#include "portatune/portatune.h"

using namespace portatune;

int main(int argc, char** argv) try {
  if (argc != 5) throw UsageError({.where = "own_loop", .expected = "own_loop MODEL TRAIN VALIDATION OUTPUT"});
  require_place_to_save(argv[4]);
  const data::Dataset rows = data::read_table(argv[2]), held_out = data::read_table(argv[3]);
  const LabelScan scan = labels_of(rows, "label");

  const Device device;
  const TextClassification task(argv[1], {.max_length = 32, .labels = scan.labels});
  Trainer trainer(device, task, {.learning_rate = 5e-5, .lr_scheduler_type = "constant"});

  const data::Dataset train = task.batches(rows.shuffle({.buffer = scan.examples, .seed = 1}), 16);
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    for (const data::Example& batch : train.iterate(epoch)) {
      const StepResult step = trainer.step(batch);  // returns before the step is done
      if (step.step() % 3 == 0) std::printf("step %ld loss %.4f\n", static_cast<long>(step.step()), step.loss());
    }
  }
  for (const auto& [name, value] : trainer.evaluate(task.batches(held_out, 16))) {
    std::printf("%s %.4f\n", name.c_str(), value);
  }
  trainer.save(argv[4]);
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
