// A classifier of short sentences, its batches and devices, for tests of training.
#pragma once

#include <filesystem>

#include "graph/evaluate.h"
#include "portatune/device.h"
#include "portatune/tasks/text_classification.h"
#include "tasks/sentences.h"

namespace portatune::test {

/// A task on a model folder or a checkpoint.
inline TextClassification task_from(const std::filesystem::path& folder) {
  return TextClassification(folder, {.max_length = 12, .labels = {"bad", "good"}});
}

inline data::Example two_sentences(const TextClassification& task) {
  const data::Dataset rows = data::from_examples({sentence("the film was good", "good"), sentence("bad", "bad")});
  return *task.batches(rows, 2).iterate().next();
}

inline data::Example four_sentences(const TextClassification& task) {
  const data::Dataset rows = data::from_examples({sentence("the film was good", "good"), sentence("bad", "bad"),
                                                  sentence("it was a good story", "good"), sentence("a play", "bad")});
  return *task.batches(rows, 4).iterate().next();
}

inline const Device& four_devices() {
  static const Device device({.mesh = {.data = 2, .fsdp = 2}, .cache_folder = program_cache()});
  return device;
}

}  // namespace portatune::test
