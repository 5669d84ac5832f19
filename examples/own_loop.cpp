// The same as fine_tune.cpp, as a loop of one's own: for schedules, logs and stops that fit() does not have.
//     own_loop MODEL train.csv OUTPUT
#include <cstdio>

#include "portune/portune.h"

using namespace portune;

int main(int argc, char** argv) try {
  if (argc != 4) return std::fprintf(stderr, "usage: own_loop MODEL train.csv OUTPUT\n"), 2;
  const data::Dataset train = data::read_table(argv[2]);
  const TextClassification task(argv[1], {.max_length = 32, .labels = labels_of(train, "label").labels});
  const data::Dataset batches = task.batches(train.shuffle({.buffer = 10'000, .seed = 42}), 16).repeat().prefetch(2);
  const Device device;
  Trainer trainer(device, task, {.learning_rate = 1e-2, .lr_scheduler_type = "constant"});

  for (const data::Example& batch : batches.iterate()) {
    const StepResult result = trainer.step(batch);  // returns at once
    if (result.step() % 10 != 0) continue;
    const double loss = result.loss();  // waits: reading every loss would keep the device waiting, too
    std::printf("step %3lld  loss %.4f\n", static_cast<long long>(result.step()), loss);
    if (loss < 0.2 || result.step() == 200) break;
  }
  trainer.save(argv[3]);
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
