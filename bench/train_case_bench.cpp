// Seconds of training steps of any class of transformers, as JSON:  train_case_bench CASE DTYPE STEPS
// A case is a model folder with case.json and inputs.safetensors (docs/results/parity.md);
// bench/peers/make_train_case.py makes cases of real sizes.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "portatune/analysis/parity/reference_task.h"
#include "portatune/base/threads/clock.h"
#include "portatune/train.h"

namespace portatune {
namespace {

constexpr int kWarmup = 2;

double timed_step(Trainer& trainer, const data::Example& batch) {
  const Clock::time_point start = Clock::now();
  static_cast<void>(trainer.step(batch).loss());  // loss() waits for the step
  return seconds_since(start);
}

void measure(const std::string& folder, const std::string& dtype, int steps) {
  const parity::ReferenceCase reference(folder);
  const parity::ReferenceTask task(reference);
  TrainingOptions options{.learning_rate = 2e-5, .lr_scheduler_type = "constant"};
  options.dtype = dtype == "bfloat16" ? DType::kBFloat16 : DType::kFloat32;
  const Device device;
  Trainer trainer(device, task, options);
  for (int i = 0; i < kWarmup; ++i) timed_step(trainer, reference.inputs());
  std::printf("{\"step_seconds\":[");
  for (int i = 0; i < steps; ++i) std::printf("%s%.4f", i == 0 ? "" : ",", timed_step(trainer, reference.inputs()));
  std::printf("]}\n");
}

}  // namespace
}  // namespace portatune

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: train_case_bench CASE float32|bfloat16 STEPS\n");
    return 2;
  }
  try {
    portatune::measure(argv[1], argv[2], std::atoi(argv[3]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
