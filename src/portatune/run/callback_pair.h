// Two observers of one training.
#pragma once

#include "portatune/train.h"

namespace portatune::run {

/// Notifies two observers, the first one first; each of them may stop training.
class CallbackPair final : public Callback {
 public:
  /// Both must outlive this object.
  CallbackPair(Callback& first, Callback& second) : first_(first), second_(second) {}

  void on_compile(const std::string& what, double seconds, bool from_cache) override {
    first_.on_compile(what, seconds, from_cache);
    second_.on_compile(what, seconds, from_cache);
  }
  void on_begin(const FitBegin& begin) override {
    first_.on_begin(begin);
    second_.on_begin(begin);
  }
  void on_ready(int64_t programs, int64_t compiled, double seconds) override {
    first_.on_ready(programs, compiled, seconds);
    second_.on_ready(programs, compiled, seconds);
  }
  void on_input(const InputWait& wait) override {
    first_.on_input(wait);
    second_.on_input(wait);
  }
  void on_step(const StepResult& result, int64_t total_steps) override {
    first_.on_step(result, total_steps);
    second_.on_step(result, total_steps);
  }
  void on_skip(const StepResult& result, const std::vector<data::Origin>& rows) override {
    first_.on_skip(result, rows);
    second_.on_skip(result, rows);
  }
  void on_rewind(const StepResult& result, const std::vector<data::Origin>& rows,
                 const std::filesystem::path& checkpoint) override {
    first_.on_rewind(result, rows, checkpoint);
    second_.on_rewind(result, rows, checkpoint);
  }
  void on_evaluation(int64_t step, double epoch, const Scores& scores) override {
    first_.on_evaluation(step, epoch, scores);
    second_.on_evaluation(step, epoch, scores);
  }
  void on_epoch_end(double epoch, double mean_loss, const Scores& scores) override {
    first_.on_epoch_end(epoch, mean_loss, scores);
    second_.on_epoch_end(epoch, mean_loss, scores);
  }
  void on_checkpoint(const std::filesystem::path& folder) override {
    first_.on_checkpoint(folder);
    second_.on_checkpoint(folder);
  }
  void on_warning(const std::string& what) override {
    first_.on_warning(what);
    second_.on_warning(what);
  }
  void on_log_request() override {
    first_.on_log_request();
    second_.on_log_request();
  }
  StepRequests requests() override {
    const StepRequests first = first_.requests(), second = second_.requests();
    return {.log = first.log || second.log,
            .evaluate = first.evaluate || second.evaluate,
            .save = first.save || second.save,
            .end_epoch = first.end_epoch || second.end_epoch};
  }
  bool waits_for_steps() override { return first_.waits_for_steps() || second_.waits_for_steps(); }
  bool should_stop() override {
    const bool first = first_.should_stop();
    return second_.should_stop() || first;
  }

 private:
  Callback& first_;
  Callback& second_;
};

}  // namespace portatune::run
