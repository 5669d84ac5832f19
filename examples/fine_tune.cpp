// Fine-tunes a BERT encoder on labelled texts and measures it on others.
//     fine_tune MODEL train.csv validation.csv OUTPUT
#include <cstdio>

#include "portune/portune.h"

using namespace portune;

int main(int argc, char** argv) try {
  if (argc != 5) return std::fprintf(stderr, "usage: fine_tune MODEL train.csv validation.csv OUTPUT\n"), 2;
  const data::Dataset train = data::read_table(argv[2]), validation = data::read_table(argv[3]);
  const TextClassification task(argv[1], {.max_length = 32, .labels = labels_of(train, "label").labels});
  const Device device({.device = "cpu"});

  Trainer trainer(device, task, {.learning_rate = 1e-2});
  trainer.fit(task.batches(train.shuffle({.buffer = 10'000, .seed = 42}), 16).prefetch(2), {.num_train_epochs = 10});
  for (const auto& [name, value] : trainer.evaluate(task.batches(validation, 16))) {
    std::printf("%s %.4f\n", name.c_str(), value);
  }
  trainer.save(argv[4]);
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
