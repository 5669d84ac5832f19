// portatune tfrecord inspect: shows the content of TFRecord files, and their faults.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/run/tfrecord/tfrecord_survey.h"
#include "portatune/sources.h"

namespace portatune::cli {
namespace {

constexpr size_t kMaxFaults = 10;  // number of faults that are listed

std::string features_of(const run::TfrecordSurvey& survey) {
  size_t width = 8;
  for (const auto& [name, feature] : survey.features()) width = std::max(width, name.size());
  std::string text =
      fmt::format("  {:<{}}  {:<8} {:>9}  {:<10} bytes of each\n", "feature", width, "kind", "records", "values");
  for (const auto& [name, feature] : survey.features()) {
    text += fmt::format("  {:<{}}  {:<8} {:>9}  {:<10} {}\n", name, width, feature.kind(), feature.records(),
                        feature.values.text(), feature.bytes.text());
  }
  return text;
}

std::string text_of(const run::TfrecordSurvey& survey) {
  std::string text =
      fmt::format("{}: {} records, {} bytes{}, {}\n", without_secrets(survey.file()), survey.records(), survey.bytes(),
                  survey.is_compressed() ? ", compressed" : "", survey.has_index() ? "with an index" : "no index");
  if (!survey.features().empty()) text += features_of(survey);
  for (size_t i = 0; i < survey.first().size(); ++i) {
    text += fmt::format("  record {}\n", i + 1);
    for (const auto& [name, value] : survey.first()[i].items())
      text += fmt::format("    {}: {}\n", name, io::json_text(value));
  }
  const std::vector<Report>& faults = survey.faults();
  for (size_t i = 0; i < std::min(faults.size(), kMaxFaults); ++i) {
    text += fmt::format("  corrupt: {}\n", one_line(faults[i]));
  }
  if (faults.size() > kMaxFaults) text += fmt::format("  and {} more\n", faults.size() - kMaxFaults);
  return text;
}

}  // namespace

int execute(const TfrecordInspectArguments& a) {
  catch_signals();
  bool is_sound = true;
  for (const std::string& file : data::table_files(a.files)) {
    const run::TfrecordSurvey survey(file, a.verify, a.records);
    print_result(a.reporting.json ? run::json_of(survey, a.verify) : text_of(survey));
    is_sound = is_sound && survey.faults().empty();
  }
  return is_sound ? kOk : kBadData;
}

}  // namespace portatune::cli
