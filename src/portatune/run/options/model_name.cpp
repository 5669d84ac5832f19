#include "portatune/run/options/model_name.h"

#include <optional>

#include "portatune/base/files/path_name.h"
#include "portatune/hub/download/cache.h"

namespace portatune::run {

std::string name_of_model(const std::filesystem::path& folder) {
  const std::optional<io::HubName> on_hub = hub::hub_name_of(folder);
  return last_part_of(on_hub ? std::filesystem::path(on_hub->name) : folder);
}

train::RunFacts with_name_of_model(train::RunFacts saved) {
  const auto model = saved.find(train::kModelFact);
  if (model != saved.end()) model->second = name_of_model(model->second);
  return saved;
}

}  // namespace portatune::run
