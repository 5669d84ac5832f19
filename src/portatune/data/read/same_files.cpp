#include "portatune/data/read/same_files.h"

#include <algorithm>
#include <utility>

#include "portatune/error.h"
#include "portatune/io/checksum/fingerprint.h"

namespace portatune::data {

const std::string& SameFiles::fingerprints() const {
  std::call_once(computed_, [this] {
    std::string all;
    for (const std::string& path : paths_) all += io::fingerprint(path) + " ";
    fingerprints_ = std::move(all);
  });
  return fingerprints_;
}

void SameFiles::require(const SavedState& saved) const {
  const std::string then = saved.text("fingerprints");
  const std::string& now = fingerprints();
  if (then == now) return;
  if (then.size() != now.size()) saved.refuse("fingerprints", std::to_string(paths_.size()) + " files");
  const size_t bytes_each = then.size() / paths_.size();
  const auto differs = std::ranges::mismatch(then, now).in1 - then.begin();
  throw DataError({.where = paths_[static_cast<size_t>(differs) / bytes_each],
                   .given = "other bytes than when the state was saved",
                   .expected = "the unchanged file",
                   .fix = "restore the file, or start from scratch"});
}

}  // namespace portatune::data
