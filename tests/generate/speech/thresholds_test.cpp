// The attempts of generate() of transformers to write texts: tests/data/speech_attempts.json, made by
// tests/oracle/tasks/make_speech_attempt_cases.py.
#include "portatune/generate/speech/thresholds.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace portatune::generate {
namespace {

using nlohmann::json;

constexpr int64_t kVocabSize = 317;

std::optional<double> number(const json& options, const char* name) {
  return options.contains(name) && !options[name].is_null() ? std::optional(options[name].get<double>()) : std::nullopt;
}

TEST(SpeechThresholds, DecideAsTransformers) {
  size_t refused = 0, silent = 0, sampled = 0;
  const json runs = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/speech_attempts.json"));
  for (const auto& [name, run] : runs.items()) {
    SCOPED_TRACE(name);
    const json& options = run["options"];
    const SpeechThresholds thresholds{.compression_ratio = number(options, "compression_ratio_threshold"),
                                      .logprob = number(options, "logprob_threshold"),
                                      .no_speech = number(options, "no_speech_threshold")};
    for (const json& attempt : run["attempts"]) {
      const auto tokens = attempt["tokens"].get<std::vector<int32_t>>();
      EXPECT_EQ(compression_ratio(tokens, kVocabSize), attempt["compression_ratio"].get<double>());
      const SpeechVerdict verdict = verdict_of({.tokens = tokens,
                                                .logprob = number(attempt, "logprob").value_or(0),
                                                .no_speech = number(attempt, "no_speech").value_or(0)},
                                               thresholds, kVocabSize);
      EXPECT_EQ(verdict == SpeechVerdict::kRefused, attempt["refused"].get<bool>());
      EXPECT_EQ(verdict == SpeechVerdict::kSilent, attempt["silent"].get<bool>());
      refused += verdict == SpeechVerdict::kRefused ? 1 : 0;
      silent += verdict == SpeechVerdict::kSilent ? 1 : 0;
      sampled += attempt["temperature"].get<double>() > 0.1 ? 1 : 0;
    }
  }
  EXPECT_GE(refused, 3U);
  EXPECT_GE(silent, 3U);
  EXPECT_GE(sampled, 3U);
}

TEST(SpeechThresholds, TakeAsManyBytesPerTokenAsTheVocabularyNeeds) {
  const std::vector<int32_t> tokens(100, 7);
  // The denominators are len(zlib.compress(bytes)) in Python.
  EXPECT_DOUBLE_EQ(compression_ratio(tokens, 200), 100.0 / 12);
  EXPECT_DOUBLE_EQ(compression_ratio(tokens, 51865), 200.0 / 13);
  EXPECT_DOUBLE_EQ(compression_ratio(tokens, 70000), 300.0 / 15);
}

}  // namespace
}  // namespace portatune::generate
