#include "portatune/run/tfrecord/write_tfrecord.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/base/text/number.h"
#include "portatune/base/threads/stop.h"
#include "portatune/data/read/file_kinds.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/tasks/rows/row_file.h"
#include "portatune/tasks/rows/row_json.h"
#include "portatune/text.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

bool is_int64(const nlohmann::json& number) {
  if (number.is_number_unsigned()) return std::in_range<int64_t>(number.get<uint64_t>());
  return number.is_number_integer();
}

// The numbers of a column: one number, or a JSON list of numbers.
template <class T>
Tensor numbers_in(const data::Example& row, const std::string& column, const char* expected) {
  if (const Tensor* array = std::get_if<Tensor>(&row.column(column))) {
    const bool is_float = array->dtype() == DType::kFloat32;
    if (is_float == std::is_floating_point_v<T>) return *array;
    if (array->dtype() == DType::kInt64) {  // but floats are needed
      const auto integers = array->as<int64_t>();
      return vector_of(std::vector<float>(integers.begin(), integers.end()));
    }
    throw DataError({.where = to_string(row.origin()),
                     .given = to_string(array->type()) + " in column \"" + column + "\"",
                     .expected = expected});
  }
  if (const auto number = number_in<T>(row.text(column))) return Tensor({}, {*number});
  const nlohmann::json list = row.text(column).starts_with('[') ? tasks::json_in(row, column) : nlohmann::json();
  std::vector<T> numbers;
  const auto add = [&](const nlohmann::json& item) {
    const bool fits = std::is_integral_v<T> ? is_int64(item) : item.is_number();
    if (fits) numbers.push_back(item.get<T>());
    return fits;
  };
  if (!list.is_array() || !std::ranges::all_of(list, add)) throw tasks::bad_column(row, column, expected);
  return vector_of(numbers);
}

// Token ids in place of texts.
class Tokens {
 public:
  explicit Tokens(const TfrecordOptions& a)
      : a_(a),
        tokenizer_(text::Tokenizer::load(a.tokenizer)),
        pad_id_(a.pad_to_max_length ? required_pad_id() : 0),
        encoder_(tokenizer_) {}

  void replace_text(const data::Example& row, data::Example& example) {
    const bool is_pair = !a_.text_pair_column.empty();
    text::TextPair texts{.first = row.text(a_.text_column)};
    if (is_pair) texts.second = row.text(a_.text_pair_column);
    std::vector<int32_t> ids, type_ids;
    encoder_.append(texts, {.max_length = a_.max_length}, ids, is_pair ? &type_ids : nullptr);
    if (a_.pad_to_max_length) {
      std::vector<int32_t> mask(ids.size(), 1);
      for (std::vector<int32_t>* column : {&mask, &type_ids}) column->resize(size_of_rows(), 0);
      ids.resize(size_of_rows(), pad_id_);
      example.set("attention_mask", vector_of(mask));
    }
    example.set("input_ids", vector_of(ids));
    if (is_pair) example.set("token_type_ids", vector_of(type_ids));
    if (a_.keep_text) return;
    example.erase(a_.text_column);
    if (is_pair) example.erase(a_.text_pair_column);
  }

 private:
  int32_t required_pad_id() const {
    if (const auto id = tokenizer_.pad_id()) return *id;
    throw UsageError({.where = "--padding max_length",
                      .given = "no padding token in " + a_.tokenizer.string(),
                      .expected = "a tokenizer with one",
                      .fix = "name one as \"pad_token\" in its tokenizer_config.json, or write rows without padding"});
  }
  size_t size_of_rows() const { return static_cast<size_t>(a_.max_length); }

  const TfrecordOptions& a_;
  const text::Tokenizer tokenizer_;
  const int32_t pad_id_;  // Only for padding.
  text::IdEncoder encoder_;
};

// The column whose files are written.
struct FileColumn {
  std::string name;
  const tasks::FileType& type;
};

// The features of a row.
class Features {
 public:
  Features(const TfrecordOptions& a, std::optional<FileColumn> files) : a_(a), files_(std::move(files)) {
    if (!a.tokenizer.empty()) tokens_.emplace(a);
  }

  data::Example of(const data::Example& row) {
    return data::call_on(row, [this](const data::Example& row) {
      data::Example example = row;
      for (const std::string& column : a_.int64_columns) {
        example.set(column, numbers_in<int64_t>(row, column, "an integer, or a JSON list of them"));
      }
      for (const std::string& column : a_.float_columns) {
        example.set(column, numbers_in<float>(row, column, "a number, or a JSON list of them"));
      }
      if (files_) example.set(files_->name, bytes_of(row, *files_)).erase(tasks::kDownloadedFile);
      if (tokens_) tokens_->replace_text(row, example);
      return example;
    });
  }

