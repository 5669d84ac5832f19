#include "portatune/run/tokenizer/tokenize.h"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "portatune/base/threads/stop.h"
#include "portatune/base/threads/thread_pool.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/io/text/jsonl.h"
#include "portatune/sources.h"
#include "portatune/text.h"

namespace portatune::run {
namespace {

constexpr size_t kRowsAtATime = 1024;
constexpr const char* kDefaultPairColumn = "text_pair";

struct Row {
  data::Origin origin;
  std::string text;
  std::optional<std::string> pair;

  text::TextPair texts() const {
    text::TextPair texts{.first = text};
    if (pair) texts.second = *pair;
    return texts;
  }
};

// The columns to read. A second text is read where it exists, even if its column is not given.
class Columns {
 public:
  explicit Columns(const TokenizeOptions& a)
      : text(a.text_column),
        pair(a.text_pair_column.empty() ? kDefaultPairColumn : a.text_pair_column),
        pair_is_required(!a.text_pair_column.empty()) {}

  const std::string text, pair;
  const bool pair_is_required;

  // find(name) gives a column's text or null.
  template <class Find>
  Row row_of(data::Origin origin, Find&& find) const {
    Row row{.origin = std::move(origin), .text = std::string(required(text, row.origin, find))};
    if (pair_is_required) {
      row.pair = std::string(required(pair, row.origin, find));
    } else if (const auto second = find(pair); second && !second->empty()) {
      row.pair = std::string(*second);
    }
    return row;
  }

 private:
  template <class Find>
  static std::string_view required(const std::string& name, const data::Origin& origin, Find&& find) {
    const std::optional<std::string_view> value = find(name);
    if (value) return *value;
    throw DataError({.where = to_string(origin),
                     .given = "no column '" + name + "'",
                     .expected = "the columns that --text-column and --text-pair-column name"});
  }
};

using Take = std::function<void(Row)>;

// Reads JSON lines directly, because data::read_jsonl requires the same columns in all rows.
void read_json_lines(const std::string& path, const Columns& columns, const Take& take) {
  io::JsonlReader reader(path, {columns.text, columns.pair});
  const auto file = std::make_shared<const std::string>(path);
  while (reader.next()) {
    take(columns.row_of({file, reader.line()}, [&](const std::string& name) -> std::optional<std::string_view> {
      for (const auto& field : reader.fields()) {
        if (field.key == name) return field.value;
      }
      return std::nullopt;
    }));
  }
}

void read_table(const std::string& path, const Columns& columns, const Take& take) {
  for (const data::Example& example : data::read_table(path).iterate()) {
    take(columns.row_of(example.origin(), [&](const std::string& name) -> std::optional<std::string_view> {
      return example.has(name) ? std::optional<std::string_view>(example.text(name)) : std::nullopt;
    }));
  }
}

void read_rows(const std::string& path, const Columns& columns, const Take& take) {
  const std::string extension = data::kind_extension(path);
  const bool json = extension == ".jsonl" || extension == ".ndjson" || extension == ".json";
  json ? read_json_lines(path, columns, take) : read_table(path, columns, take);
}

std::string line_of(const text::Encoding& encoding) {
  std::string line = "{\"ids\":[";
  const auto end = std::back_inserter(line);
  for (size_t i = 0; i < encoding.ids.size(); ++i) fmt::format_to(end, "{}{}", i == 0 ? "" : ",", encoding.ids[i]);
  line += "],\"offsets\":[";
  for (size_t i = 0; i < encoding.offsets.size(); ++i) {
    const text::Offsets& offsets = encoding.offsets[i];
    fmt::format_to(end, "{}[{},{}]", i == 0 ? "" : ",", offsets.begin, offsets.end);
  }
  return line += "]}\n";
}

using WriteLines = std::function<void(std::string_view)>;

// Encodes rows, many at a time, and writes their lines.
class LineWriter {
 public:
  LineWriter(const TokenizeOptions& a, Events& events, const WriteLines& write)
      : tokenizer_(text::Tokenizer::load(a.tokenizer)),
        options_{.max_length = a.max_length, .add_special_tokens = a.add_special_tokens, .with_offsets = true},
        write_(write),
        progress_(events.progress("tokenizing")) {}

  void take(Row row) {
    rows_.push_back(std::move(row));
    if (rows_.size() == kRowsAtATime) flush();
  }

  void flush() {
    stop_if_requested();
    std::vector<text::TextPair> texts;
    for (const Row& row : rows_) texts.push_back(row.texts());
    std::string lines;
    for (const text::Encoding& encoding : tokenizer_.encode_batch(texts, options_, pool_)) lines += line_of(encoding);
    write_(lines);
    progress_->add(std::ssize(rows_));
    rows_.clear();
  }

 private:
  const text::Tokenizer tokenizer_;
  const text::EncodeOptions options_;
  ThreadPool pool_;
  const WriteLines& write_;
  const std::unique_ptr<RowProgress> progress_;
  std::vector<Row> rows_;
};

}  // namespace

void tokenize(const TokenizeOptions& options, Events& events, const WriteLines& write) {
  LineWriter writer(options, events, write);
  const Columns columns(options);
  for (const std::string& path : data::table_files(options.input)) {
    read_rows(path, columns, [&](Row row) { writer.take(std::move(row)); });
  }
  writer.flush();
}

}  // namespace portatune::run
