// The files that tools/lock.txt pins.
#pragma once

#include <string>
#include <string_view>

namespace portatune::pjrt {

/// A file of a Python package index.
struct Pin {
  std::string package, version;  ///< "libtpu", "0.0.51"
  std::string sha256;            ///< hash of the file for this kind of machine, in 64 hex digits
};

/// The pin of a package.
/// package  a package in tools/lock.txt
Pin pin_of(std::string_view package);

/// The pin as text: "libtpu 0.0.51".
std::string to_string(const Pin& pin);

}  // namespace portatune::pjrt
