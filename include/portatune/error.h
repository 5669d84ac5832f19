// Errors that state what was given, what was expected and how to fix it. Requests to end a run.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace portatune {

/// The parts of an error message. Empty parts are left out.
struct Report {
  std::string where;     ///< the operation or the file at fault, with row, record or byte offset
  std::string given;     ///< the value found
  std::string expected;  ///< the value needed
  std::string fix;       ///< advice as an imperative sentence; empty if no advice is certain
};

/// Base class of all errors that Portatune throws. `what()` is the whole message, one line per part:
///     concatenate
///       given     [8, 128, 768] and [8, 64, 768] on axis 2
///       expected  equal sizes on every other axis
///       fix       pad or slice the inputs to one size, or check the axis
///       in        bert/encoder/layer/3
class Error : public std::exception {
 public:
  explicit Error(Report report);

  const char* what() const noexcept override { return message_.c_str(); }
  const Report& report() const { return report_; }

  /// Names the part of the model or of the pipeline in which the error occurred. The first call wins, so set it
  /// innermost.
  void set_context(const std::string& context);
  /// Replaces `where`, for example by the option as users write it.
  void set_where(std::string where);

 private:
  Report report_;
  std::string context_;
  std::string message_;
};

/// The operands of an operation do not fit together.
struct ShapeError : Error {
  using Error::Error;
};
/// A data file, or one of its rows, is invalid.
struct DataError : Error {
  using Error::Error;
};
/// A model folder (config, weights, tokenizer) or a checkpoint is invalid.
struct CheckpointError : Error {
  using Error::Error;
};
/// A plugin or a device is missing, has the wrong version, or failed.
struct DeviceError : Error {
  using Error::Error;
};
/// A request is invalid: an unknown option, a value out of range, calls in the wrong order.
struct UsageError : Error {
  using Error::Error;
};
/// A requested file does not exist.
struct NotFoundError : Error {
  using Error::Error;
};
/// The operating system reported a failure: disk full, no permission, a failed read or write.
class IoError : public Error {
 public:
  /// error_number  errno of the failed system call; 0 if no system call failed
  explicit IoError(Report report, int error_number = 0) : Error(std::move(report)), error_number_(error_number) {}
  int error_number() const { return error_number_; }

 private:
  int error_number_;
};
/// A loss, a gradient, an output or a weight is non-finite.
struct NumericError : Error {
  using Error::Error;
};

/// Thrown by a function that ends because of a stop request. It is not an Error: nothing is wrong.
struct Stopped {};

/// Knows whether the StopSource that made it has requested a stop. It may outlive that source.
class StopToken {
 public:
  /// A token without a source, which never requests a stop.
  StopToken() = default;

  bool stop_requested() const noexcept {
    for (const Requests* requests = requests_.get(); requests != nullptr; requests = requests->outer.get()) {
      if (requests->own) return true;
    }
    return false;
  }

 private:
  friend class StopSource;
  struct Requests {
    std::atomic<bool> own = false;
    std::shared_ptr<const Requests> outer = nullptr;  // requests of the token that this source was made with
  };
  explicit StopToken(std::shared_ptr<const Requests> requests) : requests_(std::move(requests)) {}

  std::shared_ptr<const Requests> requests_;  // shared with the source, which may end before its runs
};

/// Requests the end of the runs that have its token, and of no others.
class StopSource {
 public:
  StopSource() = default;
  /// A request of the source of `outer` is also one of this source.
  explicit StopSource(const StopToken& outer) { requests_->outer = outer.requests_; }
  StopSource(const StopSource&) = delete;
  StopSource& operator=(const StopSource&) = delete;

  StopToken token() const { return StopToken(requests_); }
  /// Safe from any thread and in signal handlers. A request cannot be withdrawn.
  void request_stop() noexcept { requests_->own = true; }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);  // required in signal handlers

  const std::shared_ptr<StopToken::Requests> requests_ = std::make_shared<StopToken::Requests>();
};

/// Throws Stopped if a stop is requested of the run that this thread works for. Custom sources poll it while they wait.
void stop_if_requested();

}  // namespace portatune
