#include "portatune/runtime/processes/shared_directory.h"

#include <string>
#include <vector>

#include "portatune/error.h"
#include "portatune/runtime/processes/shared_failure.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

IoError not_seen(const fs::path& staging) {
  return IoError({.where = staging.string(),
                  .given = "no such folder in this process",
                  .expected = "the folder that process 0 has just created",
                  .fix = "give all processes the same output folder, on a file system that they share"});
}

}  // namespace

SharedDirectory::SharedDirectory(const fs::path& target, ProcessGroup* processes, int64_t writers, Unseen unseen)
    : processes_(processes), writers_(writers) {
  attempt([&] {
    if (is_first(processes_)) directory_.emplace(target);
  });
  agree();
  if (directory_) staging_ = directory_->staging();
  if (processes_ == nullptr) return;
  const std::string name = gather(*processes_, directory_ ? directory_->staging_name() : "").front();
  if (!directory_) staging_ = io::staging_of(target, name);
  std::error_code unreachable;
  bool is_seen = rank() >= writers_ || fs::is_directory(staging_, unreachable);
  if (unseen == Unseen::kLeavesItToTheFirst && in_any(processes_, !is_seen)) {
    writers_ = 1;
    is_seen = true;
  }
  attempt([&] {
    if (!is_seen) throw not_seen(staging_);
  });
  agree();
}

void SharedDirectory::attempt(const std::function<void()>& work) {
  if (error_) return;
  try {
    work();
  } catch (...) {
    error_ = std::current_exception();
  }
}

std::vector<std::string> SharedDirectory::texts_of_all(const std::string& text) const {
  if (processes_ == nullptr) return {text};
  return gather(*processes_, text);
}

void SharedDirectory::agree() { require_no_failure(processes_, error_); }

void SharedDirectory::commit(const std::function<void()>& check, const io::EntryTest& keep) {
  agree();
  attempt([&] {
    if (!directory_) return;
    if (check) check();
    directory_->commit(keep);
  });
  agree();
}

}  // namespace portatune
