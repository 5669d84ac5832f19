#include "portatune/cli/validation_split.h"

#include <fmt/format.h>

#include "portatune/cli/bad_rows.h"
#include "portatune/cli/rows.h"
#include "portatune/error.h"
#include "portatune/folds.h"

namespace portatune::cli {
namespace {

bool has_one_class_a_row(const RowTask& task) {
  if (const auto* texts = dynamic_cast<const TextClassification*>(&task)) {
    return texts->head() == Head::kSoftmax || texts->head() == Head::kSigmoid;
  }
  return dynamic_cast<const ImageClassification*>(&task) != nullptr;
}

std::vector<std::string> texts_in(const data::Dataset& rows, const std::string& column) {
  std::vector<std::string> texts;
  for (const data::Example& row : interruptible(rows).iterate()) {
    const auto* text = row.has(column) ? std::get_if<std::string>(&row.column(column)) : nullptr;
    texts.push_back(text != nullptr ? *text : "");  // encoding tells what is wrong with it
  }
  return texts;
}

}  // namespace

std::optional<std::vector<std::string>> classes_of(const FitArguments& a, const RowTask& task,
                                                   const data::Dataset& rows) {
  if (!has_one_class_a_row(task)) return {};
  return texts_in(rows, a.model.options.label_column);
}

void check_validation_split(const FitArguments& a) {
  if (a.validation_split == 0 || (a.validation.empty() && a.folds == 0)) return;
  throw UsageError({.where = "validation_split",
                    .given = a.folds > 0 ? "--folds as well" : "--validation as well",
                    .expected = "one of them"});
}

std::vector<bool> held_out_rows(const FitArguments& a, const RowTask& task, const data::Dataset& all,
                                run::Events& events) {
  const data::Dataset rows = tolerant(a.model, all);  // places are those of rows that can be read
  const uint64_t seed = a.training.seed;
  const std::optional<std::vector<std::string>> classes = classes_of(a, task, rows);
  if (!classes) return data::hold_out(count(rows), a.validation_split, seed);
  try {
    return data::stratified_hold_out(*classes, a.validation_split, seed);
  } catch (const UsageError& error) {
    events.notice(fmt::format("held-out rows are taken whatever their class: {}", error.report().given));
    return data::hold_out(std::ssize(*classes), a.validation_split, seed);
  }
}

}  // namespace portatune::cli
