#include <algorithm>

#include "portatune/base/threads/watchdog.h"
#include "portatune/error.h"
#include "portatune/generate/growing_text.h"
#include "portatune/generate/options.h"
#include "portatune/generate/run.h"
#include "portatune/generation.h"
#include "portatune/models/one_text_per_row.h"

namespace portatune {
namespace {

using generate::Batch;
using generate::GrowingText;
using generate::Ids;
using generate::Run;

// Number of tokens between two inspections of the texts by the host.
constexpr int64_t kTokensPerCall = 32, kTokensPerWatchedCall = 4;

// The limit keeps the indices of all vocabulary entries of a batch within int32.
constexpr int64_t kMaxPrompts = 1024;

std::string name_of_prompt(size_t prompt, size_t prompts) {
  return prompts == 1 ? "the prompt" : "prompt " + std::to_string(prompt + 1);
}

// The growing continuations of a batch, `each` of them for a prompt. Without a tokenizer they have no text.
class Texts {
 public:
  Texts(const text::Tokenizer* tokenizer, std::span<const Ids> prompts, bool continues_prompts, size_t each,
        const Batch& batch, const GenerationOptions& options, GenerationCallback& callback)
      : batch_(batch), options_(options), callback_(callback) {
    if (tokenizer == nullptr) return;
    for (const size_t prompt : batch.prompts) {
      const auto before = continues_prompts ? std::span<const int32_t>(prompts[prompt]) : std::span<const int32_t>();
      for (size_t i = 0; i < each; ++i) texts_.emplace_back(*tokenizer, before, options.stop_strings);
    }
  }

  /// Reports new text. Returns the rows that a stop string has ended in this call.
  std::vector<size_t> update(const std::vector<Ids>& ids) {
    std::vector<size_t> ended;
    for (size_t row = 0; row < texts_.size(); ++row) {
      const bool had_stopped = texts_[row].stopped_after().has_value();
      show(row, texts_[row].update(ids[row], false));
      if (texts_[row].stopped_after() && !had_stopped) ended.push_back(row);
    }
    return ended;
  }

  Completion finish(size_t row, const Ids& ids) {
    Completion completion{.text = {}, .ids = ids};
    if (!texts_.empty()) {
      GrowingText& text = texts_[row];
      show(row, text.update(ids, true));
      completion.text = text.text();
      completion.ids.resize(text.stopped_after().value_or(ids.size()));
      completion.stopped = text.stopped_after().has_value();
    }
    const Ids& eos = options_.eos_token_id;
    completion.stopped |= !completion.ids.empty() && std::ranges::find(eos, completion.ids.back()) != eos.end();
    return completion;
  }

 private:
  void show(size_t row, const std::string& text) {
    if (callback_.streams() && options_.num_beams == 1 && !text.empty()) callback_.on_text(batch_.prompts[row], text);
  }

  const Batch& batch_;
  const GenerationOptions& options_;
  GenerationCallback& callback_;
  std::vector<GrowingText> texts_;
};

// Number of texts that a search returns for a prompt. Sampling returns several texts for several equal prompts.
int64_t texts_of_search(const GenerationOptions& options) {
  return options.do_sample ? 1 : options.num_return_sequences;
}

std::vector<Ids> repeated(std::span<const Ids> prompts, int64_t times) {
  std::vector<Ids> all;
  for (const Ids& prompt : prompts) all.insert(all.end(), static_cast<size_t>(times), prompt);
  return all;
}

}  // namespace

struct Generator::Impl {
  Impl(const Device& device, const std::filesystem::path& folder, const GeneratorOptions& options)
      : programs(device, folder, options.dtype), batch_size(options.batch_size), defaults(generation_options(folder)) {
    if (batch_size < 1 || batch_size > kMaxPrompts) {
      throw UsageError({.where = "batch_size",
                        .given = std::to_string(batch_size),
                        .expected = "1 to " + std::to_string(kMaxPrompts)});
    }
    programs.config().ignore({"eos_token_id", "bos_token_id", "pad_token_id"});
  }

