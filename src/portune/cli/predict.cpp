// portune predict: a JSON object for each row, in the order of the rows.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "portune/cli/commands.h"
#include "portune/cli/exit_code.h"
#include "portune/cli/report.h"
#include "portune/cli/result_file.h"
#include "portune/cli/rows.h"
#include "portune/cli/signals.h"

namespace portune::cli {
namespace {

using Json = nlohmann::ordered_json;

// The double with the fewest digits that tell the float from its neighbours: 0.1f is 0.1, not 0.10000000149.
double shortest(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

// A sigmoid head tells the probability of label 1 alone.
std::vector<float> probabilities_of_all(const TextClassification::Prediction& prediction) {
  if (prediction.probabilities.size() > 1) return prediction.probabilities;
  return {1 - prediction.probabilities[0], prediction.probabilities[0]};
}

std::string line_of(const TextClassification::Prediction& prediction, const std::vector<std::string>& labels) {
  const std::vector<float> probabilities = probabilities_of_all(prediction);
  Json scores = Json::object(), logits = Json::array();
  for (size_t i = 0; i < labels.size(); ++i) scores[labels[i]] = shortest(probabilities[i]);
  for (const float logit : prediction.logits) logits.push_back(shortest(logit));
  const Json row = {
      {"label", prediction.label}, {"score", scores[prediction.label]}, {"scores", scores}, {"logits", logits}};
  return row.dump() + "\n";
}

}  // namespace

int predict(const PredictArguments& a) {
  constexpr auto kLabels = TextClassification::Labels::kIgnored;
  const data::Dataset rows = read_rows(a.data, a.model.options, kLabels);
  const TextClassification task(a.model.folder, a.model.options);
  for (const std::string& line : remarks_on_config(task.unknown_config_keys())) say(a.talk, line);
  ResultFile file(a.output);
  catch_signals();  // so that nothing half-written stays behind
  const Device device(with_warnings(a.device, a.talk));
  Trainer trainer(device, task, {.dtype = a.dtype});

  trainer.predict(evaluation_batches(task, rows, a.batch_size, kLabels),
                  [&](const data::Example& batch, const data::Example& outputs) {
                    if (caught_signal() != 0) throw Interrupted{caught_signal()};
                    std::string lines;
                    for (const auto& prediction : task.predictions(batch, outputs)) {
                      lines += line_of(prediction, task.labels());
                    }
                    file.write(lines);
                  });
  file.finish();
  for (const std::string& line : remarks(trainer.load_report())) say(a.talk, line);
  return kOk;
}

}  // namespace portune::cli
