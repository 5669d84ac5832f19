#include "portatune/train/state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "portatune/error.h"
#include "portatune/hub/checkpoint_manifest.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/file.h"
#include "portatune/io/file/free_space.h"
#include "portatune/processes/shared_directory.h"
#include "portatune/runtime/machine_memory.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/checkpoint/run_record.h"
#include "portatune/train/checkpoint/save_folder.h"
#include "portatune/train/finite.h"
#include "portatune/train/options.h"
#include "portatune/train/schedule.h"

namespace portatune::train {
namespace {

std::string shape_of(const Signature& signature) { return to_string(signature.front().second.shape); }

// The learning rates of a step, as its input.
Tensor rates_at(const ScheduleMoment& moment, const LearningRates& rates, const TrainingOptions& options) {
  std::vector<float> values;
  for (const double peak : rates.peaks(options.learning_rate)) {
    values.push_back(static_cast<float>(scheduled(peak, options, moment)));
  }
  return Tensor(rates.type().shape, std::span<const float>(values));
}

// The same for a step with a learning rate of its own, which scales the rates of groups and layers as a schedule does.
Tensor rates_for(double learning_rate, const LearningRates& rates, const TrainingOptions& options) {
  const double factor = options.learning_rate > 0 ? learning_rate / options.learning_rate : learning_rate;
  std::vector<float> values;
  for (const double peak : rates.peaks(options.learning_rate)) {
    const bool is_default = peak == options.learning_rate;
    values.push_back(static_cast<float>(is_default ? learning_rate : peak * factor));
  }
  return Tensor(rates.type().shape, std::span<const float>(values));
}

// Keys of programs.
std::string key_of_step(const Signature& batch) { return "step " + describe(batch); }
std::string key_of_evaluation(const Signature& batch) { return "evaluation " + describe(batch); }
std::string key_of_gradients(const Signature& batch) { return "gradients " + describe(batch); }

void append(std::vector<DeviceArray*>& arguments, std::vector<DeviceArray>& more) {
  for (DeviceArray& array : more) arguments.push_back(&array);
}

std::vector<TensorView> arrays_of(const data::Example& batch, const Signature& signature) {
  std::vector<TensorView> arrays;
  for (const auto& [name, type] : signature) arrays.push_back(batch.tensor(name).view());
  return arrays;
}

// "part 3 of 4", "parts 2 to 3 of 4", counted from 1
std::string describe(const BatchShare& share) {
  if (share.is_all()) return "all";
  const int64_t first = share.begin + 1;
  const std::string parts = first == share.end ? "part " : "parts " + std::to_string(first) + " to ";
  return parts + std::to_string(share.end) + " of " + std::to_string(share.parts);
}

// Requires that a batch with local rows alone has those of this process. Its other rows are zeros.
void require_local_rows(const data::Example& batch, const Device& device) {
  if (batch.local_rows() == nullptr) return;
  const BatchShare share = batch_share(device.mesh(), device.processes());
  if (batch.local_rows()->share == share) return;
  throw UsageError({.where = "the batch that begins at " + to_string(batch.origin()),
                    .given = "a batch with " + describe(batch.local_rows()->share) + " of its rows",
                    .expected = describe(share) + ", the local rows of this process",
                    .fix = "make batches for batch_share(device.mesh(), device.processes())"});
}

// The name of a row in any folder: its line, or the file name if the file is one row.
std::string name_of(const data::Origin& row) {
  const bool is_file = row.file && row.row < 0;
  return is_file ? std::filesystem::path(*row.file).filename().string() : std::to_string(row.row);
}

// The hash of a batch, equal in all processes if they read the same rows. Each may have arrays of its local rows alone.
uint64_t hash_of(const data::Example& batch, const Signature& signature) {
  if (batch.local_rows() == nullptr) return io::hash_of(arrays_of(batch, signature));
  const data::BatchType& own = batch.local_rows()->arrays;
  Signature shared;
  for (const auto& array : signature) {
    if (std::ranges::find(own, array.first, &data::BatchType::value_type::first) == own.end()) shared.push_back(array);
  }
  std::string rows;
  for (const data::Origin& row : batch.row_origins()) rows += name_of(row) + "\n";
  return io::hash_of(arrays_of(batch, shared)) * 31 + io::hash_of(rows);
}

// Each process puts its local rows on its devices, so all must have read the same batch.
void require_same(const data::Example& batch, const Signature& signature, ProcessGroup& processes) {
  const std::optional<int64_t> other = first_with_another(&processes, hash_of(batch, signature));
  if (!other) return;
  throw DataError({.where = to_string(batch.origin()),
                   .given = "different batches in process " + std::to_string(*other) + " and process 0",
                   .expected = "the same rows in the same order in all processes",
                   .fix = "give all processes the same files and options"});
}

void require_same(const Position& position, ProcessGroup* processes) {
  std::string text = std::to_string(position.step) + " " + position.data;
  for (const auto& [name, value] : position.run) text += "\n" + name + " " + value;
  const std::optional<int64_t> other = first_with_another(processes, io::hash_of(text));
  if (!other) return;
  throw UsageError({.where = "process " + std::to_string(*other),
                    .given = "options, training files or a checkpoint other than those of process 0",
                    .expected = "the same in all processes"});
}

// Whether a run with a schedule of known length had ended at this position.
bool has_ended(const Position& position) {
  const bool is_at_the_end = position.total_steps > 0 && position.step >= position.total_steps;
  return is_at_the_end || position.evaluations.stopped_early;
}

// Checked by the first process, which alone writes the folder, or moves it into place.
void require_place(SharedDirectory& directory, const std::filesystem::path& folder) {
  if (directory.rank() == 0) directory.attempt([&] { require_place_to_save(folder, directory.staging()); });
}

// Writes the files of a model, its weights included.
hub::FileSums write_model(SharedDirectory& directory, const std::filesystem::path& place, const Weights& files,
                          const std::vector<NamedArray>& weights) {
  if (directory.rank() == 0) directory.attempt([&] { files.save_files(directory.staging()); });
  return write_arrays(directory, files.stem(), weights, [&](const NamedTensorView& weight) {
    require_finite("saving to " + place.string(), {&weight, 1});
  });
}

// Checksums of the files that all processes have written.
hub::FileSums sums_of_all(const SharedDirectory& directory, const hub::FileSums& own) {
  hub::FileSums all;
  for (const std::string& text : directory.texts_of_all(hub::text_of_sums(own)))
    all.merge(hub::sums_in(text, "sums of files"));
  return all;
}

// Called before the first byte is written: the error of a full disk says only that it is full.
void require_space(SharedDirectory& directory, int64_t bytes, const std::string& what) {
  if (directory.rank() == 0) directory.attempt([&] { io::require_free_bytes(directory.staging(), bytes, what); });
}

// The types of all arrays in a checkpoint, in their order.
std::vector<TensorType> types_of(const std::vector<NamedArray>& weights, const std::vector<NamedArray>& slots) {
  std::vector<TensorType> types;
  for (const auto* arrays : {&weights, &slots}) {
    for (const NamedArray& array : *arrays) types.push_back(array.type);
  }
  return types;
}

// Whether this process writes each of these arrays.
std::vector<bool> is_written_here(const std::vector<NamedArray>& weights, const std::vector<NamedArray>& slots,
                                  const ProcessGroup& processes) {
  std::vector<bool> is_written;
  for (const auto* arrays : {&weights, &slots}) {
    for (const int64_t writer : writers_of(*arrays, processes.size())) is_written.push_back(writer == processes.rank());
  }
  return is_written;
}

int64_t bytes_of(const std::vector<TensorType>& types) {
  int64_t bytes = 0;
  for (const TensorType& type : types) bytes += type.bytes();
  return bytes;
}

int64_t free_memory() {
  const DeviceMemory memory = machine_memory();
  return *memory.limit_bytes - memory.in_use_bytes;
}

// Returns whether an old entry stays. Checkpoints stay, too.
bool is_kept(const std::filesystem::directory_entry& entry) { return entry.is_directory() || !is_replaced(entry); }

}  // namespace

double scalar(const DeviceArray& array) { return array.to_host().as<float>()[0]; }

Evaluated StartedEvaluation::finish() {
  Evaluated evaluated{.batch = std::move(batch_), .loss_sum = scalar(results_[0]), .weight_sum = scalar(results_[1])};
  evaluated.outputs = data::Example(evaluated.batch.origin());
  for (size_t i = 0; i < outputs_->size(); ++i) evaluated.outputs.set((*outputs_)[i], results_[2 + i].to_host());
  return evaluated;
}

TrainingState::TrainingState(const Device& device, const Task& task, TrainingOptions options)
    : device_(device),
      task_(task),
      options_(std::move(options)),
      weights_(device, task, options_),
      programs_(device, [this](const std::vector<nn::Parameter>& parameters) { weights_.load(parameters); }) {
  check(options_);
  position_.run = facts_of(options_, device.mesh());
  position_.machine = machine_facts(device);
  require_same(position_, processes());
  position_.progress = first_progress(options_.dtype);
}

void TrainingState::plan_step(const Signature& batch, std::vector<ModelProgram>& programs) {
  const std::string key = key_of_step(batch);
  if (programs_.has(key)) return;
  StepProgram plan = step_program(task_, batch, step_options(options_, device_.mesh()));
  layouts_.insert_or_assign(key, std::move(plan.layout));
  learning_rates_.insert_or_assign(key, std::move(plan.learning_rates));
  programs.push_back(
      {key, "training step for " + shape_of(batch), std::move(plan.function), std::move(plan.parameters)});
}

void TrainingState::plan_evaluation(const Signature& batch, std::vector<ModelProgram>& programs) {
  const std::string key = key_of_evaluation(batch);
  if (programs_.has(key)) return;
  EvaluationProgram plan = evaluation_program(task_, batch, step_options(options_, device_.mesh()));
  outputs_.insert_or_assign(key, std::move(plan.outputs));
  programs.push_back({key, "evaluation of " + shape_of(batch), std::move(plan.function), std::move(plan.parameters)});
}

void TrainingState::load(const data::Example& batch) {
  if (!weights_.empty()) return;
  weights_.load(
      evaluation_program(task_, signature_of(task_, batch), step_options(options_, device_.mesh())).parameters);
}

int64_t TrainingState::compile(const std::vector<Signature>& steps, const std::vector<Signature>& evaluations) {
  std::vector<ModelProgram> programs;
  for (const Signature& batch : steps) plan_step(batch, programs);
  for (const Signature& batch : evaluations) plan_evaluation(batch, programs);
  programs_.compile(programs, [this](const std::string& what, double seconds, bool from_cache) {
    if (callback_ != nullptr) callback_->on_compile(what, seconds, from_cache);
  });
  return std::ssize(programs);
}

std::vector<DeviceArray> TrainingState::put(const data::Example& batch, const Signature& signature) const {
  require_local_rows(batch, device_);
  if (processes() != nullptr) require_same(batch, signature, *processes());
  std::vector<DeviceArray> arrays;
  for (const auto& [name, type] : signature) arrays.push_back(device_.put(batch.tensor(name).view(), kBatchSharding));
  return arrays;
}

void TrainingState::set_schedule(int64_t total_steps) {
  if (!depends_on_total_steps(options_)) return;
  const bool resumed_just_now = !resumed_from_.empty() && !weights_.have_optimizer_state();
  if (resumed_just_now) {
    require_fitting_schedule(resumed_from_, has_ended(position_), position_.total_steps, total_steps);
  }
  position_.total_steps = total_steps;
}

StepResult TrainingState::start_step(const data::Example& batch, std::optional<double> learning_rate) {
  const Signature signature = signature_of(task_, batch);
  compile({signature}, {});
  const std::string key = key_of_step(signature);
  const Program& program = programs_.at(key);
  const StepLayout& layout = layouts_.at(key);
  weights_.load_optimizer_state();
  if (progress_.empty()) progress_ = train::put(device_, position_.progress);
  const int64_t step = position_.step + 1;
  const ScheduleMoment moment{
      .step = step, .total_steps = position_.total_steps, .reductions = position_.evaluations.plateau.reductions};

  std::vector<DeviceArray> inputs = put(batch, signature);
  const LearningRates& rates = learning_rates_.at(key);
  DeviceArray rates_of_step =
      device_.put(learning_rate ? rates_for(*learning_rate, rates, options_) : rates_at(moment, rates, options_));
  DeviceArray random_key_of_step = device_.put(random_key(options_.seed, step));
  std::vector<DeviceArray*> arguments(layout.arguments());
  weights_.set_arguments(layout, arguments);
  for (const ProgressArray array : {ProgressArray::kCounters, ProgressArray::kLossScale}) {
    arguments[layout.progress(array)] = &progress_[static_cast<size_t>(array)];
  }
  for (size_t i = 0; i < signature.size(); ++i) arguments[layout.batch(signature[i].first)] = &inputs[i];
  arguments[layout.input(StepInput::kLearningRates)] = &rates_of_step;
  arguments[layout.input(StepInput::kRandomKey)] = &random_key_of_step;
  std::vector<DeviceArray> results = program.run(arguments);
  for (const auto& [argument, result] : layout.replaced()) *arguments[argument] = std::move(results[result]);
  const auto number = [&](StepNumber of) { return std::move(results[layout.result(of)]); };
  position_.step = step;  // last, because the lines above may throw
  position_.data.clear();
  return StepResult(step, learning_rate.value_or(train::learning_rate(options_, moment)), task_.tokens(batch),
                    {.loss = number(StepNumber::kLoss),
                     .weight = number(StepNumber::kWeight),
                     .grad_norm = number(StepNumber::kGradNorm),
                     .loss_scale = number(StepNumber::kLossScale)});
}

Progress TrainingState::progress() const { return progress_.empty() ? position_.progress : progress_of(progress_); }

void TrainingState::set_updates(int64_t updates) {
  constexpr int64_t kMaxUpdates = std::numeric_limits<int32_t>::max();  // the device counts in 32 bits
  if (updates < 0 || updates > kMaxUpdates) {
    throw UsageError({.where = "updates",
                      .given = std::to_string(updates),
                      .expected = "a number of at least 0 and at most " + std::to_string(kMaxUpdates)});
  }
  position_.progress = progress();
  position_.progress.updates = updates;
  progress_.clear();
}

bool TrainingState::has_averages() const { return options_.ema > 0 && progress().updates > 0; }

void TrainingState::restore(const std::filesystem::path& checkpoint) {
  const bool from_start = checkpoint.empty();
  if (!from_start) verify_checkpoint(checkpoint);
  const Progress then = from_start ? first_progress(options_.dtype) : read_position(checkpoint).progress;
  weights_.restore(checkpoint);
  position_.progress = then;
  kept_updates_ = then.updates;
  progress_.clear();
}

void TrainingState::rewind(int64_t step) {
  restore(last_checkpoint_);
  position_.step = step;
  position_.data.clear();
  ++position_.rewinds.all;
  ++position_.rewinds.in_a_row;
}

void TrainingState::restore_before(int64_t step) {
  position_.progress = progress();
  position_.progress.void_steps = 0;
  progress_.clear();
  position_.step = step - 1;
  position_.data.clear();
}

std::string TrainingState::first_not_finite(const data::Example& batch) {
  const Signature signature = signature_of(task_, batch);
  for (const auto& [name, type] : signature) {
    // Decided by all processes together: one may have the images of its local rows alone.
    if (in_any(processes(), !is_finite(batch.tensor(name).view()))) return "\"" + name + "\" of the batch";
  }
  const std::string weight = weights_.first_not_finite();
  if (!weight.empty()) return "the weight " + weight + ", before the step";

  DiagnosisProgram plan = diagnosis_program(task_, signature, step_options(options_, device_.mesh()));
  const std::vector<DeviceArray> results = run_gradients(device_.compile(plan.function), batch, signature);
  if (!std::isfinite(scalar(results[0]))) return "the loss";
  const Tensor squares = results[1].to_host();
  for (size_t i = 0; i < plan.trainable.size(); ++i) {
    if (!std::isfinite(squares.as<float>()[i])) return "the gradient of " + plan.trainable[i];
  }
  return {};
}

std::vector<DeviceArray> TrainingState::run_gradients(const Program& program, const data::Example& batch,
                                                      const Signature& signature) {
  std::vector<DeviceArray> inputs;
  inputs.push_back(device_.put(Tensor({}, {static_cast<float>(progress().loss_scale)})));
  for (DeviceArray& array : put(batch, signature)) inputs.push_back(std::move(array));
  inputs.push_back(device_.put(random_key(options_.seed, position_.step + 1)));
  std::vector<DeviceArray*> arguments = weights_.arguments();
  append(arguments, inputs);
  return program.run(arguments);
}

Gradients TrainingState::gradients(const data::Example& batch) {
  const Signature signature = signature_of(task_, batch);
  const std::string key = key_of_gradients(signature);
  if (!programs_.has(key)) {
    GradientProgram plan = gradient_program(task_, signature, step_options(options_, device_.mesh()));
    programs_.compile(
        {{key, "gradients of " + shape_of(signature), std::move(plan.function), std::move(plan.parameters)}}, {});
  }
  const std::vector<DeviceArray> results = run_gradients(programs_.at(key), batch, signature);
  Gradients gradients{.loss = scalar(results[0]), .by_parameter = {}};
  for (size_t i = 0; i < weights_.names().size(); ++i) {
    if (!weights_.is_trained(i)) continue;
    gradients.by_parameter.emplace_back(weights_.names()[i], results[gradients.by_parameter.size() + 1].to_host());
  }
  return gradients;
}

StartedEvaluation TrainingState::start_evaluation(data::Example batch) {
  const Signature signature = signature_of(task_, batch);
  compile({}, {signature});
  const std::string key = key_of_evaluation(signature);
  std::vector<DeviceArray> inputs = put(batch, signature);
  std::vector<DeviceArray*> arguments = weights_.arguments();
  append(arguments, inputs);
  return StartedEvaluation(std::move(batch), programs_.at(key).run(arguments), outputs_.at(key));
}

void TrainingState::require_weights(const std::filesystem::path& folder) const {
  if (!weights_.empty()) return weights_.require_whole();
  throw UsageError({.where = "saving to " + folder.string(),
                    .given = "a trainer without a batch so far",
                    .expected = "a step or an evaluation before saving, which loads the weights"});
}

// The first process writes one file, as models are usually published.
void TrainingState::save(const std::filesystem::path& folder) const {
  require_weights(folder);
  SharedDirectory directory(folder, processes(), 1);
  require_space(directory, weights_.bytes(), "the model");
  write_model(directory, folder, weights_, weights_.named_weights());
  if (directory.rank() == 0 && position_.step > 0) {
    directory.attempt([&] {
      write_run_record(directory.staging(), {.steps = position_.step,
                                             .stopped_early = position_.evaluations.stopped_early,
                                             .planned_steps = position_.evaluations.planned_steps,
                                             .run = position_.run,
                                             .machine = position_.machine,
                                             .deviations = position_.deviations,
                                             .initial_scores = position_.initial_scores});
    });
  }
  require_place(directory, folder);
  directory.commit({}, is_kept);
}

Checkpoint TrainingState::checkpoint_of_now(const std::filesystem::path& folder) {
  require_weights(folder);
  weights_.load_optimizer_state();  // for a checkpoint before the first step
  Position position = position_;
  position.progress = progress();
  if (position.progress.updates > kept_updates_) position.rewinds.in_a_row = 0;
  if (position.progress.void_steps > 0) {
    position.step -= position.progress.void_steps;
    position.data.clear();
  }
  Checkpoint checkpoint{folder, std::move(position), weights_.named_weights(), weights_.named_slots()};
  if (checkpoint_files_) checkpoint.files = checkpoint_files_();
  return checkpoint;
}

void TrainingState::save_checkpoint(const std::filesystem::path& folder) {
  Checkpoint checkpoint = checkpoint_of_now(folder);
  write(checkpoint);
  set_last_checkpoint(checkpoint);
}

void TrainingState::prepare_copies() {
  if (copies_ || !may_copy_) return;
  const std::vector<NamedArray> weights = weights_.named_weights(), slots = weights_.named_slots();
  const std::vector<TensorType> types = types_of(weights, slots);
  // All processes may be on one machine, where their parts add up to the whole state.
  if (in_any(processes(), bytes_of(types) > free_memory())) return;
  if (processes() == nullptr) {
    copies_.emplace(types);
    return;
  }
  if (!save_group_) {
    save_group_ = processes()->duplicate();
    wait_for_all(save_group_.get());  // connects the group here, and not on the thread that writes
  }
  copies_.emplace(types, is_written_here(weights, slots, *processes()));
}

std::optional<Checkpoint> TrainingState::copy_checkpoint(const std::filesystem::path& folder) {
  Checkpoint checkpoint = checkpoint_of_now(folder);
  prepare_copies();
  if (!copies_) return std::nullopt;
  if (in_any(processes(), !copies_->is_allocated())) {
    copies_.reset();
    return std::nullopt;
  }
  if (save_group_) {
    checkpoint.directory = open_directory(folder, save_group_.get(), /*needs_all=*/false);
    may_copy_ = checkpoint.directory->writers() == save_group_->size();
    if (!may_copy_) {
      copies_.reset();
      return std::nullopt;
    }
  }
  std::vector<NamedArray*> arrays;
  for (NamedArray& array : checkpoint.weights) arrays.push_back(&array);
  for (NamedArray& array : checkpoint.slots) arrays.push_back(&array);
  copies_->copy(arrays);
  checkpoint.is_copied = true;
  return checkpoint;
}

// needs_all  whether every process must write
std::unique_ptr<SharedDirectory> TrainingState::open_directory(const std::filesystem::path& folder,
                                                               ProcessGroup* processes, bool needs_all) const {
  // Every process must see the checkpoint for a later rewind.
  const bool must_see = needs_all || options_.on_non_finite == OnNonFinite::kRewind;
  const auto unseen = must_see ? SharedDirectory::Unseen::kIsAnError : SharedDirectory::Unseen::kLeavesItToTheFirst;
  return std::make_unique<SharedDirectory>(folder, processes, processes == nullptr ? 1 : processes->size(), unseen);
}

void TrainingState::write(Checkpoint& checkpoint) const {
  const std::filesystem::path& folder = checkpoint.folder;
  const std::unique_ptr<SharedDirectory> owner = checkpoint.directory
                                                     ? std::move(checkpoint.directory)
                                                     : open_directory(folder, processes(), checkpoint.is_copied);
  SharedDirectory& directory = *owner;
  require_space(directory, bytes_of(types_of(checkpoint.weights, checkpoint.slots)), "a checkpoint");
  hub::FileSums sums = write_model(directory, folder, weights_, checkpoint.weights);
  require_place(directory, folder);
  if (!checkpoint.slots.empty()) sums.merge(write_arrays(directory, kOptimizerStem, checkpoint.slots));
  sums = sums_of_all(directory, sums);
  const auto finish = [&] {
    SavedArrays(directory.staging(), weights_.stem());  // checks them
    if (!checkpoint.slots.empty()) SavedArrays(directory.staging(), kOptimizerStem);
    write_position(directory.staging(), checkpoint.position);
    for (const auto& [name, text] : checkpoint.files) io::write_file(directory.staging() / name, text);
    hub::write_manifest(directory.staging(), sums);
  };
  directory.commit(finish, is_kept);
}

void TrainingState::set_last_checkpoint(const Checkpoint& checkpoint) {
  last_checkpoint_ = checkpoint.folder;
  kept_updates_ = checkpoint.position.progress.updates;
  position_.rewinds = checkpoint.position.rewinds;
}

// Replaces the facts of the original run. Only allowed differences are left at this point.
void TrainingState::take_facts_of_this_run(Position& position) const {
  RunFacts saved, now;
  for (const std::string& name : options_.may_differ) {
    if (const auto fact = position.run.find(name); fact != position.run.end()) saved.insert(*fact);
    if (const auto fact = position_.run.find(name); fact != position_.run.end()) now.insert(*fact);
    position.run.erase(name);
  }
  position.run.insert(now.begin(), now.end());
  if (!position.machine.empty()) {
    saved.merge(position.machine);
    now.insert(position_.machine.begin(), position_.machine.end());
  }
  position.machine = position_.machine;
  const std::string differences = describe_differences(saved, now);
  if (differences.empty()) return;
  position.deviations.push_back("after step " + std::to_string(position.step) + ": " + differences);
}

void TrainingState::resume(const std::filesystem::path& folder) {
  if (weights_.have_optimizer_state()) {
    throw UsageError({.where = "resuming from " + folder.string(),
                      .given = "a trainer after its first step",
                      .expected = "resume() before the first step"});
  }
  verify_checkpoint(folder);
  Position position = read_position(folder);
  require_same_run(folder, position.run, position_.run, options_.may_differ);
  if (!options_.allow_different_bits) require_same_machine(folder, position.machine, position_.machine);
  take_facts_of_this_run(position);
  if (depends_on_total_steps(options_) && options_.total_steps > 0) {
    require_fitting_schedule(folder, has_ended(position), position.total_steps, options_.total_steps);
  }
  require_same(position, processes());
  position_ = std::move(position);
  resumed_from_ = last_checkpoint_ = folder;
  kept_updates_ = position_.progress.updates;
  weights_.resume_from(folder);
}

}  // namespace portatune::train
