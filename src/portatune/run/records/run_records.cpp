#include "portatune/run/records/run_records.h"

#include <algorithm>
#include <utility>

#include "portatune/analysis/report/evaluations.h"
#include "portatune/analysis/report/page.h"
#include "portatune/analysis/report/run_log.h"
#include "portatune/base/files/output_file.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/run/records/model_card.h"
#include "portatune/run/records/training_arguments.h"
#include "portatune/runtime/machine_memory.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/checkpoint/save_folder.h"
#include "portatune/train/evaluation/best_model.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

// The file that a run continues: that of the run whose checkpoint it resumes, or else its own.
fs::path file_to_continue(const fs::path& output, const fs::path& checkpoint, const char* file) {
  const fs::path resumed = train::folder_of_checkpoint(checkpoint) / file;
  return fs::exists(resumed) ? resumed : output / file;
}

// Removes the files that an earlier run, or the part before a resume, wrote at its end.
void remove_files_of_end(const fs::path& output) {
  for (const char* file : {kTrainerStateFile, report::kDetailsFile, report::kPageFile}) fs::remove(output / file);
}

std::optional<int64_t> memory_in_use(const Device& device) {
  const DeviceFacts facts = device.facts();
  std::optional<int64_t> bytes;
  for (const std::optional<DeviceMemory>& memory : facts.memory) {
    if (memory) bytes = bytes.value_or(0) + memory->in_use_bytes;
  }
  return bytes;
}

void add_memory(const Opening& opening, Json& line) {
  if (const std::optional<int64_t> bytes = resident_bytes()) line["memory_bytes"] = *bytes;
  if (opening.plan.device.device == "cpu") return;  // its memory is that of the process
  if (const std::optional<int64_t> bytes = memory_in_use(opening.device)) line["device_memory_bytes"] = *bytes;
}

// Number of examples of the validation sets together; 0 if one of them is not read yet.
int64_t examples_of_evaluation(const Opening& opening) {
  int64_t examples = 0;
  for (const std::optional<DataSurvey>& set : opening.validation) {
    if (!set) return 0;
    examples += set->examples;
  }
  return examples;
}

// Number of batches of an evaluation as transformers counts them.
int64_t batches_of_evaluation(const Opening& opening) {
  const int64_t size = eval_batch_size(opening.plan);
  int64_t batches = 0;
  for (const std::optional<DataSurvey>& set : opening.validation) {
    if (set) batches += (set->examples + size - 1) / size;
  }
  return batches;
}

}  // namespace

void remove_leftovers_of_records(const fs::path& output) {
  std::vector<fs::path> files;
  for (const char* name : {report::kLogFile, report::kEvaluationsFile, train::kArgumentsFile, kTrainerStateFile,
                           kModelCardFile, report::kDetailsFile, report::kPageFile}) {
    files.push_back(output / name);
  }
  remove_leftovers(files);
}

RunRecords::RunRecords(const Opening& opening, const TrainingOptions& training, Events& events)
    : opening_(opening), events_(events), start_(Clock::now()), last_step_(start_), step_(opening.trainer.steps()) {
  try_to([&] { write_arguments(training); });
  // Without this file, which marks the folder of a run, the other records would look like files of a user.
  if (!fs::is_regular_file(opening.plan.output / train::kArgumentsFile)) return;
  try_to([&] { opening.plan.checkpoint.empty() ? open_log() : resume_log(); });
  try_to([&] { open_events(); });
}

void RunRecords::write_arguments(const TrainingOptions& training) {
  const fs::path& output = opening_.plan.output;
  fs::create_directories(output);
  replace_file(output / train::kArgumentsFile, io::indented_text(training_arguments(opening_, training)));
}

