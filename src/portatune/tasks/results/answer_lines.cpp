#include "portatune/tasks/results/answer_lines.h"

#include <nlohmann/json.hpp>

#include "portatune/io/text/json.h"
#include "portatune/tasks/rows/json_number.h"

namespace portatune::tasks {
namespace {

double short_number(double value) { return shortest(static_cast<float>(value)); }

}  // namespace

std::string AnswerLines::take(const data::Example& batch, const data::Example& outputs) {
  std::string lines;
  for (const Answer& answer : search_.take(batch, outputs)) lines += line_of(answer);
  return lines;
}

std::string AnswerLines::finish() {
  const std::optional<Answer> answer = search_.last();
  return answer ? line_of(*answer) : "";
}

std::string AnswerLines::line_of(const Answer& answer) const {
  nlohmann::ordered_json line = {{"id", answer.id},
                                 {"prediction_text", answer.text},
                                 {"score", short_number(answer.probability)},
                                 {"start", answer.begin},
                                 {"end", answer.end}};
  if (version_2_) line["null_score_diff"] = short_number(answer.null_score_diff);
  return io::line_of(line);
}

std::string AnswerDocument::take(const data::Example& batch, const data::Example& outputs) {
  std::string entries;
  for (const Answer& answer : search_.take(batch, outputs)) entries += entry_of(answer);
  return entries;
}

std::string AnswerDocument::finish() {
  const std::optional<Answer> answer = search_.last();
  const std::string entry = answer ? entry_of(*answer) : "";
  return entry + (empty_ ? "{}\n" : "\n}\n");
}

std::string AnswerDocument::entry_of(const Answer& answer) {
  const std::string separator = empty_ ? "{\n" : ",\n";
  empty_ = false;
  return separator + "  " + io::json_text(answer.id) + ": " + io::json_text(answer.text);
}

}  // namespace portatune::tasks