 private:
  static std::string bytes_of(const data::Example& row, const FileColumn& column) {
    const tasks::RowFile file(row, column.name, column.type);
    if (column.type.begins_file(file.bytes())) {
      return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
    }
    throw DataError({.where = file.name(), .given = "a file of another kind", .expected = column.type.formats});
  }

  const TfrecordOptions& a_;
  const std::optional<FileColumn> files_;
  std::optional<Tokens> tokens_;
};

void require_folder(const fs::path& output) {
  const fs::path folder = output.parent_path();
  if (folder.empty() || fs::is_directory(folder)) return;
  throw NotFoundError({.where = "--output " + output.string(), .given = "no folder " + folder.string()});
}

bool is_class_folder(const TfrecordOptions& a) {
  return a.input.size() == 1 && fs::is_directory(a.input[0]) && !data::holds_tables(a.input[0]);
}

// A folder is one of recordings if their column is named, otherwise one of images.
std::optional<FileColumn> file_column(const TfrecordOptions& a) {
  if (!a.audio_column.empty()) return FileColumn{a.audio_column, tasks::kAudioFile};
  if (!a.image_column.empty()) return FileColumn{a.image_column, tasks::kImageFile};
  if (is_class_folder(a)) return FileColumn{data::ImageFolderOptions{}.image_column, tasks::kImageFile};
  return std::nullopt;
}

data::Dataset rows_of(const TfrecordOptions& a, const std::optional<FileColumn>& files) {
  if (is_class_folder(a)) {
    return a.audio_column.empty() ? data::read_image_folder(a.input[0], {.image_column = files->name})
                                  : data::read_audio_folder(a.input[0], {.audio_column = files->name});
  }
  data::TableOptions table = a.table;
  table.as_written = true;
  const data::Dataset rows = data::read_table(a.input, std::move(table));
  if (!files || !tasks::names_urls(rows, files->name, files->type)) return rows;
  return tasks::download_files(rows, files->name, files->type, {.size = 1});
}

void refuse(const std::string& option, const std::string& given, const std::string& expected,
            const std::string& fix = "") {
  throw UsageError({.where = option, .given = given, .expected = expected, .fix = fix});
}

void check_options(const TfrecordOptions& a) {
  if (!a.image_column.empty() && !a.audio_column.empty()) {
    refuse("--audio-column", "--image-column, too", "one column of files");
  }
  if (a.tokenizer.empty() && a.max_length > 0) refuse("--max-length", "no --tokenizer", "token ids to cut");
  if (a.tokenizer.empty() && a.pad_to_max_length) {
    refuse("--padding max_length", "no --tokenizer", "token ids to pad", "add --tokenizer DIR and --max-length 128");
  }
  if (a.pad_to_max_length && a.max_length == 0) {
    refuse("--padding max_length", "no --max-length", "the number of ids of each row", "add --max-length 128");
  }
  if (a.tokenizer.empty() && a.keep_text) refuse("--keep-text", "no --tokenizer", "token ids beside the texts");
  if (a.output.extension() == ".gz" && !a.files.gzip) {
    refuse("--output", a.output.string() + " without --gzip", "both, or a name without .gz");
  }
  for (const std::string& column : a.int64_columns) {
    if (std::ranges::find(a.float_columns, column) == a.float_columns.end()) continue;
    refuse("--float-columns", "column '" + column + "', which --int64-columns names, too", "one of them");
  }
}

}  // namespace

WrittenRecords write_tfrecord(const TfrecordOptions& a) {
  check_options(a);
  require_folder(a.output);
  const std::optional<FileColumn> files = file_column(a);
  Features features(a, files);
  data::Dataset records = rows_of(a, files).map([&](const data::Example& row) { return features.of(row); });
  if (a.bad_rows) records = records.skip_bad_rows(a.bad_rows);
  data::TfrecordWriter writer(a.output.string(), a.files);
  for (const std::string& file : writer.files()) require_no_input(file, a.input);
  for (const data::Example& record : records.iterate()) {
    stop_if_requested();
    writer.write(record);
  }
  writer.commit();
  return {.records = writer.written(), .files = writer.files(), .skipped_rows = skipped_rows(a.bad_rows)};
}

}  // namespace portatune::run
