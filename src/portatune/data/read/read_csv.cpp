#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/data/read/column_names.h"
#include "portatune/data/read/read_files.h"
#include "portatune/io/text/bad_record.h"
#include "portatune/io/text/csv.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

constexpr const char* kTableRows = "rows of a table";

class CsvRows final : public Iterator {
 public:
  CsvRows(const std::string& path, const CsvOptions& options)
      : options_(options),
        path_(std::make_shared<const std::string>(path)),
        reader_(path, {.delimiter = *options.delimiter, .quoting = *options.quoting}) {}

  std::optional<Example> next() override {
    if (!began_ && !begin()) return std::nullopt;
    if (!row_ready_ && !reader_.next()) return std::nullopt;
    row_ready_ = false;
    Example example(Origin{path_, reader_.line()});
    for (const Source& source : sources_) example.set(source.name, std::string(reader_.fields()[source.field]));
    return example;
  }

  nlohmann::json state() const override { return began_ ? state_of(kTableRows, reader_.position()) : nlohmann::json(); }
  // Reads the beginning of the file again, which has the names of the columns.
  void restore(const nlohmann::json& state) override {
    if (state.is_null()) return;
    const io::TextPosition position = position_in(SavedState(kTableRows, state));
    begin_after_bad_rows();
    row_ready_ = false;
    reader_.seek(position);
  }

 private:
  // A column to read: its name and its index in the rows.
  struct Source {
    std::string name;
    size_t field;
  };

  // Finds the names of the columns; false if the file is empty.
  // errors  BadRecordError for a bad first row; the next call continues after it
  bool begin() {
    if (!read_first()) return false;
    began_ = true;
    if (!options_.header) {
      row_ready_ = true;
      require_name_count();
    }
    const auto fields = reader_.fields();
    choose_columns(options_.header ? std::vector<std::string_view>(fields.begin(), fields.end())
                                   : std::vector<std::string_view>(options_.names.begin(), options_.names.end()));
    return true;
  }

  // As begin(), in a file that was read before, whose bad rows are known.
  void begin_after_bad_rows() {
    for (bool more = true; more && !began_;) {
      try {
        more = begin();
      } catch (const io::BadRecordError&) {
      }
    }
  }

  // Reads the first row. A bad header is not a bad row, as no row can be read without it.
  bool read_first() {
    try {
      return reader_.next();
    } catch (const io::BadRecordError& error) {
      if (!options_.header) throw;
      throw DataError(error.report());
    }
  }

  void choose_columns(const std::vector<std::string_view>& names) {
    require_distinct(names);
    if (options_.columns.empty()) {
      for (size_t i = 0; i < names.size(); ++i) sources_.push_back({std::string(names[i]), i});
    }
    for (const std::string& wanted : options_.columns) {
      const auto found = std::find(names.begin(), names.end(), wanted);
      if (found == names.end()) throw missing_column(where(), wanted, names, advice(wanted, names));
      sources_.push_back({wanted, static_cast<size_t>(found - names.begin())});
    }
  }

  // Advice on frequent causes of a missing column.
  std::string advice(const std::string& wanted, const std::vector<std::string_view>& names) const {
    const size_t separator = names.size() == 1 ? names.front().find_first_of(";\t|,") : std::string_view::npos;
    if (separator != std::string_view::npos) {
      const std::string sign = names.front()[separator] == '\t' ? "\\t" : std::string(1, names.front()[separator]);
      return "if the delimiter is '" + sign + "': --delimiter '" + sign + "'";
    }
    const bool is_row = std::ranges::any_of(names, [](auto name) { return name.find(' ') != std::string_view::npos; });
    if (options_.header && is_row) return "if line 1 is a row and not a header: --column-names NAME,NAME,...";
    return naming_advice(wanted);
  }

  void require_name_count() const {
    if (reader_.fields().size() == options_.names.size()) return;
    throw DataError({.where = where(),
                     .given = counted(static_cast<int64_t>(reader_.fields().size()), "field"),
                     .expected = std::to_string(options_.names.size()) + ", the number of names given"});
  }

  void require_distinct(std::vector<std::string_view> names) const {
    std::sort(names.begin(), names.end());
    const auto doubled = std::adjacent_find(names.begin(), names.end());
    if (doubled == names.end()) return;
    throw DataError({.where = where(),
                     .given = "two columns '" + std::string(*doubled) + "'",
                     .expected = "different names",
                     .fix = options_.header ? "if the file has no header, give the columns' names" : ""});
  }

  std::string where() const { return to_string(Origin{path_, reader_.line()}); }

  CsvOptions options_;
  std::shared_ptr<const std::string> path_;  // shared by the origins of all rows
  io::CsvReader reader_;
  std::vector<Source> sources_;
  bool began_ = false;
  bool row_ready_ = false;  // whether the reader has a row that was not given yet
};

Dataset read(const std::string& verb, const Files& files, CsvOptions options) {
  if (options.header != options.names.empty()) {
    throw UsageError({.where = verb,
                      .given = options.header ? "names for a file with a header" : "neither a header nor names",
                      .expected = "either a header, or .header = false and the columns' names"});
  }
  return read_files(verb, files.paths(), [options = std::move(options)](const std::string& path) {
    return std::make_unique<CsvRows>(path, options);
  });
}

}  // namespace

Dataset read_csv(Files files, CsvOptions options) {
  options.delimiter = options.delimiter.value_or(',');
  options.quoting = options.quoting.value_or(true);
  return read("read_csv", files, std::move(options));
}

Dataset read_tsv(Files files, CsvOptions options) {
  options.delimiter = options.delimiter.value_or('\t');
  options.quoting = options.quoting.value_or(false);
  return read("read_tsv", files, std::move(options));
}

}  // namespace portatune::data
