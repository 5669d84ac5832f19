// Detection of files that have changed since a state was saved.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "portatune/data/saved_state.h"

namespace portatune::data {

/// Fingerprints of files, computed at first use. Thread-safe.
class SameFiles {
 public:
  explicit SameFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  /// All fingerprints in one text, because states are copied often.
  const std::string& fingerprints() const;
  /// Throws DataError that names a file with another fingerprint than in the state.
  void require(const SavedState& saved) const;

 private:
  std::vector<std::string> paths_;
  mutable std::once_flag computed_;
  mutable std::string fingerprints_;
};

}  // namespace portatune::data
