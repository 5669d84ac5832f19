// An adaptive optimizer whose state is as small as the rows and columns of matrices.
#pragma once

#include <memory>

#include "portatune/train/optim/optimizer.h"

namespace portatune::optim {

/// Adafactor with a given learning rate. Of arrays with two axes or more it keeps "v_row" and "v_col": means of squared
/// gradients along the last and the second last axis; of vectors "v", the mean of each element. An update whose root
/// mean square exceeds 1 is scaled to 1. The weight decay is apart from the gradient.
/// source  Shazeer and Stern 2018, arXiv:1804.04235, algorithms 4 and 5, as in transformers.Adafactor with
///         scale_parameter=False and relative_step=False
std::unique_ptr<const Optimizer> adafactor(double weight_decay, WeightDecayOf decay_of = WeightDecayOf::kMatrices);

}  // namespace portatune::optim
