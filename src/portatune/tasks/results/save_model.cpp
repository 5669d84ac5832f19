#include "portatune/tasks/results/save_model.h"

#include <utility>

#include "portatune/hub/config_edit.h"
#include "portatune/io/file/file.h"

namespace portatune::tasks {

void save_model(const std::filesystem::path& folder, const hub::ModelFolder& from, ConfigChanges changes) {
  changes.dtype = DType::kFloat32;
  const std::string where = (from.path() / "config.json").string();
  io::write_file(folder / "config.json", hub::edit_config(from.config_text(), where, changes));
  hub::write_companions(from, folder);
}

}  // namespace portatune::tasks
