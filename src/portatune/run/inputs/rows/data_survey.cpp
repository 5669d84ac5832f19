#include "portatune/run/inputs/rows/data_survey.h"

#include <algorithm>
#include <map>

#include "portatune/base/text/number.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/run.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/text_task.h"

namespace portatune::run {
namespace {

constexpr int64_t kRowsAtOnce = 64;
constexpr size_t kMaxFiles = 50;  // a folder of images has a file for each row

void extend(std::optional<std::pair<double, double>>& range, double number) {
  range =
      range ? std::pair(std::min(range->first, number), std::max(range->second, number)) : std::pair(number, number);
}

bool is_blank(const data::Column& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && (*text == "[]" || text->find_first_not_of(" \t\r\n") == std::string::npos);
}

class RowCounter {
 public:
  RowCounter(const RowTask& task, DataSurvey& survey)
      : task_(task), survey_(survey), labels_(task.row_labels()), text_columns_(task.text_columns()) {}

  void add(const data::Example& row) {
    for (const std::string& label : labels_.in_row(row)) ++counts_[label];
    // Encoding the row reports a label that is no number.
    for (const std::string& column : labels_.number_columns) {
      extend(survey_.numbers, number_in<double>(row.text(column)).value_or(0));
    }
    if (row.has(data::kExampleWeight)) extend(survey_.weights, row.tensor(data::kExampleWeight).as<float>()[0]);
    ++survey_.rows;
    if (row.origin().file && files_.size() <= kMaxFiles) ++files_[*row.origin().file];
    if (is_empty(row)) ++survey_.empty_rows;
    if (const auto cut = task_.cut_texts(row)) survey_.cut_texts = survey_.cut_texts.value_or(0) + *cut;
  }

  // The classes in the order of their ids. A name that replaces "LABEL_0" and the like has the id of that class.
  std::vector<std::pair<std::string, int64_t>> classes() const {
    std::vector<std::pair<std::string, int64_t>> classes(counts_.begin(), counts_.end());
    std::ranges::stable_sort(classes, {}, [this](const auto& entry) {
      return tasks::id_of(entry.first, labels_.classes).value_or(static_cast<int32_t>(labels_.classes.size()));
    });
    return classes;
  }

  std::vector<std::pair<std::string, int64_t>> files() const {
    if (files_.size() > kMaxFiles) return {};
    return {files_.begin(), files_.end()};
  }

 private:
  bool is_empty(const data::Example& row) const {
    const auto is_empty_here = [&](const std::string& column) {
      return row.has(column) && is_blank(row.column(column));
    };
    return !text_columns_.empty() && std::ranges::all_of(text_columns_, is_empty_here);
  }

  const RowTask& task_;
  DataSurvey& survey_;
  const RowLabels labels_;
  const std::vector<std::string> text_columns_;
  std::map<std::string, int64_t> counts_, files_;
};

}  // namespace

DataSurvey survey(const ModelOptions& model, const RowTask& task, const data::Dataset& rows) {
  DataSurvey survey;
  RowCounter counter(task, survey);
  const data::Dataset counted = rows.filter([&](const data::Example& row) {
    counter.add(row);
    return true;
  });
  if (dynamic_cast<const TextTask*>(&task) == nullptr) {
    survey.examples = count(tolerant(model, task.examples(counted)));
  } else {
    const data::Dataset batches =
        interruptible(tolerant(model, task.training_batches(counted, kRowsAtOnce, {.buffer = 1})));
    survey.lengths = task.length_counts(batches.filter([&](const data::Example& batch) {
      survey.examples += std::ssize(batch.row_origins());
      return true;
    }));
  }
  survey.classes = counter.classes();
  survey.files = counter.files();
  return survey;
}

std::vector<std::optional<DataSurvey>> survey_validation(const RunOptions& a, const RowTask& task,
                                                         const std::vector<ValidationSet>& sets) {
  const std::vector<std::string>& words = a.validation.empty() ? a.train : a.validation;
  std::vector<std::optional<DataSurvey>> surveys;
  for (const ValidationSet& set : sets) {
    const bool is_far = std::ranges::any_of(words, io::is_remote);
    surveys.push_back(is_far ? std::nullopt : std::optional(survey(a.model, task, set.rows)));
  }
  return surveys;
}

}  // namespace portatune::run
