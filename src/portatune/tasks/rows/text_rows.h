// The texts of a batch and their rows: one text per row, unless they are packed.
//
// The body of a model reads rows. Everything above it (heads, labels, losses, outputs) is per text, packed or not.
#pragma once

#include <optional>

#include "portatune/tasks.h"
#include "portatune/tasks/objectives/token_slices.h"
#include "portatune/tasks/text_task.h"

namespace portatune::tasks {

class TextRows {
 public:
  TextRows(const TextCheckpoint& checkpoint, const Columns& batch);
  /// places  column data::kTokenPlaces; absent if each row is a text
  /// pad_id  padding at the end of texts
  TextRows(models::TextInputs rows, Value places, double pad_id);

  /// Inputs of TextBody::hidden_states(), [rows, length] each.
  const models::TextInputs& rows() const { return rows_; }
  /// Inputs of heads beside hidden states, [texts, length] each.
  const models::TextInputs& texts() const { return texts_; }

  /// Moves values from the positions of rows, [rows, length, ...], to those of texts: [texts, length, ...].
  /// padding  value after the end of a text; without it these values are arbitrary and get no gradient
  Value to_texts(const Value& x, std::optional<double> padding = std::nullopt) const;
  /// Moves int32 values [texts, length] back to rows.
  /// padding  value at positions without a text
  Value to_rows(const Value& x, int32_t padding) const;

 private:
  models::TextInputs rows_, texts_;
  Value places_;
};

/// tasks::language_modelling() of the head's logits of x [rows, length, hidden_size] and labels [texts, length].
Forward language_modelling(const TextRows& texts, const LanguageModelHead& head, const Value& x, const Value& labels,
                           const Value& weights);

}  // namespace portatune::tasks
