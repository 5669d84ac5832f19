#include "portatune/hub/adapters/rebased_adapter.h"

#include <fcntl.h>
#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/file/file.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemporaryFolder = "portatune-adapter-";

void require_adapter(const fs::path& adapter, const fs::path& base) {
  if (!is_adapter(adapter)) {
    throw UsageError({.where = adapter.string(),
                      .given = "a folder without " + std::string(kAdapterConfig),
                      .expected = "an adapter of PEFT, as portatune fit --adapter lora writes it"});
  }
  if (is_adapter(base)) {
    throw UsageError({.where = base.string(),
                      .given = "an adapter as the base model of " + adapter.string(),
                      .expected = "a model",
                      .fix = "merge it into its model first: portatune merge"});
  }
  read_adapter(adapter);  // so that its errors name the adapter's own folder
}

// Removes the folders of dead processes.
void remove_abandoned(const fs::path& parent) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(kTemporaryFolder)) continue;
    if (const auto lock = lock_abandoned(entry.path(), O_DIRECTORY)) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

RebasedAdapter::RebasedAdapter() {
  const fs::path parent = fs::temp_directory_path();
  remove_abandoned(parent);
  do {  // another process may find the folder before it is locked, and remove it
    std::string path = parent / (std::string(kTemporaryFolder) + "XXXXXX");
    if (mkdtemp(path.data()) == nullptr) throw_system_error("create a folder", path, errno);
    temporary_ = path;
    lock_ = FileDescriptor::open(temporary_, O_RDONLY | O_DIRECTORY);
  } while (try_lock(lock_) == FileLock::kHeldByAnother || is_removed(lock_, temporary_));
}

// After the other constructor has returned, the destructor removes the folder even if this one fails.
RebasedAdapter::RebasedAdapter(const fs::path& adapter, const fs::path& base) : RebasedAdapter() {
  require_adapter(adapter, base);
  const fs::path origin = fs::canonical(adapter);
  folder_ = temporary_ / origin.filename();
  fs::create_directory(folder_);
  for (const fs::directory_entry& entry : fs::directory_iterator(origin)) {
    const fs::path name = entry.path().filename();
    if (name != kAdapterConfig) fs::create_symlink(entry.path(), folder_ / name);
  }
  io::write_file(folder_ / kAdapterConfig, config_with_base(origin, base));
}

RebasedAdapter::~RebasedAdapter() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

}  // namespace portatune::hub
