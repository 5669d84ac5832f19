#include "portatune/kernels/cpu/elementwise/gelu.h"

#include "portatune/kernels/cpu/elementwise/simd_math.h"

namespace portatune::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements per piece of work
constexpr float kInvSqrt2Pi = 0.398942280F;
constexpr float kTwoSqrt2OverPi = 1.59576912F;  // twice the factor of the tanh form
constexpr float kCubic = 0.044715F;

// (1 + tanh(u)) / 2 is the logistic function of 2 u.
PORTATUNE_INLINE Logistic tanh_form(float x) { return logistic(kTwoSqrt2OverPi * x * (1.0F + kCubic * x * x)); }

template <GeluForm form>
PORTATUNE_INLINE float value(float x) {
  return x * (form == GeluForm::kErf ? normal_distribution(x).cumulative : tanh_form(x).value);
}

template <GeluForm form>
PORTATUNE_INLINE float slope(float x) {
  if constexpr (form == GeluForm::kErf) {
    const Normal normal = normal_distribution(x);
    return normal.cumulative + x * kInvSqrt2Pi * normal.exponential;
  } else {
    const Logistic s = tanh_form(x);
    return s.value + x * s.value * s.complement * kTwoSqrt2OverPi * (1.0F + 3 * kCubic * x * x);
  }
}

template <GeluForm form, class T>
PORTATUNE_SIMD void forward(int64_t size, const T* x, T* y) {
  for (int64_t i = 0; i < size; ++i) y[i] = from_float<T>(value<form>(to_float(x[i])));
}

template <GeluForm form, class T>
PORTATUNE_SIMD void backward(int64_t size, const T* x, const T* dy, T* dx) {
  for (int64_t i = 0; i < size; ++i) dx[i] = from_float<T>(to_float(dy[i]) * slope<form>(to_float(x[i])));
}

}  // namespace

template <class T>
void gelu(const Workers& workers, GeluForm form, int64_t size, const T* x, T* y) {
  const auto kernel = form == GeluForm::kErf ? forward<GeluForm::kErf, T> : forward<GeluForm::kTanh, T>;
  parallel_ranges(workers, size, kGrain,
                  [&](int64_t begin, int64_t end) { kernel(end - begin, x + begin, y + begin); });
}

template <class T>
void gelu_grad(const Workers& workers, GeluForm form, int64_t size, const T* x, const T* dy, T* dx) {
  const auto kernel = form == GeluForm::kErf ? backward<GeluForm::kErf, T> : backward<GeluForm::kTanh, T>;
  parallel_ranges(workers, size, kGrain,
                  [&](int64_t begin, int64_t end) { kernel(end - begin, x + begin, dy + begin, dx + begin); });
}

template void gelu(const Workers&, GeluForm, int64_t, const float*, float*);
template void gelu(const Workers&, GeluForm, int64_t, const Bfloat16*, Bfloat16*);
template void gelu_grad(const Workers&, GeluForm, int64_t, const float*, const float*, float*);
template void gelu_grad(const Workers&, GeluForm, int64_t, const Bfloat16*, const Bfloat16*, Bfloat16*);

}  // namespace portatune::kernels
