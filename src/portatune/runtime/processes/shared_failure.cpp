#include "portatune/runtime/processes/shared_failure.h"

#include <algorithm>
#include <array>

#include "portatune/error.h"

namespace portatune {
namespace {

// An error as it is sent to other processes: its kind, errno and the parts of its report.
enum class ErrorKind : uint8_t { kIo, kNumeric, kShape, kData, kCheckpoint, kDevice, kUsage, kNotFound, kStopped };

struct Failure {
  ErrorKind kind = ErrorKind::kIo;
  int error_number = 0;
  Report report;
};

ErrorKind kind_of(const Error& error) {
  const auto is = [&]<class Type>(const Type*) { return dynamic_cast<const Type*>(&error) != nullptr; };
  if (is(static_cast<NumericError*>(nullptr))) return ErrorKind::kNumeric;
  if (is(static_cast<ShapeError*>(nullptr))) return ErrorKind::kShape;
  if (is(static_cast<DataError*>(nullptr))) return ErrorKind::kData;
  if (is(static_cast<CheckpointError*>(nullptr))) return ErrorKind::kCheckpoint;
  if (is(static_cast<DeviceError*>(nullptr))) return ErrorKind::kDevice;
  if (is(static_cast<UsageError*>(nullptr))) return ErrorKind::kUsage;
  if (is(static_cast<NotFoundError*>(nullptr))) return ErrorKind::kNotFound;
  return ErrorKind::kIo;
}

Failure failure_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const IoError& io) {
    return {ErrorKind::kIo, io.error_number(), io.report()};
  } catch (const Error& other) {
    return {kind_of(other), 0, other.report()};
  } catch (const Stopped&) {
    return {.kind = ErrorKind::kStopped};
  } catch (const std::exception& other) {
    return {ErrorKind::kIo, 0, {.where = "a failure", .given = other.what(), .expected = {}, .fix = {}}};
  } catch (...) {
    return {ErrorKind::kIo, 0, {.where = "a failure", .given = "an unknown exception", .expected = {}, .fix = {}}};
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
  return {static_cast<ErrorKind>(std::stoi(parts[0])),
          std::stoi(parts[1]),
          {.where = parts[2], .given = parts[3], .expected = parts[4], .fix = parts[5]}};
}

[[noreturn]] void throw_failure(Failure failure, int64_t process, int64_t processes) {
  failure.report.where =
      "process " + std::to_string(process) + " of " + std::to_string(processes) + ", " + failure.report.where;
  switch (failure.kind) {
    case ErrorKind::kNumeric:
      throw NumericError(failure.report);
    case ErrorKind::kShape:
      throw ShapeError(failure.report);
    case ErrorKind::kData:
      throw DataError(failure.report);
    case ErrorKind::kCheckpoint:
      throw CheckpointError(failure.report);
    case ErrorKind::kDevice:
      throw DeviceError(failure.report);
    case ErrorKind::kUsage:
      throw UsageError(failure.report);
    case ErrorKind::kNotFound:
      throw NotFoundError(failure.report);
    case ErrorKind::kStopped:
      throw Stopped();
    case ErrorKind::kIo:
      break;
  }
  throw IoError(failure.report, failure.error_number);
}

}  // namespace

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

void require_no_failure(ProcessGroup* processes, const std::exception_ptr& error) {
  if (processes == nullptr) {
    if (error) std::rethrow_exception(error);
    return;
  }
  if (!in_any(processes, error != nullptr)) return;
  const std::vector<std::string> failures = gather(*processes, error ? to_text(failure_of(error)) : "");
  if (error) std::rethrow_exception(error);
  const auto failed = std::ranges::find_if(failures, [](const std::string& text) { return !text.empty(); });
  throw_failure(failure_in(*failed), failed - failures.begin(), processes->size());
}

}  // namespace portatune
