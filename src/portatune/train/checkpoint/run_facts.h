// Values that a resumed run must share with the run that it continues, so that both end at the same weights.
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
/// A hash of the validation files, where scores decide. Older checkpoints do not have it.
inline constexpr const char* kValidationDataFact = "validation_data";

/// All options that decide about weights except total_steps, which fit() may compute; the number of devices that share
/// the batches; and `must_match`.
/// errors  UsageError for a text in `must_match` that is not UTF-8, as checkpoints need
RunFacts facts_of(const TrainingOptions& options, const Mesh& mesh);

/// Values that decide about the last bits besides facts_of(): kernels, plugin, flags, instruction set, mesh, exchanges.
RunFacts machine_facts(const Device& device);

/// The differences between facts, values of this run first: "seed 7 in place of 42". Empty if there are none.
std::string describe_differences(const RunFacts& saved, const RunFacts& now);

/// Requires equal facts. The model is compared only if both name it.
/// may_differ  names of facts that need not be equal
/// errors      UsageError with both values of every other difference
void require_same_run(const std::filesystem::path& checkpoint, const RunFacts& saved, const RunFacts& now,
                      const std::vector<std::string>& may_differ = {});

/// Requires that the machine gives the same bits. Checkpoints without machine facts are not compared.
/// errors  UsageError with both values of every difference
void require_same_machine(const std::filesystem::path& checkpoint, const RunFacts& saved, const RunFacts& now);

/// Requires that the learning rate schedule can continue from a checkpoint: it is the same, or longer after the end of
/// the run.
/// has_ended  whether the run of the checkpoint had ended with it
/// total      steps after which the learning rate is 0; 0: it does not fall
/// errors     UsageError with both totals
void require_fitting_schedule(const std::filesystem::path& checkpoint, bool has_ended, int64_t saved_total,
                              int64_t total);

}  // namespace portatune::train
