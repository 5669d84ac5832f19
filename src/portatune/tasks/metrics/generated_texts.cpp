#include "portatune/tasks/metrics/generated_texts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/tasks/metrics/named_metrics.h"
#include "portatune/tasks/metrics/squad_score.h"
#include "portatune/tasks/metrics/texts/rouge.h"
#include "portatune/tasks/metrics/texts/words.h"

namespace portatune::tasks {

std::vector<GeneratedText> generated_texts(const Tensor& tokens, const text::Tokenizer& tokenizer, int32_t pad_id) {
  const auto length = static_cast<size_t>(tokens.shape()[1]);
  std::vector<GeneratedText> texts;
  for (size_t row = 0; row < static_cast<size_t>(tokens.shape()[0]); ++row) {
    std::vector<int32_t> ids;
    std::ranges::remove_copy(tokens.as<int32_t>().subspan(row * length, length), std::back_inserter(ids), pad_id);
    const std::string text = tokenizer.decode(ids, {.skip_special_tokens = true});
    texts.push_back({.text = std::string(stripped(text)), .tokens = std::ssize(ids)});
  }
  return texts;
}

std::vector<std::string> TextScores::names() {
  return {"rouge1", "rouge2", "rougeL", "rougeLsum", "bleu", "chrf", "exact_match", "f1", "wer", "cer", "gen_len"};
}

void TextScores::add(std::string_view given, const GeneratedText& text, double weight) {
  const std::string target(stripped(given));
  const RougeScores of_words = rouge(target, text.text, stems_);
  sums_["rouge1"] += weight * 100 * of_words.rouge1;
  sums_["rouge2"] += weight * 100 * of_words.rouge2;
  sums_["rougeL"] += weight * 100 * of_words.rouge_l;
  sums_["rougeLsum"] += weight * 100 * of_words.rouge_lsum;
  sums_["exact_match"] += weight * (text.text == target ? 100 : 0);
  sums_["f1"] += weight * 100 * score_answer(text.text, {&target, 1}).f1;
  sums_["gen_len"] += weight * static_cast<double>(text.tokens);
  weight_ += weight;
  bleu_.add(target, text.text);
  chrf_.add(target, text.text);
  word_errors_.add(target, text.text);
  character_errors_.add(target, text.text);
}

Scores TextScores::result() const {
  Scores scores;
  if (weight_ == 0) return scores;
  const std::map<std::string, double> of_corpus = {{"bleu", bleu_.result()},
                                                   {"chrf", chrf_.result()},
                                                   {"wer", word_errors_.result()},
                                                   {"cer", character_errors_.result()}};
  for (const std::string& name : names()) {
    const auto found = of_corpus.find(name);
    scores.emplace_back(name, found == of_corpus.end() ? sums_.at(name) / weight_ : found->second);
  }
  return scores;
}

TextToTextMetrics::TextToTextMetrics(const text::Tokenizer& tokenizer, int32_t pad_id, std::vector<std::string> names,
                                     bool stems)
    : tokenizer_(tokenizer),
      pad_id_(pad_id),
      names_(chosen_scores(std::move(names), TextScores::names())),
      of_texts_(stems) {}

void TextToTextMetrics::update(const data::Example& batch, const data::Example& outputs) {
  of_tokens_.update(batch, outputs);
  if (!outputs.has(kGeneratedTokens)) return;
  const std::vector<GeneratedText> texts = generated_texts(outputs.tensor(kGeneratedTokens), tokenizer_, pad_id_);
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  for (size_t row = 0; row < texts.size(); ++row) {
    if (weights[row] != 0) of_texts_.add(batch.texts(kTargetText)[row], texts[row], weights[row]);
  }
}

Scores TextToTextMetrics::result() const {
  Scores scores = of_tokens_.result();
  const Scores of_texts = of_texts_.result();
  for (const std::string& name : names_) {
    const auto found = std::ranges::find(of_texts, name, &Scores::value_type::first);
    if (found != of_texts.end()) scores.push_back(*found);
  }
  return scores;
}

std::string GeneratedTextLines::take(const data::Example& batch, const data::Example& outputs) {
  if (!outputs.has(kGeneratedTokens)) return LanguageModelLines().take(batch, outputs);
  const std::vector<GeneratedText> texts = generated_texts(outputs.tensor(kGeneratedTokens), tokenizer_, pad_id_);
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  std::string lines;
  for (size_t row = 0; row < texts.size(); ++row) {
    if (weights[row] != 0) lines += io::line_of(nlohmann::ordered_json({{"text", texts[row].text}}));
  }
  return lines;
}

}  // namespace portatune::tasks
