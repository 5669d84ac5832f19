// Errors that say what was given, what was expected and how to mend it.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace portatune {

/// What an error tells. Empty parts are left out of the message.
struct Report {
  std::string where;     ///< the operation or the file (with row, record or byte offset) that is at fault
  std::string given;     ///< what was found there
  std::string expected;  ///< what should have been there
  std::string fix;       ///< what to do about it; only where the advice is true
};

/// Base of all errors that Portatune throws. `what()` is the whole message, one part a line:
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

  /// Names the part of the model or of the pipeline in which the error arose. The innermost name wins.
  void set_context(const std::string& context);
  /// Names what is at fault in other words: an option as users write it, say.
  void set_where(std::string where);

 private:
  Report report_;
  std::string context_;
  std::string message_;
};

/// Operands of an operation do not fit together.
struct ShapeError : Error {
  using Error::Error;
};
/// A data file, or a row of it, is not what it should be.
struct DataError : Error {
  using Error::Error;
};
/// A model folder (config, weights, tokenizer) or a checkpoint is not what it should be.
struct CheckpointError : Error {
  using Error::Error;
};
/// A plugin or a device is missing, of the wrong version, or has failed.
struct DeviceError : Error {
  using Error::Error;
};
/// A request makes no sense: an unknown option, a value out of range, calls in the wrong order.
struct UsageError : Error {
  using Error::Error;
};
/// A file that was asked for does not exist.
struct NotFoundError : Error {
  using Error::Error;
};
/// The operating system refused: disk full, no permission, a failed read or write.
class IoError : public Error {
 public:
  /// error_number  errno of the system call that failed; 0 if none did
  explicit IoError(Report report, int error_number = 0) : Error(std::move(report)), error_number_(error_number) {}
  int error_number() const { return error_number_; }

 private:
  int error_number_;
};
/// A loss, a gradient, an output or a weight is not finite.
struct NumericError : Error {
  using Error::Error;
};

}  // namespace portatune
