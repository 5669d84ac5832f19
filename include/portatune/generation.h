// Text generation: a decoder's checkpoint goes on with prompts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/device.h"

namespace portatune {

/// When a beam search of which enough beams have ended ends itself.
enum class EarlyStopping {
  kFalse,  ///< when the best running beam, at its present length, cannot beat the worst ended one
  kTrue,   ///< at once
  kNever   ///< when no running beam can, at whatever length
};

/// How to go on with a prompt: names and meaning of transformers' GenerationConfig.
struct GenerationOptions {
  int64_t max_new_tokens = 50;
  bool do_sample = false;         ///< draw tokens by their probabilities; else take the most probable
  double temperature = 1;         ///< what logits are divided by before drawing; above 0
  int64_t top_k = 50;             ///< draw from that many most probable tokens; 0: from all
  double top_p = 1;               ///< draw from the fewest tokens that are that probable together; in (0, 1]
  double repetition_penalty = 1;  ///< above 1: tokens that were there are less probable; above 0
  int64_t num_beams = 1;          ///< above 1: beam search, which takes the most probable text that it finds
  double length_penalty = 1;      ///< of beams: scores are divided by length to this power
  EarlyStopping early_stopping = EarlyStopping::kFalse;
  std::vector<int32_t> eos_token_id = {};    ///< tokens that end a text, which then has them
  std::optional<int32_t> bos_token_id = {};  ///< what an empty prompt becomes
  std::optional<int32_t> pad_token_id = {};
  /// End a text as well; it is cut after the first of them. One that is a special token, such as "</s>", joins
  /// eos_token_id instead, since texts do not show these.
  std::vector<std::string> stop_strings = {};
  uint64_t seed = 42;  ///< of drawing
  /// Of generation_config.json: what is not known and has no effect.
  std::vector<std::string> unknown = {};
};

/// The options that a model folder asks for: by its generation_config.json or, without one, by the special tokens of
/// config.json.
/// errors  CheckpointError for a value of the wrong type or out of range
GenerationOptions generation_options(const std::filesystem::path& model);

/// What a prompt was continued with.
struct Completion {
  std::string text;          ///< without special tokens; what comes after the prompt
  std::vector<int32_t> ids;  ///< of all new tokens, the one that ended the text included
  bool stopped = false;      ///< ended by a token or a stop string; else there were max_new_tokens
};

/// What generate() tells while it runs. Every function has an empty default.
class GenerationCallback {
 public:
  virtual ~GenerationCallback() = default;
  /// A program for a new shape of prompts is ready. `from_cache`: an earlier process had compiled it.
  virtual void on_compile([[maybe_unused]] const std::string& what, [[maybe_unused]] double seconds,
                          [[maybe_unused]] bool from_cache) {}
  /// Whether on_text() is wanted: tokens are then made a few at a time.
  virtual bool streams() const { return false; }
  /// More of the completion of a prompt: whole characters of UTF-8. Not for beam search, which changes its mind.
  virtual void on_text([[maybe_unused]] size_t prompt, [[maybe_unused]] std::string_view text) {}
  /// Called between steps, at least every 32 tokens; what it throws ends the run.
  virtual void on_pause() {}
};

/// Where the time of generate() went; compilation is not in it.
struct GenerationTimes {
  double prefill_s = 0, decode_s = 0;
  int64_t prompt_tokens = 0;  ///< read by prefill, padding not counted
  int64_t new_tokens = 0;     ///< made by prefill: one for each prompt, and by decode: the others
};

struct GeneratorOptions {
  DType dtype = DType::kFloat32;  ///< of matrices, activations and the cache: float32, bfloat16 or float16
  int64_t batch_size = 8;         ///< prompts at a time, at most; 1 to 1024
};

/// A causal language model on a device. Prompts are padded on the left to one of a few lengths, and for each of these a
/// program that reads prompts and one that makes tokens are compiled once; numbers among the options are inputs of
/// the programs. Not for several threads at a time.
class Generator {
 public:
  /// device  must outlive this object
  /// errors  NotFoundError, CheckpointError for what is wrong with the folder, a weight that is missing included;
  ///         UsageError for an architecture that does not generate
  Generator(const Device& device, const std::filesystem::path& model, const GeneratorOptions& options = {});
  Generator(Generator&&) noexcept;
  Generator& operator=(Generator&&) noexcept;
  ~Generator();

  /// What the model folder asks for.
  const GenerationOptions& defaults() const;

  /// The completions of the prompts, in their order. They do not depend on batch_size, but for models with longrope,
  /// where the longest text of a batch decides about the positions of all of them. What is drawn depends on seed,
  /// prompt and its number among the prompts, so that equal prompts are drawn for independently.
  /// errors  UsageError, before anything is compiled, for options out of range, a prompt that leaves no positions for
  ///         the new tokens, and an empty one where no bos_token_id is known; DataError for one that is not UTF-8;
  ///         NumericError for logits that are not finite
  std::vector<Completion> generate(std::span<const std::string> prompts, const GenerationOptions& options,
                                   GenerationCallback* callback = nullptr);
  /// The same for prompts that are token ids already. The folder needs no tokenizer; without one, the texts are empty.
  std::vector<Completion> generate_ids(std::span<const std::vector<int32_t>> prompts, const GenerationOptions& options,
                                       GenerationCallback* callback = nullptr);

  /// Of the last call.
  const GenerationTimes& times() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
