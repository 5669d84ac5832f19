#include "portatune/base/files/output_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/base/files/replace_entries.h"
#include "portatune/base/text/message.h"
#include "portatune/base/threads/watchdog.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

constexpr size_t kIdDigits = 16;

}  // namespace

OutputFile::OutputFile(std::filesystem::path path, int mode)
    : path_(std::move(path)), file_(FileDescriptor::open(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)) {}

OutputFile::~OutputFile() {
  if (finished_) return;
  file_.close();
  unlink(path_.c_str());
}

void OutputFile::reserve(int64_t bytes) {
  if (bytes == 0) return;
  int result;
  do {
    result = fallocate(file_.number(), FALLOC_FL_KEEP_SIZE, 0, bytes);
  } while (result != 0 && errno == EINTR);
  // A file system that cannot reserve space reports a full disk at the write.
  if (result != 0 && errno != EOPNOTSUPP && errno != ENOSYS) throw_system_error("reserve space for", path_, errno);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("write", path_, errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
    note_progress();
  }
}

void OutputFile::finish() {
  if (finished_) return;
  if (fsync(file_.number()) != 0) throw_system_error("fsync", path_, errno);
  if (const int error_number = file_.close(); error_number != 0) throw_system_error("close", path_, error_number);
  finished_ = true;
}

AtomicFile::AtomicFile(std::filesystem::path target, int mode) : target_(std::move(target)) {
  // Another process may call remove_leftovers() between creation and lock. Then the file is created again.
  do {
    temporary_ = unique_sibling(target_, kTemporaryPrefix);
    file_.emplace(temporary_, mode);
  } while (try_lock(file_->descriptor()) == FileLock::kHeldByAnother || is_removed(file_->descriptor(), temporary_));
}

AtomicFile::~AtomicFile() {
  if (!committed_) unlink(temporary_.c_str());
}

void AtomicFile::finish() {
  // A duplicate descriptor keeps the lock after OutputFile closes its own.
  if (lock_.number() < 0) lock_ = FileDescriptor(fcntl(file_->descriptor().number(), F_DUPFD_CLOEXEC, 0));
  file_->finish();
}

void AtomicFile::commit() {
  finish();
  committed_ = rename(temporary_.c_str(), target_.c_str()) == 0;
  if (!committed_) {
    const int error_number = errno;
    unlink(temporary_.c_str());
    throw_system_error("rename " + temporary_.string() + " to", target_, error_number);
  }
  sync_folder(target_.parent_path());
}

void AtomicFile::commit_together(std::span<AtomicFile* const> files, const std::vector<fs::path>& removed) {
  if (files.empty()) return;
  std::vector<Replacement> replacements;
  for (const fs::path& old : removed) {
    if (fs::exists(fs::symlink_status(old))) replacements.push_back({{}, fs::absolute(old)});
  }
  if (files.size() == 1 && replacements.empty()) return files.front()->commit();
  for (const AtomicFile* file : files) {
    // Like rename(2), do not replace a folder that another process has created in the meantime.
    if (fs::is_directory(fs::symlink_status(file->target_))) throw_system_error("replace", file->target_, EISDIR);
    replacements.push_back({fs::absolute(file->temporary_), fs::absolute(file->target_)});
  }
  const auto keep_sources = [&] {
    for (AtomicFile* file : files) file->committed_ = true;
  };
  try {
    replace_entries(fs::absolute(files.front()->target_).parent_path(), replacements);
  } catch (const UnfinishedReplacement&) {
    keep_sources();
    throw;
  }
  keep_sources();
}

void replace_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void remove_leftovers(std::span<const fs::path> targets) {
  std::map<fs::path, std::set<std::string>> names;  // names of targets by folder
  for (const fs::path& target : targets) names[target.parent_path()].insert(target.filename());
  for (const auto& [parent, names_there] : names) {
    const fs::path folder = parent.empty() ? "." : parent;
    finish_replacements(folder, targets);
    std::error_code absent;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
      const std::optional<std::string> target = target_of_sibling(entry.path().filename().string(), kTemporaryPrefix);
      if (!target || !names_there.contains(*target) || !fs::is_regular_file(entry.symlink_status())) continue;
      if (const auto lock = lock_abandoned(entry.path())) unlink(entry.path().c_str());
    }
  }
}

void sync_folder(const fs::path& folder) {
  const FileDescriptor file = FileDescriptor::open(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  // Some file systems do not support fsync of folders.
  if (fsync(file.number()) != 0 && errno != EINVAL) throw_system_error("fsync", folder, errno);
}

fs::path unique_sibling(const fs::path& target, std::string_view prefix) {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) throw_system_error("get random bits for", target, errno);
  return target.parent_path() / (std::string(prefix) + target.filename().string() + "." + hexadecimal(bits));
}

bool is_unique_sibling(std::string_view name, std::string_view target_name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  if (name.size() != target_name.size() + 1 + kIdDigits || !name.starts_with(target_name)) return false;
  name.remove_prefix(target_name.size());
  return name[0] == '.' && name.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

std::optional<std::string> target_of_sibling(std::string_view name, std::string_view prefix) {
  const size_t end = name.rfind('.'), begin = prefix.size();
  if (end == std::string_view::npos || end < begin) return std::nullopt;
  const std::string_view target = name.substr(begin, end - begin);
  return is_unique_sibling(name, target, prefix) ? std::optional(std::string(target)) : std::nullopt;
}

}  // namespace portatune
