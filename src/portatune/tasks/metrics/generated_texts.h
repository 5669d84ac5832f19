// Metrics of generated texts, and their prediction files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/tasks.h"
#include "portatune/tasks/metrics/language_model.h"
#include "portatune/tasks/metrics/texts/bleu.h"
#include "portatune/tasks/metrics/texts/word_error_rate.h"
#include "portatune/text.h"

namespace portatune::tasks {

/// Output of the forward pass, int32 [batch, length]: the first token that the decoder reads, the new tokens, and
/// padding.
inline constexpr std::string_view kGeneratedTokens = "generated_tokens";
/// Output of the forward pass, float32 [batch]: 0, or infinity if logits of these tokens were not finite. Evaluations
/// refuse it then.
inline constexpr std::string_view kGeneratedLogits = "generated_logits";
/// Column of a batch: the text that the row has as its target.
inline constexpr std::string_view kTargetText = "target_text";

/// A generated text.
struct GeneratedText {
  std::string text;    ///< without special tokens, and without white space at both ends
  int64_t tokens = 0;  ///< without padding
};
/// tokens  [batch, length], of kGeneratedTokens
std::vector<GeneratedText> generated_texts(const Tensor& tokens, const text::Tokenizer& tokenizer, int32_t pad_id);

/// Scores of texts against the texts of the rows. Each row counts with its weight, in BLEU, chrF and error rates once.
///   rouge1, rouge2, rougeL, rougeLsum  mean F-measures in percent
///   bleu, chrf                         of all texts together, 0 to 100
///   wer, cer                           of all texts together: errors in words and in characters, divided by their
///                                      number in the targets
///   exact_match, f1                    in percent: equal texts; SQuAD's F1 of their words
///   gen_len                            mean number of tokens
class TextScores {
 public:
  /// stems  whether ROUGE compares stems
  explicit TextScores(bool stems) : stems_(stems) {}

  static std::vector<std::string> names();
  void add(std::string_view target, const GeneratedText& text, double weight);
  /// All scores, in the order of names(); none without a text.
  Scores result() const;

 private:
  const bool stems_;
  std::map<std::string, double> sums_;  // of each row's score
  double weight_ = 0;
  Bleu bleu_;
  Chrf chrf_;
  WordErrorRate word_errors_;
  CharacterErrorRate character_errors_;
};

/// Perplexity and accuracy of the target tokens and, if the outputs have generated tokens, scores of the texts.
class TextToTextMetrics final : public Metrics {
 public:
  /// names   of the scores to report, in this order; {"all"}: all of them
  /// errors  UsageError for an unknown name
  TextToTextMetrics(const text::Tokenizer& tokenizer, int32_t pad_id, std::vector<std::string> names, bool stems);

  void update(const data::Example& batch, const data::Example& outputs) override;
  Scores result() const override;

 private:
  const text::Tokenizer& tokenizer_;
  const int32_t pad_id_;
  const std::vector<std::string> names_;
  LanguageModelMetrics of_tokens_;
  TextScores of_texts_;
};

/// {"text": the generated text} for each row; without generated tokens the lines of LanguageModelLines.
class GeneratedTextLines final : public PredictionLines {
 public:
  GeneratedTextLines(const text::Tokenizer& tokenizer, int32_t pad_id) : tokenizer_(tokenizer), pad_id_(pad_id) {}
  std::string take(const data::Example& batch, const data::Example& outputs) override;

 private:
  const text::Tokenizer& tokenizer_;
  const int32_t pad_id_;
};

}  // namespace portatune::tasks
