// trainer_state.json: the progress of a run in the format of transformers.
#pragma once

#include <string>
#include <vector>

#include "portatune/run/records/metrics_log.h"

namespace portatune::run {

inline constexpr const char* kTrainerStateFile = "trainer_state.json";

struct TrainerState {
  int64_t step = 0, total_steps = 0;
  double epoch = 0;    ///< number of epochs so far
  int64_t epochs = 0;  ///< number of epochs of the run
  int64_t batch_size = 0, eval_steps = 0, logging_steps = 0, save_steps = 0;
  int64_t eval_examples = 0, eval_batches = 0;  ///< of an evaluation; 0: the number is unknown
  int64_t best_step = 0;                        ///< step of the best evaluation; 0: none is the best
  std::string best_metric = "loss";             ///< the deciding score, with or without "eval_"
  std::string best_checkpoint;                  ///< checkpoint of that step; empty: there is none
};

/// The text of the file, with the fields of transformers' TrainerState.
/// lines  those of metrics.jsonl; log_history has their numbers under transformers' names
/// own    what a resumed run needs, under "portatune" of stateful_callbacks; null: nothing
std::string text_of(const TrainerState& state, const std::vector<Json>& lines, const Json& own = nullptr);

/// The `own` of a checkpoint; null if it has none.
Json own_state_in(const std::filesystem::path& checkpoint);

}  // namespace portatune::run
