#include "portatune/tasks/question_answering.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/sources.h"
#include "portatune/tasks/metrics/answer_metrics.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/results/answer_lines.h"
#include "portatune/tasks/rows/code_points.h"
#include "portatune/tasks/rows/question_windows.h"
#include "portatune/tasks/rows/text_rows.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

constexpr int32_t kNoAnswer = 0;  // the position of [CLS] in every template, or of the first token
constexpr int32_t kNoContext = -1;

QuestionAnsweringOptions checked(QuestionAnsweringOptions options) {
  const auto require = [](const char* name, int64_t value, int64_t minimum) {
    if (value >= minimum) return;
    throw UsageError(
        {.where = name, .given = std::to_string(value), .expected = "at least " + std::to_string(minimum)});
  };
  require("doc_stride", options.doc_stride, 0);
  require("n_best_size", options.n_best_size, 1);
  require("max_answer_length", options.max_answer_length, 1);
  return options;
}

// Sets the offsets of tokens in the context, in code points.
void set_spans(const tasks::QuestionWindow& window, data::Example& example) {
  const size_t length = window.encoding.ids.size();
  std::vector<int32_t> begins(length, kNoContext), ends(length, kNoContext);
  for (size_t i = window.context_begin; i < window.context_end; ++i) {
    begins[i] = window.encoding.offsets[i].begin;
    ends[i] = window.encoding.offsets[i].end;
  }
  example.set("span_begins", vector_of(begins)).set("span_ends", vector_of(ends));
}

}  // namespace

struct QuestionAnswering::Impl {
  Impl(const TextCheckpoint& from, QuestionAnsweringOptions given) : options(checked(given)), checkpoint(from) {}

  std::vector<tasks::QuestionWindow> windows(const data::Example& row) const {
    return data::call_on(row, [&](const data::Example&) {
      const std::string_view question = tasks::without_leading_space(row.text("question"));
      const text::Encoding pair =
          checkpoint.tokenizer().encode(question, row.text("context"),
                                        {.truncation = text::TruncationStrategy::kDoNotTruncate, .with_offsets = true});
      return tasks::windows_of(pair, options.max_length, options.doc_stride);
    });
  }

  // Windows without the columns that only the search for answers needs, as a buffer of windows is large.
  static data::Dataset windows_to_train_on(const QuestionAnswering& task, const data::Dataset& rows) {
    return task.encoded(rows, "training", [&task](const data::Example& row) {
      std::vector<data::Example> windows = task.encode(row);
      for (data::Example& window : windows) {
        for (const char* column : {"id", "context", "answers", "span_begins", "span_ends"}) window.erase(column);
      }
      return windows;
    });
  }

  QuestionAnsweringOptions options;
  const TextCheckpoint& checkpoint;
};

QuestionAnswering::QuestionAnswering(const ModelSource& model, QuestionAnsweringOptions options)
    : TextTask(model, options.max_length), impl_(std::make_unique<Impl>(checkpoint(), options)) {}
QuestionAnswering::~QuestionAnswering() = default;

const QuestionAnsweringOptions& QuestionAnswering::options() const { return impl_->options; }

std::vector<std::string> QuestionAnswering::columns(Labels labels) const {
  if (labels == Labels::kIgnored) return {"id", "question", "context"};
  return {"id", "question", "context", "answers"};
}

data::Dataset QuestionAnswering::read(const std::vector<std::string>& files, Labels labels,
                                      data::TableOptions table) const {
  const auto is_json = [&](const std::string& file) { return data::kind_extension(file, table) == ".json"; };
  if (!files.empty() && std::ranges::all_of(data::table_files(files), is_json)) {
    return data::read_squad(files, labels == Labels::kRequired);
  }
  return RowTask::read(files, labels, std::move(table));
}

std::vector<data::Example> QuestionAnswering::encode(const data::Example& row, Labels labels) const {
  const bool labelled = labels == Labels::kRequired;
  const std::vector<tasks::QuestionWindow> windows = impl_->windows(row);
  const std::optional<tasks::AnswerSpan> answer = labelled ? tasks::first_answer(row) : std::nullopt;
  std::vector<data::Example> examples;
  for (const tasks::QuestionWindow& window : windows) {
    const auto span = answer ? tasks::tokens_of(*answer, window) : std::nullopt;
    const auto number = static_cast<int32_t>(examples.size());
    data::Example& example = examples.emplace_back(row.origin());
    checkpoint().set_ids(example, window.encoding.ids, window.encoding.type_ids);
    set_spans(window, example);
    example.set("start_positions", Tensor({}, {span ? span->first : kNoAnswer}));
    example.set("end_positions", Tensor({}, {span ? span->last : kNoAnswer}));
    example.set("window", Tensor({}, {number}));
    // Only the first window has the texts, as AnswerSearch reads them there; copies of long contexts would cost memory.
    const auto text = [&](const char* column) { return number == 0 ? row.text(column) : std::string(); };
    for (const char* column : {"id", "context"}) example.set(column, text(column));
    if (labelled) example.set("answers", text("answers"));
  }
  return examples;
}

