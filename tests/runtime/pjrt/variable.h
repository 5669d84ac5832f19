// An environment variable that has another value for the duration of a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace portatune::pjrt {

class Variable {
 public:
  /// value  the new value; nullptr unsets the variable
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace portatune::pjrt
