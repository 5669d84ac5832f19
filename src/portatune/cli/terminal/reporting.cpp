#include "portatune/cli/terminal/reporting.h"

namespace portatune::cli {

void Reporting::describe(OptionFields& fields) {
  fields.group("Output");
  fields("json", json, "the result as one JSON object", {.decides = false});
  fields("quiet", quiet, "only results and errors", {.decides = false, .other_names = "q"});
  fields("disable_progress", disable_progress, "plain lines in place of a bar",
         {.decides = false, .other_names = "disable_tqdm"});
}

}  // namespace portatune::cli
