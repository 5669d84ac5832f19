#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/read/column_names.h"
#include "portatune/data/read/read_files.h"
#include "portatune/io/plugin/arrow_table.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

constexpr const char* kArrowRows = "rows of an Arrow table";

class ArrowRows final : public Iterator {
 public:
  ArrowRows(const std::string& path, const std::vector<std::string>& columns)
      : columns_(columns), path_(std::make_shared<const std::string>(path)), table_(path) {}

  std::optional<Example> next() override {
    if (!began_) begin();
    if (!table_.next()) return std::nullopt;
    Example example(Origin{path_, table_.row()});
    for (size_t i = 0; i < columns_.size(); ++i) example.set(columns_[i], std::string(table_.value(i)));
    return example;
  }

  nlohmann::json state() const override { return {{"stage", kArrowRows}, {"row", table_.row()}}; }
  // Decodes the batches before the row without making examples.
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kArrowRows, state);
    const int64_t row = saved.count("row");
    begin();
    if (table_.skip(row) < row) saved.refuse("row", "at most the number of rows");
  }

 private:
  void begin() {
    began_ = true;
    if (columns_.empty()) columns_ = table_.columns();
    std::vector<int64_t> places;
    for (const std::string& column : columns_) places.push_back(place_of(column));
    table_.select(places);
  }

  int64_t place_of(const std::string& column) const {
    const std::vector<std::string>& there = table_.columns();
    const auto found = std::ranges::find(there, column);
    if (found == there.end()) {
      const std::vector<std::string_view> names(there.begin(), there.end());
      throw missing_column(*path_, column, names, naming_advice(column));
    }
    if (std::find(found + 1, there.end(), column) == there.end()) return found - there.begin();
    throw DataError({.where = *path_, .given = "two columns '" + column + "'", .expected = "different names"});
  }

  std::vector<std::string> columns_;         // empty until begin(): all columns
  std::shared_ptr<const std::string> path_;  // shared by the origins of all rows
  io::ArrowTable table_;
  bool began_ = false;
};

}  // namespace

Dataset read_arrow(Files files, ArrowOptions options) {
  return read_files("read_arrow", files.paths(), [options = std::move(options)](const std::string& path) {
    return std::make_unique<ArrowRows>(path, options.columns);
  });
}

}  // namespace portatune::data
