#include "portatune/error.h"
#include "portatune/sources.h"
#include "portatune/tasks/causal_task.h"
#include "portatune/tasks/language_models.h"
#include "portatune/tasks/objectives/class_losses.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

// Tokens of a row with the end that separates it from the next: that of a text in a table, or of a line in a text.
std::vector<int32_t> with_end(const text::Tokenizer& tokenizer, const std::string& text, bool is_line) {
  if (is_line) return tokenizer.encode(text + "\n").ids;
  std::vector<int32_t> ids = tokenizer.encode(text).ids;
  if (const std::optional<int32_t> eos = tokenizer.eos_id(); eos && (ids.empty() || ids.back() != *eos)) {
    ids.push_back(*eos);
  }
  return ids;
}

class CausalLm final : public tasks::CausalTask {
 public:
  CausalLm(const ModelSource& model, CausalLmOptions options)
      : CausalTask(model, options.block_size, options.label_smoothing), options_(std::move(options)) {}

  std::vector<std::string> columns(Labels) const override { return {options_.text_column}; }
  data::Dataset read(const std::vector<std::string>& files, Labels labels, data::TableOptions table) const override {
    for (const std::string& file : data::table_files(files)) {
      if ((data::kind_extension(file, table) == ".txt") == options_.rows_are_lines) continue;
      throw UsageError(
          {.where = file,
           .given = options_.rows_are_lines ? "a table" : "lines of a text",
           .expected = options_.rows_are_lines ? "a .txt file like the first file" : "a table like the first file",
           .fix = "use files of one kind: the end-of-text token joins texts of tables, line feeds join lines"});
    }
    return RowTask::read(files, labels, std::move(table));
  }

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels) const override {
    return checkpoint().batches(blocks(rows).map([this](const data::Example& block) { return labelled(block); }), size,
                                {{"labels", tasks::kNoLabel}});
  }
  // Shuffles blocks, not rows: the text of a block is continuous.
  data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                 const data::ShuffleOptions& order) const override {
    return checkpoint().batches(blocks(rows).shuffle(order).named("shuffle").map(
                                    [this](const data::Example& block) { return labelled(block); }),
                                size, {{"labels", tasks::kNoLabel}});
  }
  bool varies_in_length() const override { return false; }  // All blocks but the last are full.
  data::Dataset packed_batches(const data::Dataset&, const data::PackedShapes&,
                               const data::ShuffleOptions&) const override {
    throw UsageError({.where = "packing",
                      .given = "a text in blocks",
                      .expected = "instruction data, as blocks are full and leave nothing to pack"});
  }
  data::Dataset examples(const data::Dataset& rows) const override { return blocks(rows); }

  bool predicts_rows() const override { return false; }
  std::map<std::string, std::string> settings() const override {
    std::map<std::string, std::string> settings = tasks::settings_of({.label_smoothing = options_.label_smoothing});
    settings["block_size"] = std::to_string(options_.block_size);
    settings["text_column"] = options_.text_column;
    return settings;
  }

 private:
  data::Dataset blocks(const data::Dataset& rows) const {
    const auto ids_of = [this](const data::Example& row) {
      const std::vector<int32_t> ids =
          with_end(checkpoint().tokenizer(), row.text(options_.text_column), options_.rows_are_lines);
      return data::Example(row.origin()).set("input_ids", vector_of(ids));
    };
    return encoded(rows, "ids", ids_of).blocks("input_ids", options_.block_size);
  }

  data::Example labelled(const data::Example& block) const {
    const Tensor& ids = block.tensor("input_ids");
    data::Example example(block.origin());
    checkpoint().set_ids(example, ids.as<int32_t>());
    example.set("labels", ids);
    return example;
  }

  const CausalLmOptions options_;
};

}  // namespace

std::unique_ptr<RowTask> causal_lm(const ModelSource& model, CausalLmOptions options) {
  return std::make_unique<CausalLm>(model, std::move(options));
}

void CausalLmRunOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_text_column(fields, text_column);
  describe_label_smoothing(fields, label_smoothing);
  fields.group("Instruction data (causal-lm)");
  fields("messages_column", messages_column, "column of conversations; learns what the assistant says", {.kept = true});
  fields("prompt_column", prompt_column, "column of prompts: texts, or lists of messages", {.kept = true});
  fields("completion_column", completion_column, "column of completions, which are learnt", {.kept = true});
  fields("input_column", input_column, "column of texts that the prompt is about", {.kept = true});
  fields("as_messages", as_messages, "texts are what a user and an assistant say", {.kept = true});
  fields("chat_template", chat_template, "a template's file", {.default_help = "the model's"});
  fields("chat_template_kwargs", chat.variables, "its variables, as JSON: {\"enable_thinking\": false}",
         {.kept = true});
  fields("chat_date", chat.date, "day for templates that contain it: 2026-11-21", {.default_help = "today"});
}

namespace {

std::unique_ptr<RowTask> make_causal_lm(const TaskContext& context, const CausalLmRunOptions& options) {
  const std::string instructions = options.messages_column + options.prompt_column + options.completion_column;
  if (!instructions.empty()) return instruction_tuning(context.model, options);
  const std::vector<std::string> files =
      context.files.empty() ? std::vector<std::string>() : data::table_files(context.files);
  const bool is_text = !files.empty() && data::kind_extension(files.front(), context.table) == ".txt";
  return causal_lm(context.model, {.text_column = options.text_column,
                                   .block_size = options.max_length,
                                   .rows_are_lines = is_text,
                                   .label_smoothing = options.label_smoothing});
}

std::vector<data::Example> rows_of_causal_lm(const RowTask& task, const CausalLmRunOptions& options) {
  constexpr const char* kConversation = R"([{"role": "user", "content": "a"}, {"role": "assistant", "content": "a"}])";
  std::string text;
  for (int64_t i = 0; i < 4 * options.max_length; ++i) text += "a ";  // A block must be full.
  data::Example row = tasks::sample_row(task);
  tasks::set_if_read(row, options.text_column, text);
  tasks::set_if_read(row, options.messages_column, kConversation);
  return {row};
}

}  // namespace

const TaskSpec& causal_lm_spec() {
  static const TaskSpec kSpec =
      task_spec<CausalLmRunOptions>({.name = "causal-lm",
                                     .classes = {"ForCausalLM", "LMHeadModel"},
                                     .run_options = {RunOption::kPadding, RunOption::kPacking},
                                     .pipeline = "text-generation",
                                     .make = make_causal_lm,
                                     .sample_rows = rows_of_causal_lm});
  return kSpec;
}

}  // namespace portatune
