// How devices share the optimizer's work.
#pragma once

#include "portune/mesh.h"
#include "portune/nn.h"

namespace portune::train {

/// How devices hold the moments of a parameter, and share its update: as they hold the parameter, and those along
/// `data`, which hold the same of it, a part each. Vectors, and what cannot be divided so, each updates whole.
/// source: Xu et al. 2020, arXiv:2004.13336; Rajbhandari et al. 2020, arXiv:1910.02054, stage 1
Sharding update_sharding(const nn::Parameter& parameter, const Mesh& mesh);

}  // namespace portune::train
