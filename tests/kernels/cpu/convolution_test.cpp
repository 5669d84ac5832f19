#include "portatune/kernels/cpu/matmul/convolution.h"

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

// Tolerance of sums of products of numbers around 1, in float32.
constexpr double kTolerance = 2e-6;

template <class T>
struct ConvolutionCase {
  ConvolutionShape shape;
  std::vector<T> x, filter, dy;

  explicit ConvolutionCase(ConvolutionShape s)
      : shape(s),
        x(random_array<T>(s.batch * s.frames * s.in, 1)),
        filter(random_array<T>(s.out * s.in_width() * s.kernel, 2)),
        dy(random_array<T>(s.batch * s.out_frames * s.out, 3)) {
    shape.type = kDTypeOf<T>;
  }

  // Calls visit(index in y, index in x, index in the filter) for each product.
  template <class Visit>
  void for_each_product(Visit visit) const {
    const ConvolutionShape& s = shape;
    for (int64_t row = 0; row < s.batch; ++row) {
      for (int64_t t = 0; t < s.out_frames; ++t) {
        for (int64_t o = 0; o < s.out; ++o) {
          for (int64_t i = 0; i < s.in_width(); ++i) {
            for (int64_t k = 0; k < s.kernel; ++k) {
              const int64_t frame = t + k - s.low, feature = o / s.out_width() * s.in_width() + i;
              if (frame < 0 || frame >= s.frames) continue;
              visit(static_cast<size_t>((row * s.out_frames + t) * s.out + o),
                    static_cast<size_t>((row * s.frames + frame) * s.in + feature),
                    static_cast<size_t>((o * s.in_width() + i) * s.kernel + k));
            }
          }
        }
      }
    }
  }
};

// batch, frames, frames of y, in, out, groups, kernel, zeros before x
const ConvolutionShape kShapes[] = {{2, 9, 9, 6, 9, 3, 4, 2, DType::kFloat32},
                                    {1, 5, 5, 4, 4, 1, 1, 0, DType::kFloat32},
                                    {3, 7, 7, 10, 6, 2, 90, 45, DType::kFloat32},
                                    {1, 40, 36, 500, 8, 1, 5, 0, DType::kFloat32},
                                    {2, 33, 33, 8, 8, 8, 5, 2, DType::kFloat32}};

template <class T>
void expect_sums_of_products(const ConvolutionShape& shape) {
  const ConvolutionCase<T> c(shape);
  const std::vector<double> x = to_doubles(c.x), filter = to_doubles(c.filter), dy = to_doubles(c.dy);
  std::vector<double> y(c.dy.size()), dfilter(c.filter.size());
  c.for_each_product([&](size_t at_y, size_t at_x, size_t at_filter) {
    y[at_y] += x[at_x] * filter[at_filter];
    dfilter[at_filter] += x[at_x] * dy[at_y];
  });
  std::vector<T> found_y(c.dy.size()), found_dfilter(c.filter.size());
  convolution(TestWorkers(), c.shape, c.x.data(), c.filter.data(), found_y.data());
  expect_close(found_y, y, kTolerance);
  convolution_dfilter(TestWorkers(), c.shape, c.x.data(), c.dy.data(), found_dfilter.data());
  expect_close(found_dfilter, dfilter, kTolerance);
  // The number of threads does not change the bits.
  std::vector<T> alone(c.dy.size());
  convolution(CallerOnly(), c.shape, c.x.data(), c.filter.data(), alone.data());
  EXPECT_EQ(to_doubles(alone), to_doubles(found_y));
}

TEST(ConvolutionKernel, SumsProductsInFloat32) {
  for (const ConvolutionShape& shape : kShapes) expect_sums_of_products<float>(shape);
}

TEST(ConvolutionKernel, SumsProductsInBfloat16) {
  for (const ConvolutionShape& shape : kShapes) expect_sums_of_products<Bfloat16>(shape);
}

}  // namespace
}  // namespace portatune::kernels
