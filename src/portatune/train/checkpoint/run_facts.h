// What a resumption must have in common with the run that it continues, so that it ends where that would have.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "portatune/train.h"

namespace portatune::train {

/// Values by name, such as {"seed", "42"}.
using RunFacts = std::map<std::string, std::string>;

/// The name of the model that training starts from. Older checkpoints do not have it.
inline constexpr const char* kModelFact = "model";

/// All options that decide about weights, how many devices the batches are divided over, and `must_match`; but
/// total_steps, which fit() may work out.
/// errors  UsageError for a text in `must_match` that is not UTF-8, as checkpoints keep them
RunFacts facts_of(const TrainingOptions& options, const Mesh& mesh);

/// What decides about the last bits beside those: kernels, plugin, flags, instruction set, mesh, exchanges.
RunFacts machine_facts(const Device& device);

/// What differs in facts of either, those of this run first: "seed 7 in place of 42". Empty: nothing.
std::string describe_differences(const RunFacts& saved, const RunFacts& now);

/// The model is compared only where both name it.
/// may_differ  names of facts that need not be equal
/// errors      UsageError with the values of both for all else that differs
void require_same_run(const std::filesystem::path& checkpoint, const RunFacts& saved, const RunFacts& now,
                      const std::vector<std::string>& may_differ = {});

/// Requires that the machine gives the same bits. Checkpoints that do not tell theirs are not compared.
/// errors  UsageError with the values of both for all that differs
void require_same_machine(const std::filesystem::path& checkpoint, const RunFacts& saved, const RunFacts& now);

/// Whether the learning rate may go on from a checkpoint: by the same schedule, or by a longer one after the end of the
/// run.
/// step    steps that the checkpoint has
/// total   steps after which the learning rate is 0; 0: it does not fall
/// errors  UsageError with both totals
void require_fitting_schedule(const std::filesystem::path& checkpoint, int64_t step, int64_t saved_total,
                              int64_t total);

}  // namespace portatune::train
