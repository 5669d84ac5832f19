#include "portatune/train/checkpoint/checkpoint.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "portatune/error.h"
#include "portatune/hub/checkpoint_manifest.h"
#include "portatune/io/file/file.h"
#include "portatune/io/safetensors/tensor_files.h"
#include "portatune/io/text/json.h"
#include "portatune/train/checkpoint/run_record.h"

namespace portatune::train {
namespace {

constexpr const char* kStateFile = "training_state.json";
constexpr const char* kFormerStateFile = "trainer_state.json";  // in checkpoints of older versions
constexpr const char* kDataFile = "data_state.json";
constexpr int64_t kMaxDataBytes = 100 << 20;
constexpr int64_t kCheckpointFormat = 2;
constexpr int64_t kMaxSteps = int64_t{1} << 53;  // the largest integer that other readers of JSON hold exactly

nlohmann::ordered_json object_of(const Plateau& plateau) {
  return {{"best", plateau.best ? nlohmann::ordered_json(*plateau.best) : nlohmann::ordered_json()},
          {"without_improvement", plateau.without_improvement},
          {"cooldown", plateau.cooldown},
          {"reductions", plateau.reductions}};
}

Plateau plateau_of(const io::JsonObject& object, int64_t step) {
  Plateau plateau{.best = {},
                  .without_improvement = object.get_int("without_improvement", {0, step}),
                  .cooldown = object.get_int("cooldown", {0, kMaxSteps}),
                  .reductions = object.get_int("reductions", {0, step})};
  if (object.has("best")) plateau.best = object.get_float("best");
  return plateau;
}

// The planned steps are left out unless the run has stopped early, the plateau as long as no schedule uses it.
nlohmann::ordered_json object_of(const Evaluations& evaluations) {
  nlohmann::ordered_json object = {{"step", evaluations.step},
                                   {"scores", json_of(evaluations.scores)},
                                   {"best_step", evaluations.best_step},
                                   {"best_scores", json_of(evaluations.best_scores)},
                                   {"without_improvement", evaluations.without_improvement},
                                   {"stopped_early", evaluations.stopped_early}};
  if (evaluations.planned_steps > 0) object["planned_steps"] = evaluations.planned_steps;
  if (evaluations.plateau != Plateau{}) object["plateau"] = object_of(evaluations.plateau);
  return object;
}

Evaluations evaluations_of(const io::JsonObject& object, int64_t step) {
  const std::optional<io::JsonObject> plateau = object.get_object("plateau");
  return {.step = object.get_int("step", {0, step}),
          .scores = scores_of(object, "scores"),
          .best_step = object.get_int("best_step", {0, step}),
          .best_scores = scores_of(object, "best_scores"),
          .without_improvement = object.get_int("without_improvement", {0, step}),
          .stopped_early = object.get_bool_or("stopped_early", false),
          .planned_steps = object.has("planned_steps") ? object.get_int("planned_steps", {step, kMaxSteps}) : 0,
          .plateau = plateau ? plateau_of(*plateau, step) : Plateau{}};
}

nlohmann::ordered_json object_of(const EndedEpochs& epochs) {
  return {{"omitted_steps", epochs.omitted_steps},
          {"next_begin", epochs.next_begin},
          {"planned_steps", epochs.planned_steps}};
}

EndedEpochs ended_epochs_of(const io::JsonObject& object) {
  return {.omitted_steps = object.get_int("omitted_steps", {0, kMaxSteps}),
          .next_begin = object.get_int("next_begin", {0, kMaxSteps}),
          .planned_steps = object.get_int("planned_steps", {0, kMaxSteps})};
}

std::filesystem::path position_file(const std::filesystem::path& folder) {
  const bool is_old =
      !std::filesystem::exists(folder / kStateFile) && std::filesystem::exists(folder / kFormerStateFile);
  return folder / (is_old ? kFormerStateFile : kStateFile);
}

}  // namespace

bool is_position_file(const std::string& name) {
  return name == kStateFile || name == kFormerStateFile || name == kDataFile || name == hub::kManifestFile;
}

// A damaged checkpoint may lack either file.
bool is_checkpoint(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / kStateFile) || std::filesystem::exists(folder / hub::kManifestFile);
}

void verify_checkpoint(const std::filesystem::path& folder, hub::ValidCheckpoint* last) {
  if (!is_checkpoint(folder)) {
    throw NotFoundError({.where = folder.string(),
                         .given = std::string("no ") + kStateFile,
                         .expected = "a checkpoint of an interrupted run"});
  }
  hub::verify_manifest(folder, last);
}

