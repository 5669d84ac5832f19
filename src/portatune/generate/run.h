// The generation of one batch of prompts, from the first token to the last.
#pragma once

#include "portatune/generate/batches.h"
#include "portatune/generate/model_programs.h"

namespace portatune::generate {

/// Runs the programs on one batch. The host may read the texts between calls of advance().
class Run {
 public:
  /// Reads the prompts and makes the first token of each. The options must be checked.
  /// errors  NumericError for non-finite logits, here and in advance()
  Run(ModelPrograms& programs, const GenerationOptions& options, std::span<const Ids> prompts, const Batch& batch,
      int32_t pad_token_id);

  /// Makes at most `tokens` more tokens of each text. Returns false if nothing was left to do.
  bool advance(int64_t tokens);

  /// The new tokens of each prompt so far, the one that ended the text included. Beam search returns the
  /// num_return_sequences best ended texts of each prompt, the best first; a text may be empty.
  std::vector<Ids> new_tokens() const;
  /// Ends the text of a row of the batch; not for beam search.
  void finish(size_t row);

  double prefill_s() const { return prefill_s_; }
  double decode_s() const { return decode_s_; }

 private:
  void put_settings(int64_t pause, std::vector<DeviceArray>& arguments) const;
  void take(std::vector<DeviceArray> state);
  std::vector<Ids> best_beams() const;
  int64_t first() const { return programs_.tokens().continues_prompts() ? sizes_.prompt : 1; }
  int64_t end_of(size_t row) const { return limits_.as<int32_t>()[row * static_cast<size_t>(kLimits)]; }
  int64_t last_end() const;

  ModelPrograms& programs_;
  const GenerationOptions& options_;
  const SearchKind kind_;
  const Sizes sizes_;
  const size_t prompts_;
  const int32_t pad_token_id_;
  Tensor numbers_, limits_;
  std::vector<DeviceArray> state_;
  int64_t position_ = 0;
  bool done_ = false;
  double prefill_s_ = 0, decode_s_ = 0;
};

}  // namespace portatune::generate
