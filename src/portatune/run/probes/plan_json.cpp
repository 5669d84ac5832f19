#include "portatune/run/probes/plan_json.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "portatune/io/text/json.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const plan::Memory& memory) {
  Json json = {{"parameters", memory.parameters}, {"optimizer", memory.optimizer()},   {"batch", memory.batch},
               {"layout", memory.layout},         {"temporaries", memory.temporaries}, {"code", nullptr},
               {"total", memory.total()}};
  if (memory.has_code()) json["code"] = memory.code;
  json["slots"] = memory.slots;
  return json;
}

// The sizes of the arguments of a program that the compiler has refused.
Json json_of_arguments(const plan::Memory& memory) {
  return {{"parameters", memory.parameters},
          {"optimizer", memory.optimizer()},
          {"batch", memory.batch},
          {"layout", nullptr},
          {"temporaries", nullptr},
          {"code", nullptr},
          {"total", nullptr},
          {"slots", memory.slots}};
}

Json json_of(const std::optional<double>& cost) { return cost ? Json(*cost) : Json(); }

Json json_of(const plan::ShapePlan& shape) {
  Json arrays = Json::object();
  for (const auto& [name, type] : shape.shape.batch) arrays[name] = to_string(type);
  Json flops = Json::object();
  for (const auto& [dtype, count] : shape.step.work.flops) flops[std::string(name_of(dtype))] = count;
  return {{"batch", arrays},
          {"steps", shape.shape.steps},
          {"memory", json_of(shape.step.memory)},
          {"flops", flops},
          {"bytes", shape.step.work.bytes},
          {"xla_flops", json_of(shape.step.xla_flops)},
          {"xla_bytes", json_of(shape.step.xla_bytes)},
          {"sent_bytes", shape.step.work.sent_bytes},
          {"compute_seconds", shape.time.compute_s},
          {"memory_seconds", shape.time.memory_s},
          {"exchange_seconds", shape.time.exchange_s},
          {"step_seconds", shape.time.seconds()},
          {"compile_seconds", shape.step.compile_s}};
}

Json json_of(const plan::LargestBatch& found) {
  Json json = {{"fits", found.fits}, {"too_large", nullptr}};
  if (found.too_large) json["too_large"] = *found.too_large;
  return json;
}

void add_figures(Json& json, const plan::PlannedTarget& target, const PlannedRun& run) {
  const plan::MeanStep step = plan::mean_step(target.outcome.shapes);
  json["memory"] = json_of(target.outcome.memory);
  json["flops_per_step"] = step.flops;
  json["bytes_per_step"] = step.bytes;
  json["sent_bytes_per_step"] = step.sent_bytes;
  json["step_seconds"] = step.seconds;
  json["model_flops_utilization_at_most"] = step.compute_s / step.seconds;
  json["epoch_seconds"] = nullptr;
  if (run.steps_per_epoch) json["epoch_seconds"] = step.seconds * static_cast<double>(*run.steps_per_epoch);
  json["compile_seconds"] = target.compile_seconds();
  json["shapes"] = Json::array();
  for (const plan::ShapePlan& shape : target.outcome.shapes) json["shapes"].push_back(json_of(shape));
}

Json json_of(const plan::PlannedTarget& target, const PlannedRun& run) {
  Json json = {{"target", target.target.name}, {"devices", target.target.devices}};
  if (!target.unavailable.empty()) {
    json["unavailable"] = target.unavailable;
    return json;
  }
  const bool is_known = target.has_figures() || !target.outcome.refusal.empty();
  json["compiles"] = is_known ? Json(target.has_figures()) : Json();
  if (!target.slow.empty()) json["slow"] = target.slow;
  if (!target.outcome.refusal.empty()) json["reason"] = target.outcome.refusal;
  if (target.has_figures() || target.outcome.is_too_large) json["fits"] = target.outcome.fits;
  json["memory_capacity"] = target.memory_bytes;
  json["peaks"] = {{"float32_flops_per_second", target.peaks.float32},
                   {"bfloat16_flops_per_second", target.peaks.bfloat16},
                   {"bytes_per_second", target.peaks.bytes},
                   {"link_bytes_per_second", target.peaks.links}};
  if (target.has_figures()) {
    add_figures(json, target, run);
  } else if (target.outcome.is_too_large) {
    json["memory"] = json_of_arguments(target.outcome.memory);
  }
  if (target.largest_batch) json["largest_batch"] = json_of(*target.largest_batch);
  if (target.outcome.is_too_large) {
    json["fits_with"] = Json::array();
    for (const plan::Remedy& remedy : target.remedies) {
      json["fits_with"].push_back({{"dtype", name_of(remedy.dtype)},
                                   {"remat", name_in_table(remedy.remat)},
                                   {"mesh", to_string(remedy.mesh)},
                                   {"batch_size", remedy.batch_size}});
    }
  }
  return json;
}

}  // namespace

std::string json_of(const PlannedRun& run, const std::vector<plan::PlannedTarget>& targets) {
  Json json = {{"batch_size", run.batch_size}, {"dtype", name_of(run.dtype)}, {"remat", name_in_table(run.remat)},
               {"mesh", to_string(run.mesh)},  {"examples", nullptr},         {"steps_per_epoch", nullptr},
               {"targets", Json::array()}};
  if (run.examples) json["examples"] = *run.examples;
  if (run.steps_per_epoch) json["steps_per_epoch"] = *run.steps_per_epoch;
  for (const plan::PlannedTarget& target : targets) json["targets"].push_back(json_of(target, run));
  return io::line_of(json);
}

}  // namespace portatune::run
