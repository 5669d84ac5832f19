// Decoding token by token with a cache gives the same results as the whole text at once, which parity_test.cpp compares
// with transformers.
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "models/cases.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/error.h"

namespace portatune::test {
namespace {

using models::KeyValueCache;
using models::TextInputs;

constexpr int32_t kLength = 7, kPrompt = 4, kCacheLength = 9;

// Two rows, the second padded on the left by two tokens.
Value ids() { return constant(Tensor({2, kLength}, {5, 17, 3, 99, 42, 8, 64, 0, 0, 23, 11, 6, 71, 30})); }
Value mask() { return constant(Tensor({2, kLength}, {1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1})); }
Value positions() { return constant(Tensor({2, kLength}, {0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 1, 2, 3, 4})); }

// Tokens begin..end-1. Their mask covers the cache if they are not the first.
TextInputs tokens(int64_t begin, int64_t end) {
  const auto part = [&](const Value& x) { return slice(x, 1, {begin, end}); };
  const Value seen = begin == 0 ? part(mask()) : pad(slice(mask(), 1, {0, end}), 1, 0, kCacheLength - end);
  return {.input_ids = part(ids()), .attention_mask = seen, .position_ids = part(positions())};
}

// The last hidden states of all tokens: the first kPrompt at once, the others one by one.
Value decode(const models::Decoder& model, const nn::Scope& root) {
  KeyValueCache cache = model.empty_cache(2, kCacheLength, DType::kFloat32);
  Values x{model.next_hidden_state(root, tokens(0, kPrompt), cache, {})};
  for (int32_t i = kPrompt; i < kLength; ++i) {
    x.push_back(model.next_hidden_state(root, tokens(i, i + 1), cache, constant(Tensor({}, {i}))));
  }
  return concatenate(x, 1);
}

class Decoding : public ::testing::TestWithParam<const char*> {};

TEST_P(Decoding, WithACacheEqualsTheWholeText) {
  const parity::ReferenceCase reference{case_folder(GetParam())};
  const auto model = models::text_model(reference.model().config());
  nn::Context context({});
  const nn::Scope root(context);
  const Value whole = model->body().hidden_states(root, tokens(0, kLength)).back(),
              by_token = decode(*model->decoder(), root);

  const std::vector<nn::Parameter> parameters(context.parameters().begin(), context.parameters().end());
  Values arguments;
  for (const nn::Parameter& parameter : parameters) arguments.push_back(parameter.value);
  const InitialWeights weights = parity::ReferenceTask(reference).initial_weights(parameters, 0);
  for (const Device* device : {&decompositions(), &kernels()}) {
    const auto results = evaluate({whole, by_token}, arguments, weights.values, *device);
    ASSERT_EQ(results[0].shape(), results[1].shape());
    const int64_t width = results[0].shape().back();
    for (int64_t i = 0; i < results[0].shape().elements(); ++i) {
      const int64_t token = i / width;
      if (token == kLength || token == kLength + 1) continue;  // padding
      ASSERT_NEAR(results[1].as<float>()[static_cast<size_t>(i)], results[0].as<float>()[static_cast<size_t>(i)], 2e-5)
          << "token " << token;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Decoding,
                         ::testing::Values("gpt2_lm", "opt_lm", "opt_350m", "llama_lm", "mistral_lm", "qwen2_lm",
                                           "qwen3_lm", "gptneox_lm", "phi_lm", "smollm3_lm", "gemma_lm", "gemma2_lm",
                                           "gemma3_lm", "bartdecoder_lm", "mbartdecoder_lm", "pegasusdecoder_lm",
                                           "mariandecoder_lm", "bigbirdpegasusdecoder_lm", "whisperdecoder_lm"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace portatune::test
