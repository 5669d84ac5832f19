#include "portatune/generate/settings.h"

#include <algorithm>

#include "portatune/base/random.h"
#include "portatune/generate/batches.h"
#include "portatune/generate/options.h"
#include "portatune/ops.h"

namespace portatune::generate {
namespace {

constexpr int64_t kTokenSets = 5;  // those of Restrictions
constexpr int32_t kNone = -1;

// Similar seeds must give unrelated keys.
Tensor key_of(uint64_t seed) {
  const uint64_t key = split_mix_64(seed, 0);
  return Tensor({2}, {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
}

Tensor eos_tokens(const GenerationOptions& options) {
  std::vector<int32_t> ids(kMaxEosTokens, kNone);
  std::ranges::copy(options.eos_token_id, ids.begin());
  return vector_of(ids);
}

// The bad words but those that only consist of an eos token, as in transformers.
std::vector<std::vector<int32_t>> bad_words_of(const GenerationOptions& options) {
  std::vector<std::vector<int32_t>> words = options.bad_words_ids;
  std::erase_if(words, [&](const std::vector<int32_t>& word) {
    return word.size() == 1 && std::ranges::find(options.eos_token_id, word[0]) != options.eos_token_id.end();
  });
  return words;
}

Tensor table_of_bad_words(const SearchKind& kind, const GenerationOptions& options) {
  const auto width = static_cast<size_t>(kind.bad_word_size);
  std::vector<int32_t> table(static_cast<size_t>(kind.bad_words) * width, kNone);
  auto row_end = table.begin();
  for (const std::vector<int32_t>& word : bad_words_of(options)) {
    row_end += kind.bad_word_size;
    std::ranges::copy_backward(word, row_end);
  }
  return Tensor({kind.bad_words, kind.bad_word_size}, std::span<const int32_t>(table));
}

std::vector<int32_t> list_of(const std::optional<int32_t>& id) {
  return id ? std::vector{*id} : std::vector<int32_t>();
}

// The sets of Restrictions.
Tensor token_sets(const GenerationOptions& o, int64_t vocab_size) {
  Tensor sets(TensorType{DType::kBool, {kTokenSets, vocab_size}});
  std::byte* set = sets.data();
  for (const auto& ids : {o.eos_token_id, list_of(o.forced_bos_token_id), o.forced_eos_token_id, o.suppress_tokens,
                          o.begin_suppress_tokens}) {
    for (const int32_t id : ids) set[id] = std::byte{1};
    set += vocab_size;
  }
  return sets;
}

template <class T>
Tensor list(std::initializer_list<double> values) {
  std::vector<T> narrow;
  for (const double value : values) narrow.push_back(static_cast<T>(value));
  return vector_of(narrow);
}

Value element(const Value& list, int64_t i) { return reshape(slice(list, 0, {i, i + 1}), {}); }
Value column(const Value& table, int64_t i) { return reshape(slice(table, 1, {i, i + 1}), {table.shape()[0]}); }

Restrictions restrictions_of(const Value& sets, const Value& limits) {
  const auto set = [&](int64_t i) { return slice(sets, 0, {i, i + 1}); };
  return {.eos_from = column(limits, 1),
          .forced_bos = column(limits, 2),
          .forced_eos = column(limits, 3),
          .begin = column(limits, 4),
          .eos = set(0),
          .bos_tokens = set(1),
          .eos_tokens = set(2),
          .suppressed = set(3),
          .begin_suppressed = set(4)};
}

}  // namespace

SearchKind kind_of(const GenerationOptions& o) {
  const auto bad_words = bad_words_of(o);
  int64_t longest = 0;
  for (const auto& word : bad_words) longest = std::max<int64_t>(longest, std::ssize(word));
  return {.penalises = o.repetition_penalty != 1,
          .samples = o.do_sample,
          .keeps_top_k = o.do_sample && o.top_k != 0,
          .keeps_top_p = o.do_sample && o.top_p != 1,
          .beams = o.num_beams,
          .eos_tokens = std::max<int64_t>(1, std::ssize(o.eos_token_id)),
          .bans_ngrams = o.no_repeat_ngram_size != 0,
          .restricts = o.min_length != 0 || o.min_new_tokens.value_or(0) != 0 || o.forced_bos_token_id ||
                       !o.forced_eos_token_id.empty() || !o.suppress_tokens.empty() || !o.begin_suppress_tokens.empty(),
          .bad_words = bad_words.empty() ? 0 : power_of_two(std::ssize(bad_words)),
          .bad_word_size = bad_words.empty() ? 0 : power_of_two(longest),
          .times = o.times};
}

Values settings_parameters(const SearchKind& kind, int64_t prompts, int64_t vocab_size) {
  Values parameters{parameter("numbers", {DType::kFloat32, {4}}), parameter("positions", {DType::kInt32, {2}}),
                    parameter("integers", {DType::kInt32, {5}}),
                    parameter("eos_token_id", {DType::kInt32, {kMaxEosTokens}}),
                    parameter("key", {DType::kUInt32, {2}})};
  if (kind.bad_words != 0) {
    parameters.push_back(parameter("bad_words", {DType::kInt32, {kind.bad_words, kind.bad_word_size}}));
  }
  if (kind.restricts) parameters.push_back(parameter("token_sets", {DType::kBool, {kTokenSets, vocab_size}}));
  parameters.push_back(parameter("limits", {DType::kInt32, {prompts, kLimits}}));
  parameters.push_back(parameter("prompt_numbers", {DType::kUInt32, {prompts}}));
  return parameters;
}

Settings settings_of(const SearchKind& kind, const Values& in) {
  const Value& limits = in[in.size() - kPromptArguments];
  return {
      .temperature = element(in[0], 0),
      .top_p = element(in[0], 1),
      .repetition_penalty = element(in[0], 2),
      .length_penalty = element(in[0], 3),
      .pause = element(in[1], 0),
      .first = element(in[1], 1),
      .top_k = element(in[2], 0),
      .pad_token_id = element(in[2], 1),
      .early_stopping = element(in[2], 2),
      .ngram_size = element(in[2], 3),
      .start = element(in[2], 4),
      .eos_token_id = in[3],
      .key = in[4],
      .bad_words = kind.bad_words != 0 ? in[5] : Value(),
      .restrictions = kind.restricts ? restrictions_of(in[in.size() - kPromptArguments - 1], limits) : Restrictions(),
      .end = column(limits, 0),
      .numbers = in.back()};
}

std::vector<Tensor> settings_arguments(const SearchKind& kind, const GenerationOptions& o, const CallFacts& facts) {
  const auto number = [](int64_t x) { return static_cast<double>(x); };
  std::vector<Tensor> arguments{
      list<float>({o.temperature, o.top_p, o.repetition_penalty, o.length_penalty}),
      list<int32_t>({number(facts.pause), number(facts.first)}),
      list<int32_t>({number(o.top_k), number(facts.pad_token_id), number(static_cast<int64_t>(o.early_stopping)),
                     number(o.no_repeat_ngram_size), number(facts.start)}),
      eos_tokens(o), key_of(o.seed)};
  if (kind.bad_words != 0) arguments.push_back(table_of_bad_words(kind, o));
  if (kind.restricts) arguments.push_back(token_sets(o, facts.vocab_size));
  arguments.push_back(facts.limits);
  arguments.push_back(facts.numbers);
  return arguments;
}

std::vector<int32_t> limits_of(const GenerationOptions& o, int64_t prompt, int64_t first) {
  const auto narrow = [](int64_t position) { return static_cast<int32_t>(position); };
  if (prompt == 0) return {narrow(first), kNone, kNone, kNone, kNone};
  const int64_t end = first + max_new_tokens(o, prompt);
  const bool has_forced_bos = o.forced_bos_token_id && prompt == 1;
  return {narrow(end), narrow(first + min_new_tokens(o, prompt)), has_forced_bos ? narrow(first) : kNone,
          o.forced_eos_token_id.empty() ? kNone : narrow(end - 1),
          o.begin_suppress_tokens.empty() ? kNone : narrow(has_forced_bos ? first + 1 : first)};
}

}  // namespace portatune::generate
