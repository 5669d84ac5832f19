#include <nlohmann/json.hpp>

#include "portatune/data/read/map_rows.h"
#include "portatune/data/read/read_files.h"
#include "portatune/io/text/squad.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

std::string json_of(const std::vector<io::SquadReader::Answer>& answers) {
  nlohmann::json texts = nlohmann::json::array(), starts = nlohmann::json::array();
  for (const io::SquadReader::Answer& answer : answers) {
    texts.push_back(answer.text);
    starts.push_back(answer.start);
  }
  return nlohmann::json{{"text", texts}, {"answer_start", starts}}.dump();
}

constexpr const char* kQuestions = "questions";

class SquadRows final : public Iterator {
 public:
  SquadRows(const std::string& path, bool answers)
      : answers_(answers), path_(std::make_shared<const std::string>(path)), reader_(path, answers) {}

  std::optional<Example> next() override {
    if (!reader_.next()) return std::nullopt;
    const io::SquadReader::Question& question = reader_.question();
    Example example(Origin{path_, reader_.number()});
    example.set("id", std::string(question.id)).set("question", std::string(question.text));
    example.set("context", std::string(question.context));
    if (answers_) example.set("answers", json_of(question.answers));
    return example;
  }

  // The number of the next question is enough, as the file is always parsed as a whole.
  nlohmann::json state() const override { return {{"stage", kQuestions}, {"number", reader_.number()}}; }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kQuestions, state);
    const int64_t number = saved.count("number");
    if (reader_.skip(number) < number) saved.refuse("number", "at most the number of questions");
  }

 private:
  bool answers_;
  std::shared_ptr<const std::string> path_;  // shared by the origins of all rows
  io::SquadReader reader_;
};

}  // namespace

Dataset read_squad(Files files, bool answers) {
  std::vector<std::string> columns = {"id", "question", "context"};
  if (answers) columns.emplace_back("answers");
  const Dataset rows = read_files("read_squad", files.paths(), [answers](const std::string& path) {
    return std::make_unique<SquadRows>(path, answers);
  });
  return map_rows(rows, std::move(columns));
}

}  // namespace portatune::data