void RunRecords::open_events() {
  const fs::path &output = opening_.plan.output, &checkpoint = opening_.plan.checkpoint;
  const bool is_new = checkpoint.empty();
  if (is_new || !lies_in(checkpoint, output)) remove_event_files(output / kEventFolder);
  events_file_.emplace(output / kEventFolder, is_new ? std::nullopt : std::optional(step_));
  const Json options = resolved_options(opening_);
  events_file_->add_settings(options);
  events_file_->add_text("args", io::indented_text(options));
  const fs::path config = hub::folder_of_settings(model_of(opening_.plan)) / "config.json";
  if (fs::exists(config)) events_file_->add_text("model_config", io::read_text(config, hub::kMaxConfigBytes));
}

void RunRecords::try_to(const std::function<void()>& write) {
  const auto warn = [&](const std::string& why) {
    if (!std::exchange(has_warned_, true)) events_.warning("the records of the run are not complete: " + why);
  };
  try {
    write();
  } catch (const Error& error) {
    warn(one_line(error.report()));
  } catch (const std::exception& error) {
    warn(error.what());
  }
}

void RunRecords::open_log() {
  log_.emplace(opening_.plan.output / report::kLogFile, std::vector<Json>());
  fs::remove(opening_.plan.output / report::kEvaluationsFile);
  remove_files_of_end(opening_.plan.output);
}

void RunRecords::resume_log() {
  const fs::path& checkpoint = opening_.plan.checkpoint;
  std::vector<Json> lines = lines_until(file_to_continue(opening_.plan.output, checkpoint, report::kLogFile), step_);
  for (const Json& line : lines) {
    if (const auto seconds = line.find("seconds"); seconds != line.end() && seconds->is_number()) earlier_s_ = *seconds;
  }
  window_ = StepWindow(own_state_in(checkpoint));
  remove_files_of_end(opening_.plan.output);
  log_.emplace(opening_.plan.output / report::kLogFile, std::move(lines));
  log_->add({{"step", step_}, {"resumed", true}, {"seconds", number(seconds())}});
}

void RunRecords::observe(std::vector<EvaluationSet>& sets) {
  const RunPlan& plan = opening_.plan;
  const RowTask& task = opening_.task;
  if (!log_ || sets.empty() || !task.error_analyzer(0)) return;
  try_to([&] {
    std::vector<Json> lines;
    if (!plan.checkpoint.empty()) {
      lines = lines_until(file_to_continue(plan.output, plan.checkpoint, report::kEvaluationsFile), step_);
    }
    evaluations_.emplace(plan.output / report::kEvaluationsFile, std::move(lines), task, plan.report_examples);
    evaluations_->observe(sets);
  });
}

void RunRecords::add(Json line) {
  if (events_file_) try_to([&] { events_file_->add(line); });
  if (log_) try_to([&] { log_->add(std::move(line)); });
}

void RunRecords::on_step(const StepResult& result, int64_t total_steps) {
  step_ = result.step();
  last_step_ = Clock::now();
  window_.add(result, wait_);
  learning_rate_ = result.learning_rate();
  grad_norm_ = result.grad_norm();
  const bool is_first = step_ == 1 && opening_.plan.logging_first_step;
  if (is_first || step_ % logging_steps() == 0 || step_ == total_steps) add_steps();
}

void RunRecords::add_steps() {
  if (window_.empty()) return;
  Json line = {{"step", step_},
               {"epoch", number(epoch_of(step_))},
               {"loss", number(window_.mean_loss())},
               {"learning_rate", number(learning_rate_)},
               {"grad_norm", number(grad_norm_)}};
  window_.describe_input(line);
  add_memory(opening_, line);
  line["seconds"] = number(seconds());
  add(std::move(line));
  window_.clear();
}

void RunRecords::on_evaluation(int64_t step, double /*epoch*/, const Scores& scores) {
  add_evaluation(step, scores, seconds_since(last_step_));
  if (evaluations_) try_to([&] { evaluations_->add(step); });
  window_.restart_clock();
}

