#include "portatune/cli/options/commands/row_options.h"

#include "portatune/cli/options/bad_rows.h"
#include "portatune/error.h"
#include "portatune/run/inputs/batches/padding.h"

namespace portatune::cli {
namespace {

void add_delimiter(Group& group, std::optional<char>& delimiter) {
  const auto is_character = [](const std::string& text) { return text == "\\t" || (text.size() == 1 && text != "\""); };
  const auto take = [&delimiter](const std::string& text) { delimiter = text == "\\t" ? '\t' : text.front(); };
  group
      .checked("--delimiter", "CHAR", is_character, "one character, or \\t for a tab", take,
               "between the fields of .csv and .tsv: ';', '\\t', '|'")
      ->default_str("a comma, or a tab in .tsv");
}

}  // namespace

void add_first_rows(Group group, const std::string& name, int64_t& rows, const std::string& help) {
  group.number(name, rows, help, {.lowest = 1})->default_str("all rows");
}

void add_table(Group group, run::ModelOptions& model) {
  data::TableOptions& table = model.table;
  group.names("--column-names", table.names, "columns of .csv, .tsv without a header")->default_str("the first line");
  add_delimiter(group, table.delimiter);
  group.assignments("--rename-columns", table.rename, "rename columns: OLD=NEW")->default_str("none");
  add_bad_rows(group, model.bad_rows);
}

CLI::Option* add_data(Group group, const std::string& names, std::vector<std::string>& files, const std::string& help) {
  const auto path_of = [](const std::string& word) { return word == "-" ? std::string("/dev/stdin") : word; };
  return group.files(names, files, help + "; - is standard input")->transform(path_of);
}

void refuse_standard_input(CLI::App& command, const std::string& option) {
  const auto check = [option](const std::string& word) {
    if (word != "-" && word != "/dev/stdin") return std::string();
    throw UsageError({.where = option,
                      .given = option + " " + word,
                      .expected = "files, each of which is read several times",
                      .fix = "save standard input to a file first"});
  };
  command.get_option(option)->check(check, "");
}

void add_format(Group group, data::TableOptions& table) {
  group
      .choice(
          "--format", {"csv", "tsv", "jsonl", "txt"}, [&](const std::string& name) { table.format = name; },
          "what the files are, in place of their names; needed for standard input and pipes")
      ->type_name("NAME")
      ->default_str("by their names");
}

void add_padding(Group group, std::optional<run::Padding>& padding) {
  group
      .checked(
          "--padding", "POLICY", [](const std::string& text) { return run::padding_called(text).has_value(); },
          run::kPaddingWords, [&](const std::string& text) { padding = run::padding_called(text); },
          "lengths of batches: auto, auto=4, max_length, multiple_of=16, buckets=32,64")
      ->default_str("auto");
}

void add_batch_size(Group group, int64_t& size) {
  group.number("--batch-size,--per-device-eval-batch-size", size, "rows at a time, on each device",
               {.lowest = 1, .highest = 1e6});
}

}  // namespace portatune::cli
