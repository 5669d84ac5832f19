// The options of tokenize, tokenizer train and tfrecord.
#include <CLI/CLI.hpp>

#include "portatune/cli/options/bad_rows.h"
#include "portatune/cli/options/commands/add_options.h"
#include "portatune/cli/options/commands/process_options.h"
#include "portatune/cli/options/described_options.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/run/options/run_options.h"

namespace portatune::cli {

void add_options(CLI::App& command, TokenizeArguments& a) {
  Group data(command, "Data");
  data.path("--tokenizer", a.tokenizer, "folder with tokenizer.json or older files of a tokenizer")->required();
  data.files("--input", a.input, "rows: .csv, .tsv, .jsonl")->required();
  data.text("--text-column", a.text_column, "column of the text");
  data.text("--text-pair-column", a.text_pair_column, "column of a second text")
      ->default_str("text_pair, where a row has one");
  data.number("--max-length", a.max_length, "tokens of a row; longer texts are cut", {.lowest = 1})
      ->default_str("no limit");
  data.no_flag("--no-special-tokens", a.add_special_tokens, "without [CLS], </s> and the like");
  Group(command, "Output").path("--output", a.output, "a JSON object an example; - is stdout")->default_str("-");
  add_reporting(command, a.reporting, {"quiet", "disable_progress"});
}

void add_options(CLI::App& command, TokenizerTrainArguments& a) {
  Group data(command, "Data");
  data.files("files", a.files, "rows: .txt, a text each line; .csv, .tsv, .jsonl, .parquet, ...")->required();
  data.text("--text-column", a.text_column, "column of the text");
  add_fields(command, fields_of(a.training));
  Group(command, "Output").path("--output", a.output, "a new folder, or an empty one")->required();
  add_reporting(command, a.reporting);
}

void add_options(CLI::App& command, TfrecordWriteArguments& a) {
  Group data(command, "Data");
  data.files("--input", a.input, run::kRowFiles)->required();
  data.names("--columns", a.table.columns, "columns to write")->default_str("all");
  data.names("--int64-columns", a.int64_columns, "columns whose texts are integers, or JSON lists of them")
      ->default_str("none");
  data.names("--float-columns", a.float_columns, "columns whose texts are numbers, or JSON lists of them")
      ->default_str("none");
  data.text("--image-column", a.image_column, "column of paths: the files are written, as they are")
      ->default_str("none; image of a folder");
  data.text("--audio-column", a.audio_column, "the same for audio files; a folder then has recordings")
      ->default_str("none");
  data.names("--column-names", a.table.names, "columns of .csv, .tsv without a header")->default_str("the first line");
  add_bad_rows(data, a.bad_rows);
  Group tokens(command, "Token ids");
  tokens.path("--tokenizer", a.tokenizer, "folder of a tokenizer: its ids in place of the text, input_ids")
      ->default_str("none");
  tokens.text("--text-column", a.text_column, "column of the text");
  tokens.text("--text-pair-column", a.text_pair_column, "column of a second text")->default_str("none");
  tokens.number("--max-length", a.max_length, "tokens of a row; longer texts are cut", {.lowest = 1})
      ->default_str("no limit");
  tokens
      .choice(
          "--padding", {"none", "max_length"},
          [&](const std::string& word) { a.pad_to_max_length = word == "max_length"; },
          "max_length: --max-length ids in all rows, with an attention_mask")
      ->default_str("none");
  tokens.flag("--keep-text", a.keep_text, "write the text beside its ids");
  Group output(command, "Output");
  output.path("--output", a.output, "TFRecord file; of several: 'train-{shard:05d}-of-{shards:05d}.tfrecord'")
      ->required();
  output.number("--shards", a.files.shards, "files, between which rows take turns", {.lowest = 1, .highest = 99999});
  output.flag("--gzip", a.files.gzip, "compress (no reading in any order then)");
  output.no_flag("--no-index", a.files.index, "write no FILE.index");
  add_reporting(command, a.reporting);
}

void add_options(CLI::App& command, TfrecordInspectArguments& a) {
  Group data(command, "Data");
  data.files("files", a.files, "TFRecord files of tf.train.Example, plain or compressed")->required();
  data.flag("--verify", a.verify, "read all of them, every checksum and feature");
  data.number("--records", a.records, "first records to show", {.highest = 1e6});
  Group(command, "Output").flag("--json", a.reporting.json, "a JSON object for each file");
}

void add_options(CLI::App& command, TfrecordIndexArguments& a) {
  Group(command, "Data").files("files", a.files, "TFRecord files, each of which gets an index")->required();
  Group(command, "Output").flag("-q,--quiet", a.reporting.quiet, "only errors");
}

}  // namespace portatune::cli
