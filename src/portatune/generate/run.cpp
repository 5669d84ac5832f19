#include "portatune/generate/run.h"

#include <algorithm>

#include "portatune/base/threads/clock.h"
#include "portatune/error.h"
#include "portatune/generate/search/beam_search.h"

namespace portatune::generate {
namespace {

// The limits of the texts of a batch: int32 [prompts, kLimits].
Tensor limits_of_batch(const TokenModel& model, const GenerationOptions& options, std::span<const Ids> prompts,
                       const Batch& batch) {
  const int64_t first = model.continues_prompts() ? batch.sizes.prompt : 1;
  std::vector<int32_t> limits;
  for (size_t row = 0; row < static_cast<size_t>(batch.sizes.prompts); ++row) {
    const bool is_text = row < batch.prompts.size();
    const int64_t tokens = !is_text ? 0 : model.continues_prompts() ? std::ssize(prompts[batch.prompts[row]]) : 1;
    const std::vector<int32_t> of_row = limits_of(options, tokens, first);
    limits.insert(limits.end(), of_row.begin(), of_row.end());
  }
  return Tensor({batch.sizes.prompts, kLimits}, std::span<const int32_t>(limits));
}

}  // namespace

Run::Run(ModelPrograms& programs, const GenerationOptions& options, std::span<const Ids> prompts, const Batch& batch,
         int32_t pad_token_id)
    : programs_(programs),
      options_(options),
      kind_(kind_of(options)),
      sizes_(batch.sizes),
      prompts_(batch.prompts.size()),
      pad_token_id_(pad_token_id),
      limits_(limits_of_batch(programs.tokens(), options, prompts, batch)) {
  const PaddingSide side = programs.tokens().continues_prompts() ? PaddingSide::kLeft : PaddingSide::kRight;
  PaddedPrompts padded = pad(prompts, batch, pad_token_id, side);
  numbers_ = std::move(padded.numbers);
  const Program& program = programs_.prefill(kind_, sizes_);
  if (last_end() > first() + 1) programs_.decode(kind_, sizes_);  // compiles it now rather than between tokens
  const auto start = Clock::now();
  std::vector<DeviceArray> arguments;
  arguments.push_back(programs_.put(padded.ids, kPromptSharding));
  arguments.push_back(programs_.put(padded.padding, kPromptSharding));
  put_settings(first() + 1, arguments);
  take(programs_.run(program, arguments));
  prefill_s_ = seconds_since(start);
}

void Run::put_settings(int64_t pause, std::vector<DeviceArray>& arguments) const {
  const int32_t start_token = options_.decoder_start_token_id.value_or(programs_.tokens().start_token());
  const std::vector<Tensor> settings = settings_arguments(kind_, options_,
                                                          {.first = first(),
                                                           .pause = pause,
                                                           .pad_token_id = pad_token_id_,
                                                           .start = start_token,
                                                           .vocab_size = programs_.model().written_vocab_size(),
                                                           .limits = limits_,
                                                           .numbers = numbers_});
  for (size_t i = 0; i < settings.size(); ++i) {
    const bool is_of_prompts = i + kPromptArguments >= settings.size();
    arguments.push_back(programs_.put(settings[i], is_of_prompts ? kPromptSharding : Sharding()));
  }
}

// The end position of the longest text.
int64_t Run::last_end() const {
  int64_t end = 0;
  for (size_t row = 0; row < prompts_; ++row) end = std::max<int64_t>(end, end_of(row));
  return end;
}

void Run::take(std::vector<DeviceArray> state) {
  state_ = std::move(state);
  position_ = state_[State::kPosition].to_host().as<int32_t>()[0];  // waits for the device
  if (state_[State::kFinite].to_host().data()[0] != std::byte{0}) return;
  throw NumericError(
      {.where = "the model",
       .given = "non-finite logits at token " + std::to_string(position_ - first()) + " of the continuations or before",
       .expected = "finite numbers"});
}

bool Run::advance(int64_t tokens) {
  const int64_t end = last_end();
  if (done_ || position_ >= end) return false;
  const Program& program = programs_.decode(kind_, sizes_);
  const auto start = Clock::now();
  const int64_t pause = std::min(position_ + tokens, end);
  std::vector<DeviceArray> arguments = std::move(state_);
  put_settings(pause, arguments);
  take(programs_.run(program, arguments));
  done_ = position_ < pause;
  decode_s_ += seconds_since(start);
  return true;
}

std::vector<Ids> Run::new_tokens() const {
  if (kind_.beams > 1) return best_beams();
  const Tensor all = state_[State::kTokens].to_host();
  const auto length = static_cast<size_t>(sizes_.length), begin = static_cast<size_t>(first());
  std::vector<Ids> result;
  for (size_t row = 0; row < prompts_; ++row) {
    const auto end = static_cast<size_t>(std::min(position_, end_of(row)));
    const auto text = all.as<int32_t>().subspan(row * length, end).subspan(begin);
    const auto eos = std::ranges::find_first_of(text, options_.eos_token_id);
    result.emplace_back(text.begin(), eos == text.end() ? eos : eos + 1);
  }
  return result;
}

std::vector<Ids> Run::best_beams() const {
  const Tensor tokens = state_[State::first_of_search(kind_) + kEndedTokens].to_host();
  const Tensor lengths = state_[State::first_of_search(kind_) + kEndedLengths].to_host();
  const auto beams = static_cast<size_t>(kind_.beams), length = static_cast<size_t>(sizes_.length);
  const auto returned = static_cast<size_t>(options_.num_return_sequences);
  std::vector<Ids> result;
  for (size_t i = 0; i < prompts_ * returned; ++i) {
    const size_t beam = i / returned * beams + i % returned;
    const auto text = tokens.as<int32_t>().subspan(beam * length, length);
    const auto added = static_cast<size_t>(lengths.as<int32_t>()[beam]);
    const auto best = text.subspan(static_cast<size_t>(first()), added);
    result.emplace_back(best.begin(), best.end());
  }
  return result;
}

void Run::finish(size_t row) {
  DeviceArray& array = state_[State::first_of_search(kind_)];
  Tensor finished = array.to_host();
  reinterpret_cast<bool*>(finished.data())[row] = true;
  array = programs_.put(finished, kPromptSharding);
  done_ = std::ranges::all_of(std::span(finished.data(), prompts_), [](std::byte x) { return x != std::byte{0}; });
}

}  // namespace portatune::generate
