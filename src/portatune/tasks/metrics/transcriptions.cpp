#include "portatune/tasks/metrics/transcriptions.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/io/text/json.h"
#include "portatune/tasks/metrics/generated_texts.h"
#include "portatune/tasks/metrics/named_metrics.h"

namespace portatune::tasks {

std::string transcription_lines(const data::Example& batch, const std::vector<std::string>& texts) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  std::string lines;
  for (size_t row = 0; row < texts.size(); ++row) {
    if (weights[row] == 0) continue;
    lines += io::line_of(nlohmann::ordered_json({{"audio", batch.texts("audio")[row]}, {"text", texts[row]}}));
  }
  return lines;
}

std::vector<std::string> transcriptions(const data::Example& batch, const data::Example& outputs,
                                        const CtcTokenizer& tokenizer) {
  const Tensor& frame_ids = outputs.tensor(kFrameIds);
  const std::span<const int32_t> frames = batch.tensor(kHeadFrames).as<int32_t>();
  const auto padded = static_cast<size_t>(frame_ids.shape()[1]);
  std::vector<std::string> texts;
  for (size_t row = 0; row < frames.size(); ++row) {
    const auto real = static_cast<size_t>(frames[row]);
    texts.push_back(tokenizer.decode(frame_ids.as<int32_t>().subspan(row * padded, real)));
  }
  return texts;
}

TranscriptionMetrics::TranscriptionMetrics(const CtcTokenizer& tokenizer, std::vector<std::string> names)
    : tokenizer_(tokenizer), names_(chosen_scores(std::move(names), {"wer", "cer"})) {}

void TranscriptionMetrics::update(const data::Example& batch, const data::Example& outputs) {
  const std::vector<std::string> texts = transcriptions(batch, outputs, tokenizer_);
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  for (size_t row = 0; row < texts.size(); ++row) {
    if (weights[row] == 0) continue;
    const std::string& spelled = batch.texts(kSpelledText)[row];
    words_.add(spelled, texts[row]);
    characters_.add(spelled, texts[row]);
    has_rows_ = true;
  }
}

Scores TranscriptionMetrics::result() const {
  Scores scores;
  if (!has_rows_) return scores;
  for (const std::string& name : names_) {
    scores.emplace_back(name, name == "wer" ? words_.result() : characters_.result());
  }
  return scores;
}

std::string TranscriptionLines::take(const data::Example& batch, const data::Example& outputs) {
  return transcription_lines(batch, transcriptions(batch, outputs, tokenizer_));
}

}  // namespace portatune::tasks
