#include "portatune/train/checkpoint/run_facts.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "portatune/base/text/message.h"
#include "portatune/base/text/utf8.h"
#include "portatune/error.h"
#include "portatune/train/optimizers.h"

namespace portatune::train {
namespace {

constexpr const char* kMicroBatches = "gradient_accumulation_steps";
constexpr const char* kSchedule = "lr_scheduler_type";
constexpr const char* kBatchDevices = "devices of the mesh";  // along data and fsdp; the name in checkpoints

// The values of checkpoints from before these settings existed, which do not have them.
const RunFacts kFormerValues = {{kMicroBatches, "1"}, {kBatchDevices, "1"}, {"optim", kAdamW}};

std::string value_in(const RunFacts& facts, const std::string& name) {
  const auto found = facts.find(name);
  if (found != facts.end()) return found->second;
  const auto former = kFormerValues.find(name);
  return former != kFormerValues.end() ? former->second : "none";
}

std::string known_as(const std::string& name) { return name == kBatchDevices ? "devices along data and fsdp" : name; }

void append(std::string& list, const std::string& text) { list += (list.empty() ? "" : ", ") + text; }

std::vector<std::string> differing(const RunFacts& saved, const RunFacts& now) {
  std::set<std::string> names;
  for (const RunFacts* facts : {&saved, &now}) {
    for (const auto& [name, value] : *facts) names.insert(name);
  }
  std::erase_if(names, [&](const std::string& name) { return value_in(saved, name) == value_in(now, name); });
  return {names.begin(), names.end()};
}

// "seed 7, dtype float16"
std::string list_of_facts(const std::vector<std::string>& names, const RunFacts& facts) {
  std::string list;
  for (const std::string& name : names) append(list, known_as(name) + " " + value_in(facts, name));
  return list;
}

UsageError another_run(const std::filesystem::path& checkpoint, std::string given, const std::string& saved,
                       std::string fix) {
  return UsageError({.where = "resuming from " + checkpoint.string(),
                     .given = std::move(given),
                     .expected = saved + ", as in the run that it continues",
                     .fix = std::move(fix)});
}

void require_utf8(const std::string& name, const std::string& value) {
  if (find_invalid_utf8(name + value) == std::string_view::npos) return;
  throw UsageError({.where = name,
                    .given = in_quotes(value) + ", which is not UTF-8",
                    .expected = "UTF-8, the encoding of checkpoints",
                    .fix = "convert the name, and the files that contain it, to UTF-8"});
}

std::string text_of(const Lora& lora) {
  std::string text = "rank " + std::to_string(lora.rank) + ", alpha " + to_text(lora.alpha) + ", dropout " +
                     to_text(lora.dropout) + (lora.use_rslora ? ", rslora" : "") + (lora.use_dora ? ", dora" : "") +
                     ", on " + list_of(lora.target_modules) +
                     (lora.bias == LoraBias::kNone ? "" : ", biases " + name_in_table(lora.bias));
  // The heads are always among the saved modules, and a folder names only those that its model has.
  std::vector<std::string> saved = lora.modules_to_save;
  std::erase_if(saved, [](const std::string& module) {
    return std::ranges::find(kHeadModules, module) != std::ranges::end(kHeadModules);
  });
  if (!saved.empty()) text += ", with " + list_of(saved);
  for (const auto& [module, rank] : lora.rank_pattern) text += ", rank " + std::to_string(rank) + " on " + module;
  for (const auto& [module, alpha] : lora.alpha_pattern) text += ", alpha " + to_text(alpha) + " on " + module;
  return text;
}

}  // namespace

RunFacts facts_of(const TrainingOptions& options, const Mesh& mesh) {
  for (const auto& [name, value] : options.must_match) require_utf8(name, value);
  RunFacts facts = portatune::facts_in(options);
  for (const std::string& name : unused_options(options)) facts.erase(name);
  // Checkpoints have one name for both, which differ in the warm-up alone.
  if (facts.at(kSchedule) == "constant_with_warmup") facts.at(kSchedule) = "constant";
  if (options.lora) facts["lora"] = text_of(*options.lora);
  facts[kBatchDevices] = std::to_string(mesh.size(kBatchAxes));
  for (const auto& [name, value] : options.must_match) facts[name] = value;
  return facts;
}

RunFacts machine_facts(const Device& device) {
  const DeviceFacts known = device.facts();
  RunFacts facts = known.numerics;
  facts["device"] = known.platform;
  facts["mesh"] = to_string(device.mesh());
  facts["exchanges"] = device.target().across_processes ? "by kernels, between processes" : "by the plugin";
  return facts;
}

std::string describe_differences(const RunFacts& saved, const RunFacts& now) {
  std::string text;
  for (const std::string& name : differing(saved, now)) {
    append(text, known_as(name) + " " + value_in(now, name) + " in place of " + value_in(saved, name));
  }
  return text;
}

void require_same_run(const std::filesystem::path& checkpoint, const RunFacts& saved, const RunFacts& now,
                      const std::vector<std::string>& may_differ) {
  std::vector<std::string> names = differing(saved, now);
  for (const char* later : {kModelFact, kValidationDataFact}) {
    if (!saved.contains(later) || !now.contains(later)) std::erase(names, later);
  }
  std::erase_if(names,
                [&](const std::string& name) { return std::ranges::find(may_differ, name) != may_differ.end(); });
  if (names.empty()) return;
  throw another_run(checkpoint, list_of_facts(names, now), list_of_facts(names, saved),
                    "repeat the original values, or start a new run from that folder, which is a complete model");
}

void require_same_machine(const std::filesystem::path& checkpoint, const RunFacts& saved, const RunFacts& now) {
  if (saved.empty()) return;
  const std::vector<std::string> names = differing(saved, now);
  if (names.empty()) return;
  throw another_run(checkpoint, list_of_facts(names, now), list_of_facts(names, saved),
                    "resume in the original environment, which alone gives the same bits, or resume anyway with "
                    "--allow-different-bits; the result records the difference");
}

void require_fitting_schedule(const std::filesystem::path& checkpoint, bool has_ended, int64_t saved_total,
                              int64_t total) {
  const auto length = [](int64_t steps) {
    return steps == 0 ? std::string("no end") : "an end after step " + std::to_string(steps);
  };
  if (saved_total == total || (has_ended && total > saved_total)) return;
  throw another_run(checkpoint, "a schedule with " + length(total), length(saved_total),
                    has_ended ? "set more epochs or steps to train that run further"
                              : "repeat the original number of epochs and steps, and raise it when that run is "
                                "finished; or start a new run from that folder, which is a complete model");
}

}  // namespace portatune::train
