// Sharding of the optimizer's work over devices.
#pragma once

#include "portatune/graph.h"
#include "portatune/nn.h"

namespace portatune::train {

/// The update of a parameter, sharded over devices: each updates its shard of the parameter or, if all devices along
/// `data` hold the same, a part of it. Every device updates vectors and indivisible parameters whole. A mesh with
/// devices along `fsdp` does not divide their shards further. source: Xu et al. 2020, arXiv:2004.13336; Rajbhandari et
/// al. 2020, arXiv:1910.02054, stage 1
class SharedUpdate {
 public:
  SharedUpdate(const nn::Parameter& parameter, const Mesh& mesh);

  /// Sharding of the gradient's sum and of the optimizer's slots.
  const Sharding& sharding() const { return sharding_; }

  /// The sum of a gradient over all devices, of which each device gets its part. Gradients sharded along fsdp were
  /// summed when the parameter was gathered; those sharded along tensor are each device's alone.
  Value sum_over_devices(const Value& gradient) const;
  /// A device's part of its shard of the parameter.
  /// place  index of the device along data
  Value part(const Value& held, const Value& place) const;
  /// The shard of the parameter, gathered from the parts.
  Value held(const Value& part) const;

 private:
  Mesh mesh_;
  Sharding sharding_;
  bool is_divided_ = false;  // whether the shard is divided along data
};

}  // namespace portatune::train
