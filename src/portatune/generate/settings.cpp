#include "portatune/generate/settings.h"

#include <algorithm>

#include "portatune/base/random.h"
#include "portatune/ops.h"

namespace portatune::generate {
namespace {

// Similar seeds must give unrelated keys.
Tensor key_of(uint64_t seed) {
  const uint64_t key = split_mix_64(seed, 0);
  return Tensor({2}, {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
}

Tensor eos_tokens(const GenerationOptions& options) {
  std::vector<int32_t> ids(kMaxEosTokens, -1);
  std::ranges::copy(options.eos_token_id, ids.begin());
  return vector_of(ids);
}

template <class T>
Tensor list(std::initializer_list<double> values) {
  std::vector<T> narrow;
  for (const double value : values) narrow.push_back(static_cast<T>(value));
  return vector_of(narrow);
}

Value element(const Value& list, int64_t i) { return reshape(slice(list, 0, {i, i + 1}), {}); }

}  // namespace

Values settings_parameters(int64_t prompts) {
  return {parameter("numbers", {DType::kFloat32, {4}}), parameter("places", {DType::kInt32, {3}}),
          parameter("integers", {DType::kInt32, {3}}),  parameter("eos_token_id", {DType::kInt32, {kMaxEosTokens}}),
          parameter("key", {DType::kUInt32, {2}}),      parameter("prompt_numbers", {DType::kUInt32, {prompts}})};
}

Settings settings_of(const Values& in) {
  return {.temperature = element(in[0], 0),
          .top_p = element(in[0], 1),
          .repetition_penalty = element(in[0], 2),
          .length_penalty = element(in[0], 3),
          .pause = element(in[1], 0),
          .end = element(in[1], 1),
          .first = element(in[1], 2),
          .top_k = element(in[2], 0),
          .pad_token_id = element(in[2], 1),
          .early_stopping = element(in[2], 2),
          .eos_token_id = in[3],
          .key = in[4],
          .numbers = in[5]};
}

std::vector<Tensor> settings_arguments(const GenerationOptions& o, const Positions& positions, int32_t pad_token_id,
                                       const Tensor& numbers) {
  const auto number = [](int64_t x) { return static_cast<double>(x); };
  return {list<float>({o.temperature, o.top_p, o.repetition_penalty, o.length_penalty}),
          list<int32_t>({number(positions.pause), number(positions.end), number(positions.first)}),
          list<int32_t>({number(o.top_k), number(pad_token_id), number(static_cast<int64_t>(o.early_stopping))}),
          eos_tokens(o),
          key_of(o.seed),
          numbers};
}

}  // namespace portatune::generate
