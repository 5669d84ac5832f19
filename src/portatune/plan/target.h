// What --on names.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/plan/accelerators.h"

namespace portatune::plan {

/// So many devices of a kind.
struct Target {
  std::string name;  ///< as it was given
  const Accelerator* accelerator;
  int64_t devices;
};

/// "cpu", "tpu:v3", "tpu:v3-8" with the number that Google's names have (of cores up to v4, v5p and 7x, of chips for
/// v5e and v6e), "cuda:h100", "cuda:h100x8".
/// errors  UsageError with the known names, and the nearest one; and for a number that no slice of TPUs has
Target target_called(const std::string& name);

}  // namespace portatune::plan
