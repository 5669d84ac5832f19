// portatune bench and bench-input: time training steps on random tokens, and the input pipeline.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "portatune/base/clock.h"
#include "portatune/base/number.h"
#include "portatune/cli/options/commands.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/data.h"
#include "portatune/hub/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/example_weights.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/task/adapter.h"
#include "portatune/run/run_plan.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train/evaluation.h"

namespace portatune::cli {
namespace {

struct Measured {
  int64_t passes = 0, batches = 0, examples = 0;
  TokenCount tokens;
  double seconds = 0;
  std::vector<data::Meter::Stage> stages;
};

int64_t examples_in(const data::Example& batch) {
  int64_t examples = 0;
  for (const float weight : batch.tensor(data::kExampleWeight).as<float>()) examples += weight > 0 ? 1 : 0;
  return examples;
}

// Only whole passes are measured, so that the work done once in each pass has its weight; counting is not timed.
Measured measure(const RowTask& task, const data::Dataset& batches, double seconds) {
  Measured measured;
  data::Meter meter;
  do {
    data::Cursor cursor = batches.iterate(measured.passes++, &meter);
    for (;;) {
      const Clock::time_point start = Clock::now();
      const std::optional<data::Example> batch = cursor.next();
      measured.seconds += seconds_since(start);
      if (!batch) break;
      const TokenCount tokens = task.tokens(*batch);
      measured.tokens.real += tokens.real;
      measured.tokens.positions += tokens.positions;
      measured.tokens.unit = tokens.unit;
      measured.examples += examples_in(*batch);
      ++measured.batches;
    }
    if (measured.batches == 0) throw train::no_example("training data");
  } while (measured.seconds < seconds);
  measured.stages = meter.stages();
  return measured;
}

double rate(int64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

std::string table_of(const Measured& m) {
  const std::string unit = fmt::format("{}/s", m.tokens.unit);
  std::string text = fmt::format("{:<12}{:>10}{:>8}{:>14}{:>14}\n", "stage", "seconds", "share", "examples/s", unit);
  const auto line = [&](const std::string& name, double seconds) {
    text += fmt::format("{:<12}{:>10.3f}{:>7.0f}%{:>14}{:>14}\n", name, seconds, 100 * seconds / m.seconds,
                        grouped(std::llround(rate(m.examples, seconds))),
                        grouped(std::llround(rate(m.tokens.real, seconds))));
  };
  for (const data::Meter::Stage& stage : m.stages) line(stage.name, stage.seconds);
  line("all", m.seconds);
  return text + fmt::format("{} passes, {} batches, {} examples, {:.1f} % of positions hold {}\n", m.passes,
                            grouped(m.batches), grouped(m.examples),
                            100 * static_cast<double>(m.tokens.real) / static_cast<double>(m.tokens.positions),
                            m.tokens.unit);
}

std::string json_of(const Measured& m) {
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  const auto object = [&](const std::string& name, double seconds) {
    return nlohmann::ordered_json{{"stage", name},
                                  {"seconds", seconds},
                                  {"examples_per_second", rate(m.examples, seconds)},
                                  {std::string(m.tokens.unit) + "_per_second", rate(m.tokens.real, seconds)}};
  };
  for (const data::Meter::Stage& stage : m.stages) stages.push_back(object(stage.name, stage.seconds));
  nlohmann::ordered_json all = object("all", m.seconds);
  all.update({{"stages", stages},
              {"passes", m.passes},
              {"batches", m.batches},
              {"examples", m.examples},
              {m.tokens.unit, m.tokens.real},
              {"positions", m.tokens.positions}});
  return line_of(all);
}

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

data::Example random_batch(const BenchArguments& a, int64_t labels) {
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

int bench_input(const BenchInputArguments& arguments) {
  const Talk& talk = arguments.fit.talk;
  TerminalEvents events(talk);
  const run::RunPlan plan = run::plan_run(arguments.fit, {}, events);
  const RowTask& task = *plan.task;
  const data::Dataset rows = run::training_rows(plan, task);
  const int64_t examples = run::count_examples(plan.model, task, rows);
  const Measured measured = measure(task, run::training_batches(task, rows, plan, examples), arguments.seconds);
  print_result(talk.json ? json_of(measured) : table_of(measured));
  return kOk;
}

int bench(const BenchArguments& a) {
  TextClassificationOptions options = a.run.model.options.of<TextClassificationRunOptions>();
  options.head = Head::kSoftmax;
  options.labels = {"0", "1"};  // independent of the checkpoint: an encoder alone has no labels
  const TextClassification task(a.run.model.folder, std::move(options));
  const data::Example batch = random_batch(a, static_cast<int64_t>(task.labels().size()));
  TrainingOptions training = a.run.training;
  training.lr_scheduler_type = "constant";
  training.lora = run::adapters_of(a.run, a.run.model.folder);
  const Device device(a.run.device);
  Trainer trainer(device, task, training);

  // The first step runs through fit(), because fit() reports the compilation.
  Compilation compilation;
  trainer.fit(data::from_examples({batch}), {.num_train_epochs = 1, .steps_per_epoch = 1, .callback = &compilation});
  for (int64_t i = 0; i < a.warmup; ++i) timed_step(trainer, batch);
  nlohmann::ordered_json seconds = nlohmann::ordered_json::array();
  for (int64_t i = 0; i < a.steps; ++i) seconds.push_back(timed_step(trainer, batch));
  const nlohmann::ordered_json result = {
      {"step_seconds", seconds}, {"compile_seconds", compilation.seconds}, {"from_cache", compilation.from_cache}};
  print_result(line_of(result));
  return kOk;
}

}  // namespace portatune::cli