void write_position(const std::filesystem::path& folder, const Position& position) {
  const nlohmann::ordered_json loss = {{"sum", position.epoch_loss.sum}, {"weight", position.epoch_loss.weight}};
  const nlohmann::ordered_json progress = {{"updates", position.progress.updates},
                                           {"good_steps", position.progress.good_steps},
                                           {"loss_scale", position.progress.loss_scale}};
  const nlohmann::ordered_json rewinds = {{"all", position.rewinds.all}, {"in_a_row", position.rewinds.in_a_row}};
  const nlohmann::ordered_json skips = {{"all", position.skips.all}, {"in_a_row", position.skips.in_a_row}};
  nlohmann::ordered_json state = {{"format", kCheckpointFormat},
                                  {"global_step", position.step},
                                  {"total_steps", position.total_steps},
                                  {"in_epoch", position.in_epoch},
                                  {"epoch_loss", loss},
                                  {"progress", progress},
                                  {"rewinds", rewinds},
                                  {"skips", skips},
                                  {"evaluations", object_of(position.evaluations)},
                                  {"initial_scores", json_of(position.initial_scores)},
                                  {"run", position.run},
                                  {"machine", position.machine},
                                  {"deviations", position.deviations}};
  if (position.ended_epochs != EndedEpochs{}) state["ended_epochs"] = object_of(position.ended_epochs);
  io::write_file(folder / kStateFile, io::indented_text(state));
  if (!position.data.empty()) io::write_file(folder / kDataFile, position.data);
}

Position read_position(const std::filesystem::path& folder) {
  const io::JsonObject state = io::JsonObject::read(position_file(folder));
  state.get_int("format", {kCheckpointFormat, kCheckpointFormat});
  Position position{.step = state.get_int("global_step", {0, kMaxSteps}),
                    .total_steps = state.get_int("total_steps", {0, kMaxSteps}),
                    .in_epoch = {},
                    .epoch_loss = {},
                    .ended_epochs = {},
                    .progress = {},
                    .rewinds = {},
                    .skips = {},
                    .evaluations = {},
                    .run = state.get_string_map("run"),
                    .machine = state.get_string_map("machine"),
                    .deviations = state.get_strings("deviations"),
                    .initial_scores = scores_of(state, "initial_scores"),
                    .data = {}};
  if (const auto loss = state.get_object("epoch_loss")) {
    position.epoch_loss = {.sum = loss->get_float("sum"), .weight = loss->get_float("weight", {.least = 0})};
  }
  if (const auto epochs = state.get_object("ended_epochs")) position.ended_epochs = ended_epochs_of(*epochs);
  position.in_epoch = state.get_bool_or("in_epoch", position.epoch_loss.weight > 0);
  position.progress.updates = position.step;  // for checkpoints from before skipped steps existed
  if (const auto progress = state.get_object("progress")) {
    position.progress = {.updates = progress->get_int("updates", {.least = 0}),
                         .good_steps = progress->get_int("good_steps", {0, kGrowthInterval - 1}),
                         .loss_scale = progress->get_float("loss_scale", {.least = 1})};
  }
  if (const auto rewinds = state.get_object("rewinds")) {
    position.rewinds = {.all = rewinds->get_int("all", {0, position.step}),
                        .in_a_row = rewinds->get_int("in_a_row", {0, kMaxRewinds})};
  }
  if (const auto skips = state.get_object("skips")) {
    position.skips = {.all = skips->get_int("all", {0, position.step}),
                      .in_a_row = skips->get_int("in_a_row", {0, position.step})};
  }
  if (const auto evaluations = state.get_object("evaluations")) {
    position.evaluations = evaluations_of(*evaluations, position.step);
  }
  if (std::filesystem::exists(folder / kDataFile)) position.data = io::read_text(folder / kDataFile, kMaxDataBytes);
  return position;
}

SavedArrays::SavedArrays(const std::filesystem::path& folder, const char* stem)
    : files_(io::open_tensor_files(folder, stem)),
      listed_in_(files_.size() == 1 ? files_[0].path() : folder / io::tensor_index_file(stem)) {
  if (!files_.empty()) return;
  throw NotFoundError({.where = folder.string(),
                       .given = "no " + io::tensor_file(stem) + " and no " + io::tensor_index_file(stem),
                       .expected = "a checkpoint of an interrupted run"});
}

Tensor SavedArrays::read(const std::string& name, const TensorType& type) const {
  std::optional<TensorView> found;
  for (size_t i = 0; i < files_.size() && !found; ++i) found = files_[i].find(name);
  if (!found || found->type != type) {
    throw CheckpointError({.where = listed_in_.string() + ", tensor " + name,
                           .given = found ? to_string(found->type) : "no such tensor",
                           .expected = to_string(type) + ", the type of the model's parameter"});
  }
  Tensor tensor(type);
  std::memcpy(tensor.data(), found->data, static_cast<size_t>(type.bytes()));
  for (const io::SafetensorsFile& file : files_) file.require_whole();
  return tensor;
}

}  // namespace portatune::train
