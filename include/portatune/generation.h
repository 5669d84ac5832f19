// Text generation: a decoder continues prompts, an encoder-decoder model reads them and begins texts of its own.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/device.h"
#include "portatune/option_fields.h"

namespace portatune {

/// The condition under which a beam search stops once enough beams have ended.
enum class EarlyStopping {
  kFalse,  ///< the best running beam, at its present length, cannot beat the worst ended one
  kTrue,   ///< no further condition
  kNever   ///< no running beam can beat the worst ended one, at any length
};

/// The names of these conditions.
constexpr auto names_of(EarlyStopping) {
  return std::to_array<NamedValue<EarlyStopping>>(
      {{EarlyStopping::kTrue, "true"}, {EarlyStopping::kFalse, "false"}, {EarlyStopping::kNever, "never"}});
}

/// A token id.
template <>
struct OptionType<int32_t> : OptionTypeOf<int32_t, OptionKind::kInteger> {
  static std::string expected() { return "a token id"; }
};

/// A list of token ids. Its text is "5,6".
template <>
struct OptionType<std::vector<int32_t>> : OptionTypeOf<std::vector<int32_t>, OptionKind::kText> {
  static std::string expected() { return "token ids, separated by commas"; }
  static std::optional<std::vector<int32_t>> read(const std::string& text);
  static std::string text(const std::vector<int32_t>& ids);
};

/// Number of new tokens of a text if neither max_new_tokens nor max_length is set.
inline constexpr int64_t kDefaultNewTokens = 50;

/// The tokens of times in the texts of Whisper.
struct TimeTokens {
  int32_t first;                       ///< the token of 0 seconds; all ids from it on are times
  int32_t end;                         ///< the token that ends a text
  std::optional<int32_t> max_initial;  ///< index of the latest time with which a text may begin; absent: any

  bool operator==(const TimeTokens&) const = default;
};

/// Options of generation, with the names and meaning of transformers' GenerationConfig.
struct GenerationOptions {
  std::optional<int64_t> max_new_tokens = {};  ///< absent: max_length decides, or else kDefaultNewTokens
  /// Number of tokens of prompt and new tokens together; max_new_tokens overrides it. In the lengths of encoder-decoder
  /// models the token with which the decoder begins counts as the prompt.
  std::optional<int64_t> max_length = {};
  int64_t min_length = 0;                      ///< the text does not end before it has so many tokens with its prompt
  std::optional<int64_t> min_new_tokens = {};  ///< the same for the new tokens alone; overrides min_length
  bool do_sample = false;            ///< sample tokens by their probabilities; else take the most probable token
  double temperature = 1;            ///< divisor of the logits before sampling; above 0
  int64_t top_k = 50;                ///< sample from this many most probable tokens; 0: from all
  double top_p = 1;                  ///< sample from the fewest tokens whose total probability reaches it; in (0, 1]
  double repetition_penalty = 1;     ///< a value above 1 makes earlier tokens less probable; above 0
  int64_t no_repeat_ngram_size = 0;  ///< no n-gram of this size occurs twice in a text; 0: off
  std::vector<std::vector<int32_t>> bad_words_ids = {};  ///< sequences of tokens that no text gets
  std::vector<int32_t> suppress_tokens = {};             ///< tokens that no text gets
  /// Tokens that do not come first among the new tokens, or second if forced_bos_token_id forces the first.
  std::vector<int32_t> begin_suppress_tokens = {};
  std::optional<int32_t> forced_bos_token_id = {};  ///< the first new token after a prompt of one token
  std::vector<int32_t> forced_eos_token_id = {};    ///< candidates for the last token that the maximal length allows
  int64_t num_return_sequences = 1;                 ///< texts for each prompt: sampled independently, or the best beams
  int64_t num_beams = 1;      ///< above 1: beam search, which returns the most probable text that it finds
  double length_penalty = 1;  ///< exponent of the length that divides the scores of beams
  EarlyStopping early_stopping = EarlyStopping::kFalse;
  std::vector<int32_t> eos_token_id = {};    ///< tokens that end a text; the text includes them
  std::optional<int32_t> bos_token_id = {};  ///< replaces an empty prompt
  std::optional<int32_t> pad_token_id = {};
  /// The token with which the decoder of an encoder-decoder model begins; absent: that of config.json.
  std::optional<int32_t> decoder_start_token_id = {};
  /// Strings that end a text; the text ends after the first of them. A string that is a special token, such as "</s>",
  /// joins eos_token_id instead, since texts do not show special tokens.
  std::vector<std::string> stop_strings = {};
  std::optional<TimeTokens> times = {};  ///< the parts of a text are between times, by Whisper's rules
  uint64_t seed = 42;                    ///< seed of sampling
  /// Unknown keys of generation_config.json; they have no effect.
  std::vector<std::string> unknown = {};

