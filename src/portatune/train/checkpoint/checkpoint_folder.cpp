#include "portatune/train/checkpoint/checkpoint_folder.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>
#include <system_error>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/base/files/output_file.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/train/checkpoint/checkpoint.h"

namespace portatune::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "checkpoint-";

std::optional<int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto step = number_in<int64_t>(name.substr(kPrefix.size()));
  return step && *step >= 0 ? step : std::nullopt;
}

// "checkpoint-20" for "tmp.checkpoint-20.0123456789abcdef" and "old.checkpoint-20...", names of io::AtomicDirectory.
std::optional<std::string> target_of(std::string_view name) {
  for (const std::string_view prefix : {kTemporaryPrefix, kAsidePrefix}) {
    const std::optional<std::string> target = target_of_sibling(name, prefix);
    if (target && step_of(*target)) return target;
  }
  return std::nullopt;
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error && error != std::errc::no_such_file_or_directory) throw_system_error("list", folder, error.value());
  return {begin(entries), end(entries)};
}

// The error of some work, on one line; empty if it succeeds.
std::string error_in(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Error& error) {
    return one_line(error.report());
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

fs::path checkpoint_path(const fs::path& folder, int64_t step) {
  return folder / (std::string(kPrefix) + std::to_string(step));
}

fs::path folder_of_checkpoint(const fs::path& checkpoint) {
  return fs::absolute(checkpoint / ".").parent_path().parent_path();  // also of "checkpoint-20/"
}

bool is_of_checkpoint(const fs::directory_entry& entry) {
  if (!entry.is_directory()) return false;
  const std::string name = entry.path().filename().string();
  if (target_of(name)) return true;
  return step_of(name) && (is_checkpoint(entry.path()) || fs::is_empty(entry.path()));
}

std::vector<SavedCheckpoint> checkpoints_in(const fs::path& folder) {
  std::vector<SavedCheckpoint> found;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const std::optional<int64_t> step = step_of(entry.path().filename().string());
    if (step && is_checkpoint(entry.path())) found.push_back({*step, entry.path()});
  }
  std::ranges::sort(found, {}, &SavedCheckpoint::step);
  return found;
}

std::string fault_in_checkpoint(const fs::path& checkpoint, hub::ValidCheckpoint* last) {
  return error_in([&] { verify_checkpoint(checkpoint, last); });
}

NewestCheckpoint newest_checkpoint(const fs::path& folder, hub::ValidCheckpoint* last) {
  NewestCheckpoint newest;
  for (const SavedCheckpoint& checkpoint : std::views::reverse(checkpoints_in(folder))) {
    const std::string fault = fault_in_checkpoint(checkpoint.path, last);
    if (fault.empty()) {
      newest.path = checkpoint.path;
      break;
    }
    newest.newer_damaged.push_back(fault);
  }
  return newest;
}

std::string remove_old_checkpoints(const fs::path& folder, int64_t keep, int64_t best_step,
                                   const std::vector<fs::path>& spared) {
  std::vector<SavedCheckpoint> found;
  std::string fault = error_in([&] { found = checkpoints_in(folder); });
  const bool keeps_best = keep > 0 && best_step > 0;
  const auto best = keeps_best ? std::ranges::find(found, best_step, &SavedCheckpoint::step) : found.end();
  if (best != found.end()) std::rotate(best, best + 1, found.end());  // counts as the newest
  const int64_t surplus = std::max<int64_t>(0, std::ssize(found) - keep);
  for (int64_t i = 0; i < surplus; ++i) {
    const fs::path& path = found[static_cast<size_t>(i)].path;
    const auto is_same = [&](const fs::path& other) {
      std::error_code absent;
      return !other.empty() && fs::equivalent(path, other, absent);
    };
    if (std::ranges::any_of(spared, is_same)) continue;
    const std::string error = error_in([&] { io::remove_directory(path); });
    if (fault.empty() && !error.empty()) fault = path.string() + " could not be removed: " + error;
  }
  return fault;
}

void recover_checkpoints(const fs::path& folder) {
  std::set<std::string> targets;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const std::string name = entry.path().filename().string();
    if (const auto target = target_of(name)) targets.insert(*target);
  }
  for (const std::string& target : targets) io::recover_directory(folder / target);
}

}  // namespace portatune::train
