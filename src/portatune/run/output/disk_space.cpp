#include "portatune/run/output/disk_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <optional>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/hub/weight_files.h"
#include "portatune/io/file/free_space.h"
#include "portatune/nn/name_pattern.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

int64_t checkpoint_bytes(const SavesOfRun& saves) { return saves.weights_bytes + saves.slots_bytes; }

// Sum of float32 elements over the weights of a model.
int64_t bytes_of(const fs::path& model, const std::function<int64_t(const NamedTensorView&)>& elements_for) {
  const std::optional<hub::WeightFiles> files = hub::WeightFiles::find(model);
  if (!files) return 0;
  int64_t elements = 0;
  for (const NamedTensorView& tensor : files->tensors()) elements += elements_for(tensor);
  return elements * size_of(DType::kFloat32);
}

fs::path nearest_folder(fs::path path) {
  path = fs::absolute(path);
  while (!fs::exists(path) && path.has_relative_path()) path = path.parent_path();
  return path;
}

std::string size(int64_t bytes) { return decimal_size(static_cast<double>(bytes)); }

std::string describe(const SavesOfRun& saves) {
  std::string text = fmt::format("{} for the model of {}", size(most_bytes(saves)), size(saves.weights_bytes));
  if (saves.checkpoints == 0) return text;
  return text + fmt::format(" and its checkpoints of {} each", size(checkpoint_bytes(saves)));
}

}  // namespace

int64_t most_bytes(const SavesOfRun& saves) {
  const int64_t checkpoint = checkpoint_bytes(saves);
  const int64_t more = std::max<int64_t>(0, saves.kept - saves.present);
  // The maximum is reached either at the end, when the model lies beside the checkpoints, or before, when a new
  // checkpoint is complete and the one that it replaces is not removed yet.
  const int64_t models = saves.weights_bytes + saves.average_bytes;
  return saves.checkpoints <= more ? saves.checkpoints * checkpoint + models
                                   : std::max((more + 1) * checkpoint, more * checkpoint + models);
}

int64_t bytes_of_weights(const fs::path& model) {
  return bytes_of(model, [](const NamedTensorView& weight) { return weight.view.type.shape.elements(); });
}

int64_t bytes_of_slots(const fs::path& model, const optim::Optimizer& optimizer,
                       const std::vector<std::string>& frozen) {
  return bytes_of(model, [&](const NamedTensorView& weight) {
    if (std::ranges::any_of(frozen, [&](const std::string& part) { return nn::matches(weight.name, part); }))
      return int64_t{0};
    const Shape& shape = weight.view.type.shape;
    int64_t elements = 0;
    for (const optim::Slot& slot : optimizer.slots(shape.rank())) elements += slot.shape(shape).elements();
    return elements;
  });
}

void require_disk_space(const fs::path& output, const SavesOfRun& saves) {
  const fs::path folder = nearest_folder(output);
  const std::optional<int64_t> free = io::free_bytes(folder);
  if (!free || *free >= most_bytes(saves)) return;
  throw IoError(
      {.where = "--output " + output.string(),
       .given = fmt::format("{} of free space on the disk of {}", size(*free), folder.string()),
       .expected = describe(saves),
       .fix = saves.checkpoints == 0 ? "free space, or choose a folder on another disk"
                                     : "free space, choose a folder on another disk, or save fewer checkpoints by "
                                       "--keep-checkpoints or --checkpoint-every"},
      ENOSPC);
}

}  // namespace portatune::run
