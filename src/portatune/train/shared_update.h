// How devices share the optimizer's work.
#pragma once

#include "portatune/mesh.h"
#include "portatune/nn.h"

namespace portatune::train {

/// The update of a parameter, of which each device makes that of a part: of what it holds of the parameter, or where
/// all along `data` hold the same, of a part of that. Vectors, and what cannot be divided, each updates whole; and
/// where there are devices along `fsdp`, what these hold is not divided further. source: Xu et al. 2020,
/// arXiv:2004.13336; Rajbhandari et al. 2020, arXiv:1910.02054, stage 1
class SharedUpdate {
 public:
  SharedUpdate(const nn::Parameter& parameter, const Mesh& mesh);

  /// How devices hold what belongs to the update: the sum of the gradient, and the moments.
  const Sharding& sharding() const { return sharding_; }

  /// The sum of a gradient over all devices, of which each gets its part. Gradients of what is divided along fsdp have
  /// been summed where it was gathered, and along tensor they are each device's own.
  Value sum_over_devices(const Value& gradient) const;
  /// A device's part of what it holds of the parameter.
  /// place  of the device along data
  Value part(const Value& held, const Value& place) const;
  /// What it holds of the parameter, of the parts.
  Value held(const Value& part) const;

 private:
  Mesh mesh_;
  Sharding sharding_;
  bool is_divided_ = false;  // what is held, along data
};

}  // namespace portatune::train
