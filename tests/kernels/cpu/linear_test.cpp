#include "portatune/kernels/cpu/matmul/linear.h"

#include "kernels/cpu/support.h"
#include "portatune/kernels/cpu/matmul/row_vectors.h"

namespace portatune::kernels {
namespace {

// Tolerance of sums of `k` products of numbers around 1, in float32.
constexpr double kSumTolerance = 2e-6;

template <class T>
struct LinearCase {
  LinearShape shape;
  std::vector<T> x, w, dy;
  std::vector<float> bias;

  LinearCase(int64_t rows, int64_t in, int64_t out)
      : shape{.rows = rows, .in = in, .out = out, .type = kDTypeOf<T>},
        x(random_array<T>(rows * in, 1)),
        w(random_array<T>(out * in, 2)),
        dy(random_array<T>(rows * out, 3)),
        bias(random_array<float>(out, 4)) {}
};

std::vector<double> naive_linear(const LinearShape& s, const std::vector<double>& x, const std::vector<double>& w,
                                 const std::vector<double>& bias) {
  std::vector<double> y(static_cast<size_t>(s.rows * s.out));
  for (int64_t i = 0; i < s.rows; ++i) {
    for (int64_t j = 0; j < s.out; ++j) {
      double sum = bias.empty() ? 0 : bias[static_cast<size_t>(j)];
      for (int64_t l = 0; l < s.in; ++l)
        sum += x[static_cast<size_t>(i * s.in + l)] * w[static_cast<size_t>(j * s.in + l)];
      y[static_cast<size_t>(i * s.out + j)] = sum;
    }
  }
  return y;
}

std::vector<double> naive_dx(const LinearShape& s, const std::vector<double>& dy, const std::vector<double>& w) {
  std::vector<double> dx(static_cast<size_t>(s.rows * s.in));
  for (int64_t i = 0; i < s.rows; ++i) {
    for (int64_t j = 0; j < s.out; ++j) {
      for (int64_t l = 0; l < s.in; ++l) {
        dx[static_cast<size_t>(i * s.in + l)] +=
            dy[static_cast<size_t>(i * s.out + j)] * w[static_cast<size_t>(j * s.in + l)];
      }
    }
  }
  return dx;
}

std::vector<double> naive_dw(const LinearShape& s, const std::vector<double>& dy, const std::vector<double>& x) {
  std::vector<double> dw(static_cast<size_t>(s.out * s.in));
  for (int64_t i = 0; i < s.rows; ++i) {
    for (int64_t j = 0; j < s.out; ++j) {
      for (int64_t l = 0; l < s.in; ++l) {
        dw[static_cast<size_t>(j * s.in + l)] +=
            dy[static_cast<size_t>(i * s.out + j)] * x[static_cast<size_t>(i * s.in + l)];
      }
    }
  }
  return dw;
}

std::vector<double> naive_db(const LinearShape& s, const std::vector<double>& dy) {
  std::vector<double> db(static_cast<size_t>(s.out));
  for (size_t i = 0; i < dy.size(); ++i) db[i % static_cast<size_t>(s.out)] += dy[i];
  return db;
}

template <class T>
class Linear : public testing::Test {
 public:
  const TestWorkers workers;
  const std::vector<std::array<int64_t, 3>> sizes{{1, 1, 1},
                                                  {3, 7, 31},
                                                  {31, 33, 3},
                                                  {127, 65, 1},
                                                  {129, 1, 5},
                                                  {130, 96, 64},
                                                  {300, 127, 129},
                                                  {1030, 33, 31},
                                                  {3, 800, 400},
                                                  {5, 31, 1601},
                                                  // Few rows have a separate kernel.
                                                  {1, 64, 4099},
                                                  {2, 17, 40},
                                                  {4, 16, 50},
                                                  {7, 48, 21},
                                                  {8, 100, 33},
                                                  {9, 64, 64},
                                                  {15, 50, 19},
                                                  {16, 19, 130},
                                                  // So have some dozens of rows in float32.
                                                  {12, 100, 50},
                                                  {17, 33, 61},
                                                  {32, 70, 700},
                                                  {48, 64, 130}};
};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(Linear, ElementTypes);

TYPED_TEST(Linear, AddsTheBiasToTheProduct) {
  for (const auto& [rows, in, out] : this->sizes) {
    const LinearCase<TypeParam> c(rows, in, out);
    std::vector<TypeParam> y(static_cast<size_t>(rows * out));
    linear(this->workers, c.shape, c.x.data(), c.w.data(), c.bias.data(), y.data());
    expect_close(y, naive_linear(c.shape, to_doubles(c.x), to_doubles(c.w), to_doubles(c.bias)), kSumTolerance);
  }
}

TYPED_TEST(Linear, AcceptsABiasOfTheActivationsType) {
  for (const int64_t rows : {1, 33}) {
    const LinearCase<TypeParam> c(rows, 31, 127);
    const auto bias = random_array<TypeParam>(c.shape.out, 5);
    LinearShape shape = c.shape;
    shape.bias_type = kDTypeOf<TypeParam>;
    std::vector<TypeParam> y(static_cast<size_t>(shape.rows * shape.out));
    linear(this->workers, shape, c.x.data(), c.w.data(), bias.data(), y.data());
    expect_close(y, naive_linear(shape, to_doubles(c.x), to_doubles(c.w), to_doubles(bias)), kSumTolerance);
  }
}

TYPED_TEST(Linear, WorksWithoutABias) {
  for (const int64_t rows : {3, 33}) {
    const LinearCase<TypeParam> c(rows, 31, 127);
    std::vector<TypeParam> y(static_cast<size_t>(c.shape.rows * c.shape.out));
    linear(this->workers, c.shape, c.x.data(), c.w.data(), nullptr, y.data());
    expect_close(y, naive_linear(c.shape, to_doubles(c.x), to_doubles(c.w), {}), kSumTolerance);
  }
}

// With a kernel that divides the columns into pieces of a fixed size.
template <class T>
void expect_equal_on_all_threads(const Workers& workers, const LinearCase<T>& c) {
  std::vector<T> y(static_cast<size_t>(c.shape.rows * c.shape.out)), y_alone = y;
  linear(workers, c.shape, c.x.data(), c.w.data(), nullptr, y.data());
  linear(CallerOnly(), c.shape, c.x.data(), c.w.data(), nullptr, y_alone.data());
  EXPECT_EQ(to_doubles(y), to_doubles(y_alone));
}

TYPED_TEST(Linear, OfFewRowsDoesNotDependOnTheNumberOfThreads) {
  const LinearCase<TypeParam> c(5, 300, 700);
  expect_equal_on_all_threads(this->workers, c);
  std::vector<TypeParam> dx(static_cast<size_t>(c.shape.rows * c.shape.in)), dx_alone = dx;
  linear_dx(this->workers, c.shape, c.dy.data(), c.w.data(), dx.data());
  linear_dx(CallerOnly(), c.shape, c.dy.data(), c.w.data(), dx_alone.data());
  EXPECT_EQ(to_doubles(dx), to_doubles(dx_alone));
}

TEST(LinearOfRowVectors, DoesNotDependOnTheNumberOfThreads) {
  const LinearCase<float> c(32, 300, 700);
  if (suit_row_vectors(c.shape)) expect_equal_on_all_threads(TestWorkers(), c);
}

TYPED_TEST(Linear, GradientOfTheInput) {
  for (const auto& [rows, in, out] : this->sizes) {
    const LinearCase<TypeParam> c(rows, in, out);
    std::vector<TypeParam> dx(static_cast<size_t>(rows * in));
    linear_dx(this->workers, c.shape, c.dy.data(), c.w.data(), dx.data());
    expect_close(dx, naive_dx(c.shape, to_doubles(c.dy), to_doubles(c.w)), kSumTolerance);
  }
}

TYPED_TEST(Linear, GradientsOfWeightAndBiasAreFloat32) {
  for (const auto& [rows, in, out] : this->sizes) {
    const LinearCase<TypeParam> c(rows, in, out);
    std::vector<float> dw(static_cast<size_t>(out * in)), db(static_cast<size_t>(out));
    linear_dw(this->workers, c.shape, c.dy.data(), c.x.data(), dw.data(), db.data());
    expect_close(dw, naive_dw(c.shape, to_doubles(c.dy), to_doubles(c.x)), kSumTolerance);
    expect_close(db, naive_db(c.shape, to_doubles(c.dy)), kSumTolerance);
  }
}

// One thread takes all rows at once.
TYPED_TEST(Linear, OfManyRowsOnOneThread) {
  const LinearCase<TypeParam> c(1100, 40, 24);
  std::vector<TypeParam> y(static_cast<size_t>(c.shape.rows * c.shape.out));
  linear(CallerOnly(), c.shape, c.x.data(), c.w.data(), c.bias.data(), y.data());
  expect_close(y, naive_linear(c.shape, to_doubles(c.x), to_doubles(c.w), to_doubles(c.bias)), kSumTolerance);
  std::vector<TypeParam> dx(static_cast<size_t>(c.shape.rows * c.shape.in));
  linear_dx(CallerOnly(), c.shape, c.dy.data(), c.w.data(), dx.data());
  expect_close(dx, naive_dx(c.shape, to_doubles(c.dy), to_doubles(c.w)), kSumTolerance);
}

TYPED_TEST(Linear, IsDeterministic) {
  const LinearCase<TypeParam> c(300, 127, 129);
  std::vector<TypeParam> y(static_cast<size_t>(c.shape.rows * c.shape.out)), again = y;
  linear(this->workers, c.shape, c.x.data(), c.w.data(), c.bias.data(), y.data());
  linear(this->workers, c.shape, c.x.data(), c.w.data(), c.bias.data(), again.data());
  EXPECT_EQ(to_doubles(y), to_doubles(again));
}

}  // namespace
}  // namespace portatune::kernels
