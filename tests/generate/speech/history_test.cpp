// The tokens before texts that earlier texts precede, compared with transformers: tests/data/speech_generation.json,
// made by tests/oracle/tasks/make_speech_generation_cases.py.
#include "portatune/generate/speech/history.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "generate/ids.h"

namespace portatune::generate {
namespace {

constexpr TimeScale kTimes{.first = 76, .step = 0.02};

TEST(SpeechHistory, HasTheTokensOfTransformers) {
  const auto golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/speech_generation.json"));
  size_t cut = 0, without_texts = 0;
  for (const auto& run : golden["histories"]) {
    const HistoryRules rules{.start = 71,
                             .prompt = run["prompt"].get<Ids>(),
                             .repeats_prompt = run["condition"] == "all-segments",
                             .max_tokens = run["max_tokens"]};
    SpeechHistory history(rules);
    for (size_t i = 0; i < run["texts"].size(); ++i) {
      SCOPED_TRACE(i);
      const Ids previous = history.previous();
      EXPECT_EQ(previous, run["previous"][i].get<Ids>());
      EXPECT_LE(std::ssize(previous), rules.size());
      cut += std::ssize(previous) == rules.size() ? 1 : 0;
      without_texts += previous == rules.prompt ? 1 : 0;
      history.add(run["texts"][i].get<Ids>(), kTimes);
      history.set_temperature(run["temperatures"][i]);
    }
  }
  EXPECT_GE(cut, 50U);
  EXPECT_GE(without_texts, 50U);
}

TEST(SpeechHistory, KeepsTextsBeforeSilence) {
  const HistoryRules rules{.start = 71, .max_tokens = 4};
  SpeechHistory history(rules);
  history.add(Ids{76, 5, 80}, kTimes);
  history.set_temperature(0);
  EXPECT_EQ(history.previous(), (Ids{71, 76, 5, 80}));
  history.set_temperature(0.5);  // a silent window
  EXPECT_EQ(history.previous(), Ids());
  history.set_temperature(0.4);
  EXPECT_EQ(history.previous(), (Ids{71, 76, 5, 80}));
}

}  // namespace
}  // namespace portatune::generate
