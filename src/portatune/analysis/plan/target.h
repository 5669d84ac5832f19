// The target that --on names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/analysis/plan/accelerators.h"
#include "portatune/graph.h"

namespace portatune::plan {

/// A number of devices of one kind.
struct Target {
  std::string name;  ///< name as given
  const Accelerator* accelerator;
  int64_t devices;
};

/// The target of a name: "cpu", "tpu:v3", "tpu:v3-8" with the number of Google's names (cores up to v4, v5p and 7x,
/// chips for v5e and v6e), "cuda:h100", "cuda:h100x8".
/// errors  UsageError with the known names and the nearest one, and for a number that no slice of TPUs has
Target target_called(const std::string& name);

/// The targets of names, each with enough devices for the mesh of a run.
/// errors  UsageError without a name, and for fewer devices; those of target_called()
std::vector<Target> targets_called(const std::vector<std::string>& names, const Mesh& mesh);

}  // namespace portatune::plan
