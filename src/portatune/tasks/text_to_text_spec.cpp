#include "portatune/tasks/rows/source_target.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"
#include "portatune/tasks/text_to_text.h"

namespace portatune {
namespace {

std::vector<data::Example> rows_of_text_to_text(const RowTask& task, const TextToTextOptions& options) {
  data::Example row = tasks::sample_row(task);
  if (tasks::has_texts_of_languages(options)) {
    row.set(row.columns().front().name,
            "{\"" + options.source_lang + "\": \"a\", \"" + options.target_lang + "\": \"a\"}");
  }
  return {row};
}

// classes  the endings of the classes that are trained for this task, unless a model says which task it was trained for
TaskSpec spec_called(const char* name, const char* pipeline, std::vector<std::string> classes,
                     const TextToTextScores& scores) {
  const auto make = [scores](const TaskContext& context, TextToTextOptions options) {
    tasks::choose_columns(context, options);
    return text_to_text(context.model, std::move(options), scores);
  };
  return task_spec<TextToTextOptions>(
      {.name = name,
       .classes = std::move(classes),
       .run_options = {RunOption::kPadding, RunOption::kPacking, RunOption::kWeightColumn},
       .pipeline = pipeline,
       .make = make,
       .sample_rows = rows_of_text_to_text});
}

}  // namespace

void TextToTextOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_text_column(fields, text_column);
  describe_label_smoothing(fields, label_smoothing);
  describe_metrics(fields, metrics);
  fields.group("Text to text (summarization, translation)");
  fields("target_column", target_column, "column of the text to write",
         {.default_help = "the second one", .use = OptionUse::kLabels, .kept = true});
  fields("source_lang", source_lang,
         "language of the source, such as en in rows with {\"en\": \"...\", \"ro\": \"...\"}, or en_XX of mBART",
         {.kept = true});
  fields("target_lang", target_lang, "language of the target", {.kept = true});
  fields("source_prefix", source_prefix, "text before every source: \"summarize: \"", {.kept = true});
  fields("max_target_length", max_target_length, "tokens of a target; longer ones are cut",
         {.lowest = 1, .kept = true});
  fields("predict_with_generate", predict_with_generate, "evaluations generate texts and score them",
         {.use = OptionUse::kLabels, .kept = true});
  fields("generation_max_length", generation_max_length, "tokens of a generated text",
         {.lowest = 2, .default_help = "--max-target-length", .kept = true});
  fields("num_beams", num_beams, "beams of a generated text",
         {.lowest = 1, .default_help = "of the model", .kept = true});
  fields("forced_bos_token", forced_bos_token, "first token of every generated text",
         {.default_help = "of the model", .kept = true});
  fields("use_stemmer", use_stemmer, "ROUGE compares the stems of English words",
         {.use = OptionUse::kLabels, .kept = true});
}

const TaskSpec& summarization_spec() {
  static const TaskSpec kSpec = spec_called("summarization", "summarization", {},
                                            {{"rouge1", "rouge2", "rougeL", "rougeLsum", "gen_len"}, "rougeLsum"});
  return kSpec;
}

const TaskSpec& translation_spec() {
  static const TaskSpec kSpec = spec_called("translation", "translation", {}, {{"bleu", "chrf", "gen_len"}, "bleu"});
  return kSpec;
}

const TaskSpec& text_to_text_spec() {
  static const TaskSpec kSpec =
      spec_called("text-to-text", "text2text-generation", {"ForConditionalGeneration", "MTModel"}, {});
  return kSpec;
}

}  // namespace portatune
