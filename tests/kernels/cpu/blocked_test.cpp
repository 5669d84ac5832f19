#include "portatune/kernels/cpu/matmul/blocked.h"

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

// Whether the lines of an operand are its rows or its columns.
enum class Order { kRows, kColumns };

// A layout with unused elements behind each line, as in a part of a larger matrix.
MatrixLayout layout_of(DType type, int64_t rows, int64_t columns, Order order) {
  constexpr int64_t kUnused = 3;
  return order == Order::kRows ? MatrixLayout{type, columns + kUnused, 1} : MatrixLayout{type, 1, rows + kUnused};
}

size_t index(const MatrixLayout& layout, int64_t row, int64_t column) {
  return static_cast<size_t>(row * layout.row_stride + column * layout.column_stride);
}

int64_t size_of_array(const MatrixLayout& layout, int64_t rows, int64_t columns) {
  return static_cast<int64_t>(index(layout, rows - 1, columns - 1)) + 1;
}

// Multiplies random matrices and compares each element with its sum in double, and all others of c with their value.
template <class T, class C, class B = float>
void expect_product(int64_t m, int64_t n, int64_t k, Order of_a, Order of_b, bool has_bias, bool accumulate) {
  SCOPED_TRACE(testing::Message() << m << " x " << n << ", sums of " << k
                                  << (of_a == Order::kRows ? "" : ", a by columns")
                                  << (of_b == Order::kRows ? "" : ", b by columns"));
  const Gemm gemm{.m = m,
                  .n = n,
                  .k = k,
                  .a = layout_of(kDTypeOf<T>, m, k, of_a),
                  .b = layout_of(kDTypeOf<T>, k, n, of_b),
                  .c = layout_of(kDTypeOf<C>, m, n, Order::kRows),
                  .has_bias = has_bias,
                  .bias_type = kDTypeOf<B>,
                  .accumulate = accumulate};
  const std::vector<T> a = random_array<T>(size_of_array(gemm.a, m, k), 1);
  const std::vector<T> b = random_array<T>(size_of_array(gemm.b, k, n), 2);
  const std::vector<B> bias = random_array<B>(n, 3);
  const std::vector<C> before = random_array<C>(m * gemm.c.row_stride, 4);
  std::vector<C> c = before;
  multiply_in_blocks(gemm, a.data(), b.data(), has_bias ? bias.data() : nullptr, c.data());

  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < gemm.c.row_stride; ++j) {
      const size_t at = index(gemm.c, i, j);
      if (j >= n) {
        ASSERT_EQ(to_float(c[at]), to_float(before[at])) << "behind row " << i;
        continue;
      }
      double sum = has_bias ? to_float(bias[static_cast<size_t>(j)]) : 0;
      if (accumulate) sum += to_float(before[at]);
      double size = std::abs(sum);
      for (int64_t p = 0; p < k; ++p) {
        const double product = static_cast<double>(to_float(a[index(gemm.a, i, p)])) * to_float(b[index(gemm.b, p, j)]);
        sum += product;
        size += std::abs(product);
      }
      ASSERT_NEAR(to_float(c[at]), sum, 1e-6 * size + kRounding<C> * std::abs(sum)) << i << ", " << j;
    }
  }
}

template <class T, class C>
void expect_products() {
  struct Sizes {
    int64_t m, n, k;
  };
  // Whole tiles, parts of tiles, single elements, several blocks along each dimension.
  for (const auto& [m, n, k] : {Sizes{6, 16, 8}, Sizes{1, 1, 1}, Sizes{7, 17, 9}, Sizes{5, 15, 300},
                                Sizes{150, 33, 260}, Sizes{2, 3090, 3}, Sizes{290, 20, 777}}) {
    for (const Order of_a : {Order::kRows, Order::kColumns}) {
      for (const Order of_b : {Order::kRows, Order::kColumns}) {
        expect_product<T, C>(m, n, k, of_a, of_b, false, false);
        expect_product<T, C>(m, n, k, of_a, of_b, true, false);
      }
    }
  }
}

TEST(MultiplyInBlocks, EqualsSumsInDouble) { expect_products<float, float>(); }

TEST(MultiplyInBlocks, MultipliesBfloat16) {
  expect_products<Bfloat16, Bfloat16>();
  expect_products<Bfloat16, float>();
}

TEST(MultiplyInBlocks, AddsABiasInBfloat16) {
  expect_product<Bfloat16, Bfloat16, Bfloat16>(7, 40, 600, Order::kRows, Order::kColumns, true, false);
}

TEST(MultiplyInBlocks, AddsToAResult) {
  expect_product<float, float>(13, 37, 600, Order::kColumns, Order::kRows, false, true);
  expect_product<Bfloat16, float>(13, 37, 600, Order::kColumns, Order::kRows, false, true);
}

// Rows and columns may be computed apart: a thread has some of them.
TEST(MultiplyInBlocks, HasTheBitsOfItsParts) {
  constexpr int64_t kM = 20, kN = 40, kK = 700;
  const std::vector<float> a = random_array<float>(kM * kK, 1), b = random_array<float>(kN * kK, 2);
  Gemm gemm{.m = kM,
            .n = kN,
            .k = kK,
            .a = {DType::kFloat32, kK, 1},
            .b = {DType::kFloat32, 1, kK},
            .c = {DType::kFloat32, kN, 1}};
  std::vector<float> whole(kM * kN), parts(kM * kN);
  multiply_in_blocks(gemm, a.data(), b.data(), nullptr, whole.data());
  gemm.m = 5;
  gemm.n = 8;
  for (int64_t i = 0; i < kM; i += gemm.m) {
    for (int64_t j = 0; j < kN; j += gemm.n) {
      multiply_in_blocks(gemm, a.data() + i * kK, b.data() + j * kK, nullptr, parts.data() + i * kN + j);
    }
  }
  EXPECT_EQ(whole, parts);
}

}  // namespace
}  // namespace portatune::kernels
