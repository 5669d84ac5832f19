#include "portatune/base/files/replace_entries.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/base/files/output_file.h"
#include "portatune/base/files/path_name.h"
#include "portatune/base/text/number.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

// A journal gets its second name when all replacements are made and only older targets remain to be removed. From then
// on entries with a target's name are not touched.
constexpr std::string_view kJournal = ".portatune-commit", kFinishedJournal = ".portatune-done";
constexpr std::string_view kEnd = "end";
constexpr int64_t kMaxBytes = 64 << 20;  // of a journal, which has some 300 bytes for each entry of a folder

struct Step {
  fs::path source, target;
  fs::path old;        // temporary name of the older target
  uint64_t inode = 0;  // of the older target; 0 if there is none
};

// An empty path is the working folder, as is the parent of "train.tfrecord".
fs::path absolute_path(const fs::path& path) { return fs::absolute(path.empty() ? "." : path).lexically_normal(); }

uint64_t inode_of(const fs::path& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

DataError foreign_journal(const fs::path& path, std::string given) {
  return DataError({.where = path.string(),
                    .given = std::move(given),
                    .expected = "a journal of replacements that portatune has written",
                    .fix = "remove this file, and trust its folder only if you know where it comes from"});
}

void move(const fs::path& from, const fs::path& to) {
  if (rename(from.c_str(), to.c_str()) != 0) throw_system_error("rename " + from.string() + " to", to, errno);
}

std::vector<Step> plan(const std::vector<Replacement>& replacements) {
  std::vector<Step> steps;
  for (const auto& [source, target] : replacements) {
    steps.push_back({source, target, unique_sibling(target, kAsidePrefix), inode_of(target)});
  }
  return steps;
}

// A target with a successor keeps its name until the rename, if the file system allows a second name.
void set_aside(const Step& step) {
  const bool stays = !step.source.empty();
  if (stays && (link(step.target.c_str(), step.old.c_str()) == 0 || errno == EEXIST)) return;
  move(step.target, step.old);
}

// Makes a step. Does nothing if the step was made before.
void make(const Step& step) {
  if (step.inode != 0 && inode_of(step.target) == step.inode) set_aside(step);
  if (entry_exists(step.source)) move(step.source, step.target);
}

void undo(const Step& step) {
  if (!step.source.empty() && !entry_exists(step.source) && entry_exists(step.target)) move(step.target, step.source);
  if (!entry_exists(step.old)) return;
  move(step.old, step.target);
  unlink(step.old.c_str());  // rename(2) does nothing if both names are links to one file
}

void sync_folders(const std::vector<Step>& steps) {
  std::set<fs::path> folders;
  for (const Step& step : steps) {
    folders.insert(step.target.parent_path());
    if (!step.source.empty()) folders.insert(step.source.parent_path());
  }
  for (const fs::path& folder : folders) {
    if (entry_exists(folder)) sync_folder(folder);  // a folder of sources may be gone after the moves
  }
}

// Makes all targets what they were, and only then removes the journal; the syncs keep this order after a power cut.
bool try_undo(const std::vector<Step>& steps, const fs::path& journal) {
  try {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) undo(*step);
    sync_folders(steps);
    if (unlink(journal.c_str()) != 0) return false;
    sync_folder(journal.parent_path());
    return true;
  } catch (const std::exception&) {  // the caller reports the first error
    return false;
  }
}

// Paths are relative to the journal's folder, because that folder may be moved as a whole.
std::string text_of(const std::vector<Step>& steps, const fs::path& folder) {
  std::string text;
  const auto add = [&](std::string_view field) { text.append(field).push_back('\0'); };
  const auto relative = [&](const fs::path& path) {
    return path.empty() ? "" : fs::absolute(path).lexically_normal().lexically_relative(folder).string();
  };
  for (const Step& step : steps) {
    for (const fs::path& path : {step.source, step.target, step.old}) add(relative(path));
    add(std::to_string(step.inode));
  }
  add(kEnd);
  return text;
}

