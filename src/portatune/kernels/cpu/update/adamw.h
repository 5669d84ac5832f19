// A step of AdamW, in place.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

/// Constants of a training run.
struct AdamWConstants {
  float beta1, beta2, eps, weight_decay;
};

/// p *= 1 - lr weight_decay; m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
/// p -= lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
/// p, m, v   float32 [size], changed in place; none overlaps another or g
/// g         float32 [size], multiplied by hyper[3] first
/// hyper     lr, 1 / (1 - beta1^t), 1 / (1 - beta2^t), factor of g, and 0 to leave p, m and v unchanged
/// source    Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2, as in torch.optim.AdamW
void adamw(const Workers& workers, const AdamWConstants& constants, const float* hyper, int64_t size, float* p,
           float* m, float* v, const float* g);

}  // namespace portatune::kernels