  void describe(OptionFields& fields);
};

/// The options in generation_config.json of a model folder; without that file, those in config.json, as in
/// transformers.
/// errors  CheckpointError for a value of the wrong type or out of range
GenerationOptions generation_options(const std::filesystem::path& model);

/// The continuation of a prompt.
struct Completion {
  std::string text;          ///< the continuation without the prompt and without special tokens
  std::vector<int32_t> ids;  ///< all new tokens, the one that ended the text included
  bool stopped = false;      ///< true if a token or a stop string ended the text; false after max_new_tokens
};

/// Receives the events of generate(). Every function has an empty default.
class GenerationCallback {
 public:
  virtual ~GenerationCallback() = default;
  /// Called when a program for a new shape of prompts is ready. `from_cache`: an earlier process compiled it.
  virtual void on_compile([[maybe_unused]] const std::string& what, [[maybe_unused]] double seconds,
                          [[maybe_unused]] bool from_cache) {}
  /// True if on_text() is wanted. The device then makes a few tokens at a time.
  virtual bool streams() const { return false; }
  /// Called with more of a continuation, in whole UTF-8 characters. Beam search never calls it, because its best beam
  /// may change.
  ///   index  index of the continuation in the result of generate(): that of the prompt, unless it has several
  virtual void on_text([[maybe_unused]] size_t index, [[maybe_unused]] std::string_view text) {}
  /// Called between steps, at least every 32 tokens. An exception from it ends the run.
  virtual void on_pause() {}
};

/// The time that generate() spent, without compilation.
struct GenerationTimes {
  double prefill_s = 0, decode_s = 0;
  int64_t prompt_tokens = 0;  ///< tokens that prefill read, without padding
  int64_t new_tokens = 0;     ///< tokens that prefill (one per prompt) and decode (the others) made
};

struct GeneratorOptions {
  DType dtype = DType::kFloat32;  ///< type of matrices, activations and cache: float32, bfloat16 or float16
  int64_t batch_size = 8;         ///< maximal number of prompts in a batch on each device, 1 to 1024
};

/// A causal language model, or an encoder-decoder model, on a device or on a mesh of devices, which divide the prompts
/// of each batch. It pads prompts to one of a few lengths: on the left, or on the right for an encoder. For each length
/// it compiles two programs once: one reads prompts, the other makes tokens. Numbers among the options are inputs of
/// the programs. Only one thread at a time may use it.
class Generator {
 public:
  /// Loads a model folder.
  /// device  must outlive this object
  /// errors  NotFoundError, CheckpointError for a faulty folder, a missing weight included; UsageError for an
  ///         architecture that does not generate
  Generator(const Device& device, const std::filesystem::path& model, const GeneratorOptions& options = {});
  Generator(const Device&&, const std::filesystem::path&, const GeneratorOptions& = {}) = delete;
  Generator(Generator&&) noexcept;
  Generator& operator=(Generator&&) noexcept;
  ~Generator();

  /// The options in the model folder.
  const GenerationOptions& defaults() const;

  /// The continuations of the prompts, num_return_sequences for each, in the order of the prompts. They do not depend
  /// on batch_size, except for models with longrope: there the longest text of a batch selects the positions of all its
  /// texts. Sampling depends on the seed, the prompt and the index of the continuation; equal prompts are therefore
  /// sampled independently.
  /// errors  UsageError, before any compilation, for options out of range, for a prompt that leaves no positions for
  ///         the new tokens, and for an empty prompt without a bos_token_id; DataError for a prompt that is not UTF-8;
  ///         NumericError for logits that are not finite
  std::vector<Completion> generate(std::span<const std::string> prompts, const GenerationOptions& options,
                                   GenerationCallback* callback = nullptr);
  /// Continues prompts that are token ids already. The folder needs no tokenizer; without one, the texts are empty.
  std::vector<Completion> generate_ids(std::span<const std::vector<int32_t>> prompts, const GenerationOptions& options,
                                       GenerationCallback* callback = nullptr);

  /// The times of the last call.
  const GenerationTimes& times() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
