#include <nlohmann/json.hpp>

#include "portatune/data/read/column_names.h"
#include "portatune/data/read/read_files.h"
#include "portatune/io/text/bad_record.h"
#include "portatune/io/text/jsonl.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

constexpr const char* kJsonLines = "JSON lines";

class JsonlRows final : public Iterator {
 public:
  JsonlRows(const std::string& path, const std::vector<std::string>& columns)
      : columns_(columns), path_(std::make_shared<const std::string>(path)), reader_(path, columns) {}

  std::optional<Example> next() override {
    if (!reader_.next()) return std::nullopt;
    Example example(Origin{path_, reader_.line()});
    if (columns_.empty()) {
      for (const auto& field : reader_.fields()) example.set(field.key, std::string(field.value));
    }
    for (const std::string& column : columns_) example.set(column, std::string(value_of(column)));
    return example;
  }

  nlohmann::json state() const override { return state_of(kJsonLines, reader_.position()); }
  void restore(const nlohmann::json& state) override { reader_.seek(position_in(SavedState(kJsonLines, state))); }

 private:
  std::string_view value_of(const std::string& column) const {
    for (const auto& field : reader_.fields()) {
      if (field.key == column) return field.value;
    }
    const std::string where = to_string(Origin{path_, reader_.line()});
    throw io::BadRecordError(missing_column(where, column, reader_.keys(), naming_advice(column)).report());
  }

  std::vector<std::string> columns_;
  std::shared_ptr<const std::string> path_;  // shared by the origins of all rows
  io::JsonlReader reader_;
};

}  // namespace

Dataset read_jsonl(Files files, JsonlOptions options) {
  return read_files("read_jsonl", files.paths(), [options = std::move(options)](const std::string& path) {
    return std::make_unique<JsonlRows>(path, options.columns);
  });
}

}  // namespace portatune::data
