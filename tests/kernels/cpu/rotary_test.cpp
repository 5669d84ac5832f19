#include "portatune/kernels/cpu/attention/rotary.h"

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

template <class T>
class Rotary : public testing::Test {};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(Rotary, ElementTypes);

// Rotation as a product of complex numbers: x1 + i x2 times cos + i sin.
TYPED_TEST(Rotary, RotatesPairsByTheAngleOfTheToken) {
  const TestWorkers workers;
  for (const RotaryShape& shape : {RotaryShape{1, 1, 1, 2, false},
                                   {2, 3, 4, 6, false},
                                   {3, 70, 2, 10, true},
                                   {2, 5, 3, 11, false, 3},
                                   {3, 7, 2, 10, true, 2}}) {
    const int64_t pairs = shape.pairs, tokens = shape.batch * shape.seq;
    const auto x = random_array<TypeParam>(tokens * shape.heads * shape.head_size, 1);
    const auto angles = random_array<float>((shape.table_per_example ? tokens : shape.seq) * pairs, 2, 3);
    std::vector<float> cos, sin;
    for (const float angle : angles) {
      cos.push_back(std::cos(angle));
      sin.push_back(std::sin(angle));
    }
    std::vector<TypeParam> y(x.size());
    rotary(workers, shape, x.data(), cos.data(), sin.data(), y.data());

    std::vector<double> expected = to_doubles(x);
    for (int64_t token = 0; token < tokens; ++token) {
      for (int64_t head = 0; head < shape.heads; ++head) {
        for (int64_t j = 0; j < pairs; ++j) {
          const auto first = static_cast<size_t>((token * shape.heads + head) * shape.head_size + j);
          const auto second = first + static_cast<size_t>(pairs);
          const int64_t table = shape.table_per_example ? token : token % shape.seq;
          const double angle = angles[static_cast<size_t>(table * pairs + j)];
          expected[first] = to_float(x[first]) * std::cos(angle) - to_float(x[second]) * std::sin(angle);
          expected[second] = to_float(x[first]) * std::sin(angle) + to_float(x[second]) * std::cos(angle);
        }
      }
    }
    expect_close(y, expected, 1e-6);
  }
}

}  // namespace
}  // namespace portatune::kernels
