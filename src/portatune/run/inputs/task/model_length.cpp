#include "portatune/run/inputs/task/model_length.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/models.h"
#include "portatune/run.h"
#include "portatune/run/inputs/task/config_overrides.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/tasks/text_folder.h"

namespace portatune::run {
namespace {

// No limit for a model without texts or a broken folder; opening the model reports the fault.
int64_t positions_of(const ModelSource& source) {
  try {
    const io::JsonObject config = hub::read_config(source);
    if (models::is_image_model(config)) return std::numeric_limits<int64_t>::max();
    const bool is_whole = config.has("vocab_size");
    return models::text_model(is_whole ? config : tasks::open_text_folder(source).config())->facts().max_length;
  } catch (const Error&) {
    return std::numeric_limits<int64_t>::max();
  }
}

}  // namespace

void lower_max_length(ModelOptions& model, const std::filesystem::path& folder, Events& events) {
  const auto is_length = [](const GivenOption& option) { return option.name == "--max-length"; };
  if (std::ranges::any_of(model.given, is_length)) return;
  const std::vector<OptionField> fields = spec_of(model, folder).fields(model.options);
  const auto length = std::ranges::find(fields, "max_length", &OptionField::name);
  if (length == fields.end() || length->get().empty()) return;
  const int64_t max_length = number_in<int64_t>(length->get().front()).value_or(0);
  const int64_t positions = positions_of(source_of(model, folder));
  if (positions >= max_length) return;
  events.notice(fmt::format("--max-length is {}, not {}: the model has no more positions", positions, max_length));
  length->set({std::to_string(positions)});
}

}  // namespace portatune::run
