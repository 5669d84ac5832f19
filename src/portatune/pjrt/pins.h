// The files that tools/lock.txt pins.
#pragma once

#include <string>
#include <string_view>

namespace portatune::pjrt {

/// A file of a Python package index.
struct Pin {
  std::string package, version;  ///< "libtpu", "0.0.51"
  std::string sha256;            ///< of the edition for this kind of machine, in 64 hex digits
};

/// package  one that tools/lock.txt has
Pin pin_of(std::string_view package);

/// "libtpu 0.0.51".
std::string to_string(const Pin& pin);

}  // namespace portatune::pjrt
