// Whether files are those that a state is about.
#pragma once

#include <string>
#include <vector>

#include "portatune/data/saved_state.h"

namespace portatune::data {

/// Fingerprints of files, taken when they are first asked for.
class SameFiles {
 public:
  explicit SameFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  /// One text, as states are copied often.
  const std::string& fingerprints() const;
  /// errors  DataError that names a file which differs from what the state's "fingerprints" say
  void require(const SavedState& saved) const;

 private:
  std::vector<std::string> paths_;
  mutable std::string fingerprints_;
};

}  // namespace portatune::data
