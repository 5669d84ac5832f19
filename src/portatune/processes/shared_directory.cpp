#include "portatune/processes/shared_directory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "portatune/error.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

// A text of each process, by rank.
std::vector<std::string> gather(ProcessGroup& processes, const std::string& text) {
  const std::vector<uint64_t> sizes = processes.all_gather(text.size());
  const uint64_t longest = std::ranges::max(sizes);
  std::string padded = text, all(longest * sizes.size(), '\0');
  padded.resize(longest);
  processes.all_gather(processes.everyone(), std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> texts;
  for (size_t i = 0; i < sizes.size(); ++i) texts.push_back(all.substr(i * longest, sizes[i]));
  return texts;
}

// An error as other processes learn of it: its kind, errno and the parts of its report.
enum class Kind : uint8_t { kIo, kNumeric };

struct Failure {
  Kind kind = Kind::kIo;
  int error_number = 0;
  Report report;
};

Failure failure_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const NumericError& numeric) {
    return {Kind::kNumeric, 0, numeric.report()};
  } catch (const IoError& io) {
    return {Kind::kIo, io.error_number(), io.report()};
  } catch (const Error& other) {
    return {Kind::kIo, 0, other.report()};
  } catch (const std::exception& other) {
    return {Kind::kIo, 0, {.where = "writing", .given = other.what(), .expected = {}, .fix = {}}};
  } catch (...) {
    return {Kind::kIo, 0, {.where = "writing", .given = "a failure without a name", .expected = {}, .fix = {}}};
  }
}

constexpr char kSeparator = '\0';

std::string to_text(const Failure& failure) {
  std::string text = std::to_string(static_cast<int>(failure.kind)) + kSeparator + std::to_string(failure.error_number);
  const Report& report = failure.report;
  for (const std::string* part : {&report.where, &report.given, &report.expected, &report.fix}) {
    text += kSeparator + *part;
  }
  return text;
}

Failure failure_in(const std::string& text) {
  std::array<std::string, 6> parts;
  size_t begin = 0;
  for (std::string& part : parts) {
    const size_t end = std::min(text.find(kSeparator, begin), text.size());
    part = text.substr(begin, end - begin);
    begin = end + 1;
  }
  return {static_cast<Kind>(std::stoi(parts[0])),
          std::stoi(parts[1]),
          {.where = parts[2], .given = parts[3], .expected = parts[4], .fix = parts[5]}};
}

[[noreturn]] void throw_failure(Failure failure, int64_t process) {
  failure.report.where = "process " + std::to_string(process) + ", " + failure.report.where;
  if (failure.kind == Kind::kNumeric) throw NumericError(failure.report);
  throw IoError(failure.report, failure.error_number);
}

IoError not_seen(const fs::path& staging) {
  return IoError({.where = staging.string(),
                  .given = "no such folder in this process",
                  .expected = "the one that process 0 has just made",
                  .fix = "give all processes one folder to write to, on a file system that they share"});
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
  const std::string name = gather(*processes_, staging_.filename().string()).front();
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

// Waits for all; throws if one has failed.
void SharedDirectory::agree() {
  if (processes_ == nullptr) {
    if (error_) std::rethrow_exception(error_);
    return;
  }
  if (!in_any(processes_, error_ != nullptr)) return;
  const std::vector<std::string> failures = gather(*processes_, error_ ? to_text(failure_of(error_)) : "");
  if (error_) std::rethrow_exception(error_);
  const auto failed = std::ranges::find_if(failures, [](const std::string& text) { return !text.empty(); });
  throw_failure(failure_in(*failed), failed - failures.begin());
}

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
