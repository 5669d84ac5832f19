// The texts of a batch and the rows that they stand in: one each, unless they are packed.
//
// The body of a model reads rows. What stands after it (heads, labels, losses, outputs) is of texts, packed or not.
#pragma once

#include <optional>

#include "portatune/tasks.h"
#include "portatune/text_task.h"

namespace portatune::tasks {

class TextRows {
 public:
  TextRows(const TextCheckpoint& checkpoint, const Columns& batch);
  /// places  as data::kTokenPlaces; absent where rows are texts
  /// pad_id  that texts end with
  TextRows(models::TextInputs rows, Value places, double pad_id);

  /// [rows, length] each: what TextModel::hidden_states() reads.
  const models::TextInputs& rows() const { return rows_; }
  /// [texts, length] each: what heads read beside hidden states.
  const models::TextInputs& texts() const { return texts_; }

  /// Of values at the places of rows, [rows, length, ...], those of the texts: [texts, length, ...].
  /// padding  what stands where a text has ended; without it that means nothing, and gets no gradient
  Value to_texts(const Value& x, std::optional<double> padding = std::nullopt) const;
  /// The way back, for int32 [texts, length].
  /// padding  what stands where there is no text
  Value to_rows(const Value& x, int32_t padding) const;

 private:
  models::TextInputs rows_, texts_;
  Value places_;
};

/// tasks::language_modelling() of logits [rows, length, vocab_size] and labels [texts, length].
Forward language_modelling(const TextRows& texts, const Value& logits, const Value& labels, const Value& weights);

}  // namespace portatune::tasks
