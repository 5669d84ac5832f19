#include "portatune/run/probes/probe_json.h"

#include <nlohmann/json.hpp>

#include "portatune/io/text/json.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;
using parity::ComparedStep;
using parity::Drift;

Json json_of(const RunSetting& setting) {
  return {{"device", setting.device.device},
          {"kernels", setting.device.use_kernels},
          {"dtype", name_of(setting.dtype)},
          {"mesh", to_string(setting.device.mesh)}};
}

Json json_of(const ComparedStep& s, const parity::DriftTolerance& t) {
  Json json = {{"step", s.step},
               {"loss", s.loss},
               {"loss_apart", s.loss_apart()},
               {"grad_norm", s.grad_norm},
               {"grad_norm_apart", s.grad_norm_apart()},
               {"passed", s.passed(t)}};
  if (s.has_tensors) json.update({{"gradients_apart", s.gradient}, {"parameters_apart", s.parameter}});
  return json;
}

Json json_of(const Drift& d) {
  return {{"kind", name_of(d.kind)}, {"tensor", d.tensor},   {"step", d.step},
          {"apart", d.apart},        {"allowed", d.allowed}, {"passed", d.passed()}};
}

Json json_of(const std::vector<Drift>& drifts) {
  Json json = Json::array();
  for (const Drift& d : drifts) json.push_back(json_of(d));
  return json;
}

}  // namespace

std::string json_of(const ComparedRuns& runs) {
  const parity::RunComparison& c = runs.comparison;
  Json steps = Json::array();
  for (const ComparedStep& step : c.steps) steps.push_back(json_of(step, c.tolerance));
  Json json = {{"first", json_of(runs.settings[0])},
               {"second", json_of(runs.settings[1])},
               {"passed", c.passed()},
               {"loss_apart_max", c.max_loss_apart()},
               {"loss_apart_mean", c.mean_loss_apart()},
               {"first_drift", nullptr},
               {"not_finite", nullptr},
               {"tolerance",
                {{"loss", c.tolerance.loss},
                 {"grad_norm", c.tolerance.grad_norm},
                 {"gradient", c.tolerance.gradient},
                 {"parameter", c.tolerance.parameter},
                 {"rounding", c.tolerance.rounding},
                 {"small", c.tolerance.small}}},
               {"steps", steps},
               {"gradients", json_of(c.gradients)},
               {"parameters", json_of(c.parameters)},
               {"beyond_with_first", json_of(c.first_beyond)}};
  if (!c.first_beyond.empty()) json["first_drift"] = json_of(c.first_beyond.front());
  if (c.not_finite) {
    json["not_finite"] = {{"run", c.not_finite->run == 0 ? "first" : "second"},
                          {"step", c.not_finite->step},
                          {"first", c.not_finite->first}};
  }
  return io::line_of(json);
}

std::string json_of(const InputTimes& m) {
  Json stages = Json::array();
  const auto object = [&](const std::string& name, double seconds) {
    return Json{{"stage", name},
                {"seconds", seconds},
                {"examples_per_second", rate(m.examples, seconds)},
                {std::string(m.tokens.unit) + "_per_second", rate(m.tokens.real, seconds)}};
  };
  for (const data::Meter::Stage& stage : m.stages) stages.push_back(object(stage.name, stage.seconds));
  Json all = object("all", m.seconds);
  all.update({{"stages", stages},
              {"passes", m.passes},
              {"batches", m.batches},
              {"examples", m.examples},
              {m.tokens.unit, m.tokens.real},
              {"positions", m.tokens.positions}});
  return io::line_of(all);
}

std::string json_of(const StepTimes& times) {
  return io::line_of(
      {{"step_seconds", times.seconds}, {"compile_seconds", times.compile_seconds}, {"from_cache", times.from_cache}});
}

}  // namespace portatune::run
