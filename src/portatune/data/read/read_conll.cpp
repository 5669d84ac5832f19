#include <nlohmann/json.hpp>

#include "portatune/data/read/map_rows.h"
#include "portatune/data/read/read_files.h"
#include "portatune/io/text/bad_record.h"
#include "portatune/io/text/conll.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

constexpr const char* kSentences = "sentences";

class ConllRows final : public Iterator {
 public:
  ConllRows(const std::string& path, ConllOptions options)
      : options_(std::move(options)), path_(std::make_shared<const std::string>(path)), reader_(path) {}

  std::optional<Example> next() override {
    if (!reader_.next()) return std::nullopt;
    Example example(Origin{path_, reader_.line()});
    example.set(options_.tokens_column, nlohmann::json(reader_.tokens()).dump());
    if (!options_.tags_column.empty()) example.set(options_.tags_column, tags());
    return example;
  }

  // The first line of the file determines the number of columns of all lines.
  nlohmann::json state() const override {
    nlohmann::json state = state_of(kSentences, reader_.position());
    state["columns"] = reader_.columns();
    return state;
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kSentences, state);
    reader_.seek(position_in(saved), saved.count("columns"));
  }

 private:
  std::string tags() const {
    if (!reader_.tags().empty()) return nlohmann::json(reader_.tags()).dump();
    throw io::BadRecordError({.where = to_string(Origin{path_, reader_.line()}),
                              .given = "one column",
                              .expected = "a token and its tag on each line"});
  }

  ConllOptions options_;
  std::shared_ptr<const std::string> path_;  // shared by the origins of all rows
  io::ConllReader reader_;
};

}  // namespace

Dataset read_conll(Files files, ConllOptions options) {
  std::vector<std::string> columns = {options.tokens_column};
  if (!options.tags_column.empty()) columns.push_back(options.tags_column);
  const Dataset rows = read_files("read_conll", files.paths(), [options = std::move(options)](const std::string& path) {
    return std::make_unique<ConllRows>(path, options);
  });
  return map_rows(rows, std::move(columns));
}

}  // namespace portatune::data
