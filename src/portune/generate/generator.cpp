#include <algorithm>

#include "portune/error.h"
#include "portune/generate/growing_text.h"
#include "portune/generate/options.h"
#include "portune/generate/run.h"
#include "portune/generation.h"

namespace portune {
namespace {

using generate::Batch;
using generate::GrowingText;
using generate::Ids;
using generate::Run;

// Tokens between two looks of the host at the texts.
constexpr int64_t kAtATime = 32, kAtATimeWhenWatched = 4;

std::string name_of_prompt(size_t prompt, size_t prompts) {
  return prompts == 1 ? "the prompt" : "prompt " + std::to_string(prompt + 1);
}

}  // namespace

struct Generator::Impl {
  Impl(const Device& device, const std::filesystem::path& folder, const GeneratorOptions& options)
      : programs(device, folder, options.dtype), batch_size(options.batch_size), defaults(generation_options(folder)) {
    if (batch_size < 1)
      throw UsageError({.where = "batch_size", .given = std::to_string(batch_size), .expected = "at least 1"});
    programs.config().ignore({"eos_token_id", "bos_token_id", "pad_token_id"});
  }

  const text::Tokenizer& require_tokenizer();
  void look_for_tokenizer();
  Ids encode(const std::string& prompt, size_t number, size_t prompts, const GenerationOptions& options);
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
  if (!tokenizer) tokenizer = text::Tokenizer::load(programs.folder());
  return *tokenizer;
}

// Ids need none, but their completions have texts where there is one.
void Generator::Impl::look_for_tokenizer() {
  try {
    require_tokenizer();
  } catch (const NotFoundError&) {
  }
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

void Generator::Impl::check(std::span<const Ids> prompts, const GenerationOptions& options) const {
  const models::TextModelFacts& facts = programs.model().facts();
  generate::check(options, facts.vocab_size);
  for (size_t i = 0; i < prompts.size(); ++i) {
    const auto tokens = static_cast<int64_t>(prompts[i].size());
    const std::string name = name_of_prompt(i, prompts.size());
    if (tokens == 0) {
      throw UsageError(
          {.where = name, .given = "no token, and no bos_token_id to begin with", .expected = "at least one token"});
    }
    if (tokens + options.max_new_tokens > facts.max_length) {
      throw UsageError({.where = name,
                        .given = std::to_string(tokens) + " tokens, with " + std::to_string(options.max_new_tokens) +
                                 " new ones (max_new_tokens) to come",
                        .expected = "at most " + std::to_string(facts.max_length) + ", the positions of the model",
                        .fix = "shorten the prompt, or ask for fewer tokens"});
    }
    const auto [least, most] = std::ranges::minmax(prompts[i]);
    if (least < 0 || most >= facts.vocab_size) {
      throw UsageError({.where = name,
                        .given = "token id " + std::to_string(least < 0 ? least : most),
                        .expected = "0 to " + std::to_string(facts.vocab_size - 1) + ", the model's vocabulary"});
    }
  }
}

void Generator::Impl::run(std::span<const Ids> prompts, const Batch& batch, const GenerationOptions& options,
                          GenerationCallback& callback, std::vector<Completion>& completions) {
  const int32_t pad = options.pad_token_id.value_or(options.eos_token_id.empty() ? 0 : options.eos_token_id.front());
  std::vector<GrowingText> texts;
  if (tokenizer) {
    for (const size_t prompt : batch.prompts) texts.emplace_back(*tokenizer, prompts[prompt], options.stop_strings);
  }
  const bool watched = options.num_beams == 1 && tokenizer && (callback.streams() || !options.stop_strings.empty());

  Run run(programs, options, prompts, batch, pad);
  bool more = true;
  while (more) {
    callback.on_pause();
    if (watched) {
      const std::vector<Ids> ids = run.new_tokens();
      for (size_t row = 0; row < texts.size(); ++row) {
        const std::string text = texts[row].update(ids[row], false);
        if (!text.empty()) callback.on_text(batch.prompts[row], text);
        if (texts[row].stopped_after()) run.finish(row);
      }
    }
    more = run.advance(watched ? kAtATimeWhenWatched : kAtATime);
  }
  const std::vector<Ids> ids = run.new_tokens();
  for (size_t row = 0; row < batch.prompts.size(); ++row) {
    Completion& completion = completions[batch.prompts[row]];
    completion.ids = ids[row];
    if (tokenizer) {
      const std::string text = texts[row].update(ids[row], true);
      if (watched && !text.empty()) callback.on_text(batch.prompts[row], text);
      completion.text = texts[row].text();
      if (const auto stop = texts[row].stopped_after()) completion.ids.resize(*stop);
      completion.stopped = texts[row].stopped_after().has_value();
    }
    completion.stopped |= !completion.ids.empty() &&
                          std::ranges::find(options.eos_token_id, completion.ids.back()) != options.eos_token_id.end();
    times.prompt_tokens += static_cast<int64_t>(prompts[batch.prompts[row]].size());
    times.new_tokens += static_cast<int64_t>(completion.ids.size());
  }
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

std::vector<Completion> Generator::generate_ids(std::span<const Ids> prompts, const GenerationOptions& options,
                                                GenerationCallback* callback) {
  GenerationCallback silent;
  if (callback == nullptr) callback = &silent;
  impl_->check(prompts, options);
  impl_->look_for_tokenizer();
  impl_->times = {};
  impl_->programs.tell(callback);
  std::vector<Completion> completions(prompts.size());
  const int64_t max_length = impl_->programs.model().facts().max_length;
  for (const Batch& batch : generate::make_batches(prompts, impl_->batch_size, options.max_new_tokens, max_length)) {
    impl_->run(prompts, batch, options, *callback, completions);
  }
  impl_->programs.tell(nullptr);
  return completions;
}

}  // namespace portune
