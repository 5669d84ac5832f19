#include "portatune/optim/optimizer.h"

namespace portatune::optim {

double weight_decay_of(const Value& weight, double decay, WeightDecayOf which) {
  return weight.rank() >= 2 || which == WeightDecayOf::kAll ? decay : 0;
}

}  // namespace portatune::optim