  const text::Tokenizer& require_tokenizer();
  void load_tokenizer_if_there();
  GenerationOptions with_special_stops(GenerationOptions options) const;
  Ids encode(const std::string& prompt, size_t number, size_t prompts, const GenerationOptions& options);
  // Number of tokens of a text before its first new token.
  int64_t tokens_before(const Ids& prompt) const {
    return programs.tokens().continues_prompts() ? std::ssize(prompt) : 1;
  }
  void require_prompt(const std::string& name, const Ids& prompt, const GenerationOptions& options) const;
  void check(std::span<const Ids> prompts, const GenerationOptions& options) const;
  void run(std::span<const Ids> prompts, const Batch& batch, const GenerationOptions& options,
           GenerationCallback& callback, std::vector<Completion>& completions);

  generate::ModelPrograms programs;
  const int64_t batch_size;
  const GenerationOptions defaults;
  std::optional<text::Tokenizer> tokenizer;
  GenerationTimes times;
};

const text::Tokenizer& Generator::Impl::require_tokenizer() {
  if (!tokenizer) tokenizer = text::Tokenizer::load(hub::folder_of_settings(programs.folder()));
  return *tokenizer;
}

void Generator::Impl::load_tokenizer_if_there() {
  try {
    require_tokenizer();
  } catch (const NotFoundError&) {
    // Token ids need no tokenizer.
  }
}

// Moves stop strings that are special tokens to eos_token_id, because decoded text does not show them.
GenerationOptions Generator::Impl::with_special_stops(GenerationOptions options) const {
  if (!tokenizer) return options;
  std::erase_if(options.stop_strings, [&](const std::string& stop) {
    const std::optional<int32_t> id = generate::special_token(tokenizer->of_targets(), stop);
    if (id && std::ranges::find(options.eos_token_id, *id) == options.eos_token_id.end()) {
      options.eos_token_id.push_back(*id);
    }
    return id.has_value();
  });
  return options;
}

Ids Generator::Impl::encode(const std::string& prompt, size_t number, size_t prompts,
                            const GenerationOptions& options) {
  Ids ids;
  try {
    ids = require_tokenizer().encode(prompt).ids;
  } catch (Error& error) {
    error.set_context(name_of_prompt(number, prompts));
    throw;
  }
  const std::optional<int32_t> bos = options.bos_token_id ? options.bos_token_id : tokenizer->bos_id();
  if (ids.empty() && bos) ids = {*bos};
  return ids;
}

void Generator::Impl::require_prompt(const std::string& name, const Ids& prompt,
                                     const GenerationOptions& options) const {
  const models::TextModelFacts& facts = programs.model().facts();
  const std::ptrdiff_t tokens = std::ssize(prompt);
  if (tokens == 0) {
    throw UsageError({.where = name, .given = "no tokens, and no bos_token_id", .expected = "at least one token"});
  }
  const int64_t first = tokens_before(prompt), added = generate::max_new_tokens(options, first);
  if (added < 1) {
    throw UsageError({.where = name,
                      .given = std::to_string(first) + " tokens and max_length " + std::to_string(*options.max_length),
                      .expected = "a max_length above the tokens of the prompt",
                      .fix = "set max_new_tokens, which does not count them"});
  }
  const generate::TokenModel& model = programs.tokens();
  if (first + added > model.max_text()) {
    throw UsageError({.where = name,
                      .given = std::to_string(first) + " tokens and max_new_tokens " + std::to_string(added),
                      .expected = "at most " + std::to_string(model.max_text()) + ", the positions of the model",
                      .fix = "shorten the prompt, or ask for fewer tokens"});
  }
  if (tokens > model.max_prompt()) {
    throw UsageError({.where = name,
                      .given = std::to_string(tokens) + " tokens",
                      .expected = "at most " + std::to_string(model.max_prompt()) + ", the positions of the encoder",
                      .fix = "shorten the text"});
  }
  const auto [lowest, highest] = std::ranges::minmax(prompt);
  if (lowest < 0 || highest >= facts.vocab_size) {
    throw UsageError({.where = name,
                      .given = "token id " + std::to_string(lowest < 0 ? lowest : highest),
                      .expected = "0 to " + std::to_string(facts.vocab_size - 1) + ", the model's vocabulary"});
  }
}

void Generator::Impl::check(std::span<const Ids> prompts, const GenerationOptions& options) const {
  generate::check(options, programs.model().written_vocab_size());
  for (size_t i = 0; i < prompts.size(); ++i) {
    require_prompt(name_of_prompt(i, prompts.size()), prompts[i], options);
  }
}

void Generator::Impl::run(std::span<const Ids> prompts, const Batch& batch, const GenerationOptions& options,
                          GenerationCallback& callback, std::vector<Completion>& completions) {
  const bool watched = tokenizer && options.num_beams == 1 && (callback.streams() || !options.stop_strings.empty());
  const int32_t pad = options.pad_token_id.value_or(options.eos_token_id.empty() ? 0 : options.eos_token_id.front());
  const auto each = static_cast<size_t>(texts_of_search(options));
  Texts texts(tokenizer ? &tokenizer->of_targets() : nullptr, prompts, programs.tokens().continues_prompts(), each,
              batch, options, callback);
  Run run(programs, options, prompts, batch, pad);
  do {
    callback.on_pause();
    note_progress();
    if (!watched) continue;
    for (const size_t row : texts.update(run.new_tokens())) run.finish(row);
  } while (run.advance(watched ? kTokensPerWatchedCall : kTokensPerCall));

  const std::vector<Ids> ids = run.new_tokens();
  for (size_t i = 0; i < ids.size(); ++i) {
    Completion& completion = completions[batch.prompts[i / each] * each + i % each];
    completion = texts.finish(i, ids[i]);
    times.new_tokens += std::ssize(completion.ids);
  }
  for (const size_t prompt : batch.prompts) times.prompt_tokens += std::ssize(prompts[prompt]);
  times.prefill_s += run.prefill_s();
  times.decode_s += run.decode_s();
}

Generator::Generator(const Device& device, const std::filesystem::path& model, const GeneratorOptions& options)
    : impl_(std::make_unique<Impl>(device, model, options)) {}
Generator::Generator(Generator&&) noexcept = default;
Generator& Generator::operator=(Generator&&) noexcept = default;
Generator::~Generator() = default;

const GenerationOptions& Generator::defaults() const { return impl_->defaults; }
const GenerationTimes& Generator::times() const { return impl_->times; }

std::vector<Completion> Generator::generate(std::span<const std::string> prompts, const GenerationOptions& options,
                                            GenerationCallback* callback) {
  std::vector<Ids> ids;
  for (size_t i = 0; i < prompts.size(); ++i) ids.push_back(impl_->encode(prompts[i], i, prompts.size(), options));
  return generate_ids(ids, options, callback);
}

std::vector<Completion> Generator::generate_ids(std::span<const Ids> given_prompts, const GenerationOptions& given,
                                                GenerationCallback* callback) {
  GenerationCallback silent;
  if (callback == nullptr) callback = &silent;
  impl_->load_tokenizer_if_there();
  const GenerationOptions options = impl_->with_special_stops(given);
  impl_->check(given_prompts, options);
  impl_->times = {};
  impl_->programs.set_callback(callback);
  const int64_t each = texts_of_search(options);
  const std::vector<Ids> prompts = repeated(given_prompts, options.num_return_sequences / each);
  std::vector<Completion> completions(prompts.size() * static_cast<size_t>(each));
  std::vector<int64_t> new_tokens;
  for (const Ids& prompt : prompts) {
    new_tokens.push_back(generate::max_new_tokens(options, impl_->tokens_before(prompt)));
  }
  const generate::TokenModel& model = impl_->programs.tokens();
  const generate::BatchLimits limits{
      .batch_size = impl_->batch_size,
      .max_length = model.max_prompt(),
      .devices = impl_->programs.parts(),
      .first = model.continues_prompts() ? std::nullopt : std::optional<int64_t>(1),
      .max_padded_length = [&](int64_t tokens) { return models::max_padded_length(impl_->programs.model(), tokens); }};
  for (const Batch& batch : generate::make_batches(prompts, new_tokens, limits)) {
    impl_->run(prompts, batch, options, *callback, completions);
  }
  impl_->programs.set_callback(nullptr);
  return completions;
}

}  // namespace portatune
