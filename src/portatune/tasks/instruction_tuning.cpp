#include <algorithm>

#include "portatune/chat/dates.h"
#include "portatune/tasks/causal_task.h"
#include "portatune/tasks/language_models.h"
#include "portatune/tasks/objectives/class_losses.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/rows/instruction_rows.h"

namespace portatune {
namespace {

// The first token is not predicted, because no token precedes it.
bool has_label(const data::Example& example) {
  const auto labels = example.tensor("labels").as<int32_t>();
  return std::ranges::any_of(labels.subspan(std::min<size_t>(labels.size(), 1)),
                             [](int32_t label) { return label != tasks::kNoLabel; });
}

class InstructionTuning final : public tasks::CausalTask {
 public:
  InstructionTuning(const ModelSource& model, const InstructionOptions& options)
      : CausalTask(model, options.max_length, options.label_smoothing),
        options_(options),
        rows_(model.folder, checkpoint().tokenizer(), options) {}

  std::vector<std::string> columns(Labels) const override { return rows_.columns(); }

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels) const override {
    return checkpoint().batches(labelled(rows), size, {{"labels", tasks::kNoLabel}});
  }
  data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                 const data::ShuffleOptions& order) const override {
    return checkpoint().batches(labelled(rows.shuffle(order).named("shuffle")).filter(has_label), size,
                                {{"labels", tasks::kNoLabel}});
  }
  bool can_be_packed() const override { return checkpoint().can_be_packed(); }
  data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                               const data::ShuffleOptions& order) const override {
    return checkpoint().packed_batches(labelled(rows.shuffle(order).named("shuffle")).filter(has_label), shapes,
                                       {{"labels", tasks::kNoLabel}});
  }
  std::optional<int64_t> cut_texts(const data::Example& row) const override {
    return std::ssize(rows_.encode(row).ids) > options_.max_length ? 1 : 0;
  }
  data::Dataset examples(const data::Dataset& rows) const override { return labelled(rows).filter(has_label); }

  std::map<std::string, std::string> settings() const override {
    std::map<std::string, std::string> settings = {
        {"max_length", std::to_string(options_.max_length)}, {"messages_column", options_.messages_column},
        {"prompt_column", options_.prompt_column},           {"completion_column", options_.completion_column},
        {"chat_template", options_.chat_template.string()},  {"chat_variables", options_.chat.variables}};
    // Older checkpoints have none of these settings.
    settings.merge(tasks::settings_of({.label_smoothing = options_.label_smoothing}));
    if (!options_.input_column.empty()) settings["input_column"] = options_.input_column;
    if (options_.as_messages) settings["as_messages"] = "true";
    if (!options_.chat.tools.empty()) settings["chat_tools"] = options_.chat.tools;
    if (rows_.tells_date()) settings["chat_date"] = options_.chat.date;
    return settings;
  }

 private:
  data::Dataset labelled(const data::Dataset& rows) const {
    return encoded(rows, name_of(Labels::kRequired), [this](const data::Example& row) {
      tasks::LabelledTokens tokens = rows_.encode(row);
      const size_t length = std::min(tokens.ids.size(), static_cast<size_t>(options_.max_length));
      data::Example example(row.origin());
      checkpoint().set_ids(example, std::span<const int32_t>(tokens.ids).first(length));
      example.set("labels",
                  Tensor({static_cast<int64_t>(length)}, std::span<const int32_t>(tokens.labels).first(length)));
      return example;
    });
  }

  const InstructionOptions options_;
  const tasks::InstructionRows rows_;
};

}  // namespace

std::unique_ptr<RowTask> instruction_tuning(const ModelSource& model, InstructionOptions options) {
  // Set once, so that all rows and epochs use the same date and a resumed run can be compared.
  if (options.chat.date.empty()) options.chat.date = chat::today();
  return std::make_unique<InstructionTuning>(model, options);
}

}  // namespace portatune
