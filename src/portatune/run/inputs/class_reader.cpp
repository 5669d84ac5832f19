#include "portatune/run/inputs/class_reader.h"

#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/label_sets.h"
#include "portatune/tasks/rows/row_json.h"

namespace portatune::run {
namespace {

using Labels = ClassReader::Labels;

ClassReader label_columns(const Labels& classes) {
  const auto read = [classes](const data::Example& row) {
    const Tensor indicators = tasks::indicator_columns(row, classes);
    Labels labels;
    for (size_t i = 0; i < classes.size(); ++i) {
      if (indicators.as<float>()[i] > 0) labels.push_back(classes[i]);
    }
    return labels;
  };
  return {classes, read};
}

}  // namespace

ClassReader one_class_reader(const Labels& classes, const std::string& column) {
  const auto read = [classes, column](const data::Example& row) {
    tasks::label_id(row, column, classes);
    return Labels{row.text(column)};
  };
  return {classes, read};
}

ClassReader class_reader(const TextClassificationOptions& options, Head head, const Labels& classes) {
  if (head == Head::kRegression) return {};
  if (head != Head::kMultiLabel) return one_class_reader(classes, options.label_column);
  if (!options.label_columns.empty()) return label_columns(classes);
  return {classes, [column = options.label_column, separator = options.label_separator](const data::Example& row) {
            return tasks::label_set(row, column, separator);
          }};
}

ClassReader class_reader(const ModelOptions& model, const RowTask& task) {
  if (const auto* images = dynamic_cast<const ImageClassification*>(&task)) {
    return one_class_reader(images->labels(), model.options.label_column);
  }
  if (const auto* tags = dynamic_cast<const TokenClassification*>(&task)) {
    return {tags->labels(), [&](const data::Example& row) { return tasks::texts_in(row, model.tags_column); }};
  }
  const auto* texts = dynamic_cast<const TextClassification*>(&task);
  return texts == nullptr ? ClassReader() : class_reader(model.options, texts->head(), texts->labels());
}

}  // namespace portatune::run
