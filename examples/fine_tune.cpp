// Fine-tunes a text classifier with fit():  fine_tune MODEL TRAIN VALIDATION OUTPUT
// The tables have the columns "text" and "label".
#include <cstdio>

#include "portatune/portatune.h"

using namespace portatune;

int main(int argc, char** argv) try {
  if (argc != 5) throw UsageError({.where = "fine_tune", .expected = "fine_tune MODEL TRAIN VALIDATION OUTPUT"});
  require_place_to_save(argv[4]);
  const data::Dataset rows = data::read_table(argv[2]), held_out = data::read_table(argv[3]);
  const LabelScan scan = labels_of(rows, "label");

  const Device device;  // the CPU
  const TextClassification task(argv[1], {.max_length = 32, .labels = scan.labels});
  Trainer trainer(device, task, {.learning_rate = 5e-5});

  const data::Dataset train = task.batches(rows.shuffle({.buffer = scan.examples, .seed = 1}), 16).prefetch(2);
  const FitResult result = trainer.fit(train, {.num_train_epochs = 3, .validation = {{task.batches(held_out, 16)}}});
  for (const auto& [name, value] : result.scores) std::printf("%s %.4f\n", name.c_str(), value);
  trainer.save(argv[4]);
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
