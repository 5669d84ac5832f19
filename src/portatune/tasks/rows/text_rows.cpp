#include "portatune/tasks/rows/text_rows.h"

#include "portatune/data.h"
#include "portatune/ops.h"
#include "portatune/tasks/objectives/objectives.h"

namespace portatune::tasks {
namespace {

Value number(int32_t value) { return full({DType::kInt32, {}}, value); }

// Reshapes x [a, b, ...] to a table of a * b rows; of width 1 if x has no further axis.
Value table_of(const Value& x) { return reshape(x, {x.shape()[0] * x.shape()[1], x.rank() == 2 ? 1 : x.shape()[2]}); }

// Rows of a table for ids [a, b], with the rank of x.
Value pick(const Value& x, const Value& ids) {
  const Value picked = gather_rows(table_of(x), ids);
  return x.rank() == 2 ? reshape(picked, ids.shape()) : picked;
}

}  // namespace

TextRows::TextRows(const TextCheckpoint& checkpoint, const Columns& batch)
    : TextRows(checkpoint.inputs_of(batch),
               batch.contains(data::kTokenPlaces) ? batch.find(data::kTokenPlaces)->second : Value(),
               checkpoint.padding().at("input_ids")) {}

TextRows::TextRows(models::TextInputs rows, Value places, double pad_id)
    : rows_(std::move(rows)), texts_(rows_), places_(std::move(places)) {
  if (!places_) return;
  const Value is_token = compare(Direction::kGreaterEqual, places_, number(0));
  texts_ = {.input_ids = to_texts(rows_.input_ids, pad_id), .attention_mask = convert(is_token, DType::kInt32)};
  if (rows_.token_type_ids) texts_.token_type_ids = to_texts(rows_.token_type_ids, 0);
}

Value TextRows::to_texts(const Value& x, std::optional<double> padding) const {
  if (!places_) return x;
  const Value values = pick(x, places_);
  if (!padding) return values;
  const Value has_ended = compare(Direction::kLess, places_, number(0));
  const Value condition = x.rank() == 2 ? has_ended : expand_dims(has_ended, -1);
  return select(condition, full({x.dtype(), {}}, *padding), values);
}

Value TextRows::to_rows(const Value& x, int32_t padding) const {
  if (!places_) return x;
  const auto length = static_cast<int32_t>(x.shape()[1]);
  const Value &text = rows_.attention_mask, &position = rows_.position_ids;  // texts are numbered from 1 on
  const Value values = pick(x, (text - number(1)) * number(length) + position);
  return select(compare(Direction::kEqual, text, number(0)), number(padding), values);
}

Forward language_modelling(const TextRows& texts, const LanguageModelHead& head, const Value& x, const Value& labels,
                           const Value& weights) {
  return objective_of_tokens(head, x, texts.to_rows(labels, kNoLabel), [&](const TokenFigures& figures) {
    return language_modelling({texts.to_texts(figures.losses), texts.to_texts(figures.hits)}, labels, weights);
  });
}

}  // namespace portatune::tasks
