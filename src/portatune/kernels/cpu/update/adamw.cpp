#include "portatune/kernels/cpu/update/adamw.h"

#include <charconv>
#include <cmath>

#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements per piece of work

// 1 - beta for the decimal number that the user wrote. Computed from the float nearest to 0.999, 1 - 0.999 would be
// wrong in the fifth digit.
float one_minus(float beta) {
  char digits[32];
  const auto written =
      std::to_chars(digits, digits + sizeof digits, beta);  // the shortest decimal number for this float
  double exact = beta;
  std::from_chars(digits, written.ptr, exact);
  return static_cast<float>(1 - exact);
}

struct Factors {
  float beta1, one_minus_beta1, beta2, one_minus_beta2, eps;
  float decay, lr, correction1, correction2, gradient;
};

PORTATUNE_SIMD void update(const Factors f, int64_t size, float* __restrict p, float* __restrict m, float* __restrict v,
                           const float* __restrict g) {
  for (int64_t i = 0; i < size; ++i) {
    const float gradient = g[i] * f.gradient;
    const float first = f.beta1 * m[i] + f.one_minus_beta1 * gradient;
    const float second = f.beta2 * v[i] + f.one_minus_beta2 * gradient * gradient;
    m[i] = first;
    v[i] = second;
    p[i] = p[i] * f.decay - f.lr * (first * f.correction1) / (std::sqrt(second * f.correction2) + f.eps);
  }
}

}  // namespace

void adamw(const Workers& workers, const AdamWConstants& constants, const float* hyper, int64_t size, float* p,
           float* m, float* v, const float* g) {
  if (hyper[4] == 0) return;
  const Factors factors{.beta1 = constants.beta1,
                        .one_minus_beta1 = one_minus(constants.beta1),
                        .beta2 = constants.beta2,
                        .one_minus_beta2 = one_minus(constants.beta2),
                        .eps = constants.eps,
                        .decay = 1 - hyper[0] * constants.weight_decay,
                        .lr = hyper[0],
                        .correction1 = hyper[1],
                        .correction2 = hyper[2],
                        .gradient = hyper[3]};
  parallel_ranges(workers, size, kGrain, [&](int64_t begin, int64_t end) {
    update(factors, end - begin, p + begin, m + begin, v + begin, g + begin);
  });
}

}  // namespace portatune::kernels
