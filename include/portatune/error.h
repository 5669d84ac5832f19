// Errors that state what was given, what was expected and how to fix it.
#pragma once

#include <exception>
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

}  // namespace portatune