data::Dataset QuestionAnswering::batches(const data::Dataset& rows, int64_t size, Labels labels) const {
  return checkpoint().batches(
      encoded(rows, name_of(labels), [this, labels](const data::Example& row) { return encode(row, labels); }), size,
      {{"span_begins", kNoContext}, {"span_ends", kNoContext}});
}

data::Dataset QuestionAnswering::training_batches(const data::Dataset& rows, int64_t size,
                                                  const data::ShuffleOptions& order) const {
  return checkpoint().batches(impl_->windows_to_train_on(*this, rows).shuffle(order).named("shuffle"), size);
}

data::Dataset QuestionAnswering::packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                                                const data::ShuffleOptions& order) const {
  return checkpoint().packed_batches(impl_->windows_to_train_on(*this, rows).shuffle(order).named("shuffle"), shapes);
}

data::Dataset QuestionAnswering::examples(const data::Dataset& rows) const {
  return impl_->windows_to_train_on(*this, rows);
}

std::unique_ptr<PredictionLines> QuestionAnswering::prediction_lines() const {
  return std::make_unique<tasks::AnswerLines>(impl_->options);
}

std::unique_ptr<PredictionLines> QuestionAnswering::prediction_document() const {
  return std::make_unique<tasks::AnswerDocument>(impl_->options);
}

std::map<std::string, std::string> QuestionAnswering::settings() const {
  return {{"max_length", std::to_string(impl_->options.max_length)},
          {"doc_stride", std::to_string(impl_->options.doc_stride)}};
}

std::vector<std::string> QuestionAnswering::inputs() const {
  return checkpoint().inputs({"start_positions", "end_positions"});
}

Forward QuestionAnswering::forward(const nn::Scope& root, const Columns& batch) const {
  const models::TextModel& model = checkpoint().model();
  const tasks::TextRows texts(checkpoint(), batch);
  const models::TextInputs rows = texts.rows();
  const Value x = model.state_for(models::HeadKind::kQuestionAnswering, root, rows);
  // Padding is a position without an answer, as in any text without padding.
  const Value logits = texts.to_texts(model.logits(models::HeadKind::kQuestionAnswering, root, {.x = x, .text = rows}),
                                      std::numeric_limits<float>::lowest());
  return tasks::span_prediction(logits, batch.at("start_positions"), batch.at("end_positions"),
                                batch.at(std::string(data::kExampleWeight)));
}

std::unique_ptr<Metrics> QuestionAnswering::metrics() const {
  return std::make_unique<tasks::AnswerMetrics>(impl_->options);
}

void QuestionAnswering::save(const std::filesystem::path& folder) const {
  checkpoint().save(folder, {.architecture = checkpoint().model().class_name(models::HeadKind::kQuestionAnswering)});
}

void QuestionAnsweringOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  fields("doc_stride", doc_stride, "tokens that windows over a long context share",
         {.default_help = "128, or half a window", .kept = true});
  fields("version_2_with_negative", version_2_with_negative, "questions may have no answer", {.kept = true});
  fields("n_best_size", n_best_size, "start and end positions that are combined",
         {.lowest = 1, .highest = 1e4, .kept = true});
  fields("max_answer_length", max_answer_length, "tokens of an answer", {.lowest = 1, .kept = true});
  fields("null_score_diff_threshold", null_score_diff_threshold,
         "score(no answer) - score(best answer) above this predicts no answer",
         {.lowest = -1e9, .highest = 1e9, .kept = true});
}

const TaskSpec& question_answering_spec() {
  using Options = QuestionAnsweringOptions;
  static const TaskSpec kSpec = task_spec<Options>(
      {.name = "question-answering",
       .classes = {"ForQuestionAnswering"},
       .run_options = {RunOption::kPadding, RunOption::kPacking},
       .pipeline = "question-answering",
       .make = [](const TaskContext& context,
                  const Options& options) { return std::make_unique<QuestionAnswering>(context.model, options); },
       .sample_rows =
           [](const RowTask& task, const Options&) {
             data::Example row = tasks::sample_row(task);
             row.set("answers", R"({"text": [], "answer_start": []})");
             return std::vector{row};
           }});
  return kSpec;
}

}  // namespace portatune
