#include "portatune/hub/changed_model.h"

#include "portatune/io/file/atomic_directory.h"

namespace portatune::hub {

namespace fs = std::filesystem;

void write_changed_model(const ModelFolder& model, const fs::path& output, const std::string& config_text,
                         const std::vector<std::string>& others,
                         const std::function<void(const fs::path&)>& write_weights) {
  io::require_nothing_else(
      output, [](const fs::directory_entry& entry) { return entry.path().filename() == io::kLostAndFound; },
      io::kLostAndFound);
  io::AtomicDirectory folder(output);
  write_weights(folder.staging() / "model.safetensors");
  model.require_whole();
  io::write_file(folder.staging() / "config.json", config_text);
  write_companions(model, folder.staging());
  for (const std::string& name : others) {
    if (fs::exists(model.path() / name)) fs::copy_file(model.path() / name, folder.staging() / name);
  }
  folder.commit();
}

}  // namespace portatune::hub