void RunRecords::add_evaluation(int64_t step, const Scores& scores, double seconds) {
  if (scores.empty() || has_evaluation(step)) return;
  Json line = {{"step", step}, {"epoch", number(epoch_of(step))}};
  for (const auto& [name, value] : scores) line["eval_" + name] = number(value);
  line["eval_seconds"] = number(seconds);
  add(std::move(line));
}

bool RunRecords::has_evaluation(int64_t step) const {
  return log_ && std::ranges::any_of(log_->lines(), [&](const Json& line) {
           return line["step"] == step && line.contains("eval_seconds");
         });
}

double RunRecords::epoch_of(int64_t step) const {
  return static_cast<double>(step + opening_.trainer.omitted_steps()) /
         static_cast<double>(opening_.length.steps_per_epoch);
}

int64_t RunRecords::logging_steps() const { return opening_.plan.logging_steps.of(total_steps(opening_)); }

double RunRecords::seconds() const { return earlier_s_ + seconds_since(start_); }

TrainerState RunRecords::state(int64_t best_step) const {
  const fs::path best = train::checkpoint_path(opening_.plan.output, best_step);
  const bool has_best = best_step > 0 && fs::exists(best);
  return {.step = step_,
          .total_steps = total_steps(opening_),
          .epoch = epoch_of(step_),
          .epochs = opening_.length.num_train_epochs,
          .batch_size = rows_of_step(opening_.plan),
          .eval_steps = opening_.length.eval_steps > 0 ? opening_.length.eval_steps : opening_.length.steps_per_epoch,
          .logging_steps = logging_steps(),
          .save_steps = opening_.length.checkpoints.every,
          .eval_examples = examples_of_evaluation(opening_),
          .eval_batches = batches_of_evaluation(opening_),
          .best_step = best_step,
          .best_metric = train::deciding_score(opening_.length),
          .best_checkpoint = has_best ? best.string() : ""};
}

Json RunRecords::training_summary(const Outcome& outcome) const {
  const double elapsed_s = seconds(), passes = epoch_of(step_);
  const double rows = opening_.plan.steps_per_epoch > 0  // an epoch is then no pass over the rows
                          ? static_cast<double>(step_ * rows_of_step(opening_.plan))
                          : static_cast<double>(outcome.train_examples) * passes;
  return {{"step", step_},
          {"epoch", number(passes)},
          {"train_runtime", number(elapsed_s)},
          {"train_samples_per_second", number(rows / elapsed_s)},
          {"train_steps_per_second", number(static_cast<double>(step_) / elapsed_s)},
          {"train_loss", number(outcome.train_loss)}};
}

std::map<std::string, std::string> RunRecords::checkpoint_files() const {
  if (!log_) return {};
  TrainerState now = state(opening_.trainer.best_step());
  const bool saves_best = now.best_step > 0 && now.best_step == step_;
  if (saves_best) now.best_checkpoint = train::checkpoint_path(opening_.plan.output, step_).string();
  return {{kTrainerStateFile, text_of(now, log_->lines(), window_.saved())}};
}

void RunRecords::finish(const Outcome& outcome) {
  add_steps();  // those before an early stop
  const fs::path& output = opening_.plan.output;
  if (log_) {
    std::vector<Json> lines = log_->lines();
    lines.push_back(training_summary(outcome));
    try_to([&] { replace_file(output / kTrainerStateFile, text_of(state(outcome.best_step), lines)); });
  }
  if (events_file_) try_to([&] { events_file_->add_end(); });
  try_to([&] { write_card(outcome); });
}

void RunRecords::write_card(const Outcome& outcome) {
  const fs::path file = opening_.plan.output / kModelCardFile;
  if (may_write_card(file)) return replace_file(file, model_card(opening_.plan, resolved_options(opening_), outcome));
  events_.notice(file.string() + " stays as it is: it is not the model card of an earlier run");
}

}  // namespace portatune::run
