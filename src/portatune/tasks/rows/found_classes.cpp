#include "portatune/tasks/rows/found_classes.h"

#include <algorithm>
#include <cmath>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/tasks/objectives/heads.h"
#include "portatune/tasks/rows/label_names.h"

namespace portatune::tasks {
namespace {

using Names = std::vector<std::string>;

std::string place_of(const TaskContext& context, const std::string& column) {
  return "column \"" + column + "\" of " + list_of(context.files, 3);
}

bool is_number(const std::string& text) {
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number);
}

bool has_fraction(const std::string& text) {
  const double number = *number_in<double>(text);
  return number != std::trunc(number);
}

}  // namespace

Names classes_of_rows(const TaskContext& context, const data::Dataset& rows, const std::string& column) {
  const auto has_label = [column](const data::Example& row) {
    require_label(row, column);
    return true;
  };
  return labels_of(context.readable(rows.filter(has_label)), column).labels;
}

void require_several_classes(const Names& classes, const TaskContext& context, const std::string& column) {
  if (classes.size() != 1) return;
  throw DataError({.where = place_of(context, column),
                   .given = "one class only, \"" + classes.front() + "\", in all rows",
                   .expected = "rows of at least two classes",
                   .fix = "add rows of another class, or name the column of the labels: --label-column NAME"});
}

void require_no_fractions(const Names& classes, const TaskContext& context, const std::string& column) {
  if (!std::ranges::all_of(classes, is_number) || std::ranges::none_of(classes, has_fraction)) return;
  throw DataError({.where = place_of(context, column),
                   .given = list_of(classes, 6) + ": numbers with fractions",
                   .expected = "the names of classes, or the choice to learn these numbers",
                   .fix = "--head regression to predict the number, or --head softmax if they are classes"});
}

Names in_order_of_model(const Names& classes, const TaskContext& context) {
  return in_stored_order(classes, labels_in(hub::read_config(context.model)));
}

Names classes_without_rows(const TaskContext& context, const std::string& task, Names given, std::optional<Head> head) {
  if (!given.empty()) return given;
  const io::JsonObject config = hub::read_config(context.model);
  const Names stored = labels_in(config);
  const Head wanted = head.value_or(head_in(config));
  if (context.classes == Classes::kAssumed) {
    if (stored.size() > 1 || wanted == Head::kRegression) return {};
    context.notice("no --train, and config.json names no classes: the plan is for 2 classes (--labels names others)");
    return {"0", "1"};
  }
  if (head || !stored.empty() || wanted != Head::kSoftmax) return {};
  throw CheckpointError({.where = context.model.folder.string(),
                         .given = "no labels: config.json has no id2label, so this is an encoder without a head",
                         .expected = "a model that is trained for " + task,
                         .fix = "fine-tune the model first: portatune fit"});
}

}  // namespace portatune::tasks