// The content of a journal. A model folder from the internet may contain anything under a journal's name.
std::string read_journal(const fs::path& path, const FileDescriptor& file) {
  struct stat status;
  const bool is_journal = fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kMaxBytes;
  if (!is_journal) throw foreign_journal(path, "no regular file of at most " + std::to_string(kMaxBytes) + " bytes");
  std::string text(static_cast<size_t>(status.st_size), '\0');
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = pread(file.number(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("read", path, errno);
    if (count == 0) text.resize(done);
    done += static_cast<size_t>(count);
  }
  return text;
}

// Whether a path is directly in `folder` or in a folder below it, without symbolic links that leave it.
bool is_inside(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path root = fs::weakly_canonical(folder, error), parent = fs::weakly_canonical(path.parent_path(), error);
  return !error && std::ranges::mismatch(root, parent).in1 == root.end();
}

bool has_possible_length(const fs::path& path) {
  return path.native().size() < PATH_MAX && path.filename().native().size() <= NAME_MAX;
}

bool is_sibling(const fs::path& path, const fs::path& target, std::string_view prefix) {
  return path.parent_path() == target.parent_path() &&
         is_unique_sibling(path.filename().string(), target.filename().string(), prefix);
}

// Replacements stay in the folder of their journal, or replace a file of the caller, one of the absolute `targets`, by
// its temporary file. Older targets get temporary names beside them.
bool is_own(const Step& step, const fs::path& folder, const std::set<fs::path>& targets) {
  const std::string target = step.target.filename();
  const bool is_given =
      targets.contains(step.target) && (step.source.empty() || is_sibling(step.source, step.target, kTemporaryPrefix));
  const bool is_in_folder = is_inside(step.target, folder) && (step.source.empty() || is_inside(step.source, folder));
  return !target.empty() && target != ".." && target != "." && (is_given || is_in_folder) &&
         has_possible_length(step.source) && has_possible_length(step.old) &&
         is_sibling(step.old, step.target, kAsidePrefix);
}

void require_own(const Step& step, const fs::path& journal, const std::set<fs::path>& targets) {
  if (is_own(step, journal.parent_path(), targets)) return;
  throw foreign_journal(journal, "names of files outside its folder, or too long ones");
}

// Returns nothing for an incomplete journal: no step has been made then.
std::optional<std::vector<Step>> steps_in(const fs::path& journal, const std::string& text,
                                          const std::set<fs::path>& targets) {
  std::vector<std::string> fields;
  for (size_t begin = 0, end; (end = text.find('\0', begin)) != std::string::npos; begin = end + 1) {
    fields.push_back(text.substr(begin, end - begin));
  }
  if (fields.size() % 4 != 1 || fields.back() != kEnd) return std::nullopt;
  const fs::path folder = journal.parent_path();
  const auto path = [&](const std::string& field) {
    return field.empty() ? fs::path() : (folder / field).lexically_normal();
  };
  std::vector<Step> steps;
  for (size_t i = 0; i + 4 <= fields.size(); i += 4) {
    const auto inode = number_in<uint64_t>(fields[i + 3]);
    if (!inode) return std::nullopt;
    steps.push_back({path(fields[i]), path(fields[i + 1]), path(fields[i + 2]), *inode});
    require_own(steps.back(), journal, targets);
  }
  return steps;
}

// Returns whether a name is the name of an unfinished journal.
bool is_unfinished(const std::string& name) {
  return is_unique_sibling(std::string_view(name).substr(0, name.rfind('.')), kJournal, kTemporaryPrefix);
}

// Removes older targets and then the journal. The syncs keep this order after a power cut. finish_replacements()
// repeats what fails here.
void clean_up(const fs::path& journal, const std::vector<Step>& steps) {
  std::error_code failed;
  for (const Step& step : steps) {
    fs::remove_all(step.old, failed);
    if (failed) return;
  }
  try {
    sync_folders(steps);
  } catch (const Error&) {
    return;
  }
  fs::remove(journal, failed);
}

void finish(const fs::path& journal, const std::vector<Step>& steps) {
  sync_folders(steps);
  const fs::path finished = unique_sibling(journal.parent_path() / kFinishedJournal, {});
  if (rename(journal.c_str(), finished.c_str()) == 0) clean_up(finished, steps);
}

}  // namespace

void replace_entries(const fs::path& folder, const std::vector<Replacement>& replacements) {
  const fs::path absolute = absolute_path(folder);
  const std::vector<Step> steps = plan(replacements);
  AtomicFile journal(unique_sibling(absolute / kJournal, {}));
  journal.write(text_of(steps, absolute));
  journal.commit();
  try {
    for (const Step& step : steps) make(step);
  } catch (const Error& error) {
    const auto* const io = dynamic_cast<const IoError*>(&error);
    if (try_undo(steps, journal.target())) throw;
    throw UnfinishedReplacement(error.report(), io == nullptr ? 0 : io->error_number());
  }
  finish(journal.target(), steps);
}

void finish_replacements(const fs::path& folder, std::span<const fs::path> targets) {
  const fs::path absolute = absolute_path(folder);
  std::set<fs::path> own;
  for (const fs::path& target : targets) own.insert(absolute_path(target));
  std::error_code absent;
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(absolute, absent)) entries.push_back(entry.path());
  for (const fs::path& entry : entries) {
    const std::string name = entry.filename().string();
    const bool is_journal = is_unique_sibling(name, kJournal, {});
    const bool is_finished = is_unique_sibling(name, kFinishedJournal, {}) || is_unfinished(name);
    if (!is_journal && !is_finished) continue;
    const std::optional<FileDescriptor> lock = lock_abandoned(entry);
    if (!lock) continue;
    const std::vector<Step> steps = steps_in(entry, read_journal(entry, *lock), own).value_or(std::vector<Step>{});
    if (is_finished) {
      clean_up(entry, steps);
      continue;
    }
    // Earlier steps may move symbolic links into the paths of later ones, and of what finish() removes.
    for (const Step& step : steps) {
      require_own(step, entry, own);
      make(step);
    }
    for (const Step& step : steps) require_own(step, entry, own);
    finish(entry, steps);
  }
}

}  // namespace portatune
