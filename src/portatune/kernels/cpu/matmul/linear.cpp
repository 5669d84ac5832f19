#include "portatune/kernels/cpu/matmul/linear.h"

#include <algorithm>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/matmul/few_rows.h"
#include "portatune/kernels/cpu/matmul/gemm.h"
#include "portatune/kernels/cpu/matmul/row_vectors.h"
#include "portatune/kernels/cpu/update/column_sums.h"

namespace portatune::kernels {
namespace {

// The division of a product: into tiles of the result, which threads share, and along the sums, one part after the
// other.
struct Tiling {
  int64_t rows, columns, depth;
};

int64_t ceil_div(int64_t x, int64_t y) { return (x + y - 1) / y; }

// The size of each of `parts` parts of `size`, rounded for SIMD.
int64_t part(int64_t size, int64_t parts) {
  constexpr int64_t kMultiple = 32;
  return std::min(size, ceil_div(ceil_div(size, parts), kMultiple) * kMultiple);
}

// Divides a product into bands of rows, two per thread to balance slow threads; more bands would make oneDNN copy the
// shared operand too often. Wider float32 tiles than this run at half the speed; bfloat16 tiles should have all
// columns. If the bands were so narrow that the copies would dominate, the columns are divided instead, each copied
// once.
Tiling tiling_of_rows(const Workers& workers, const Gemm& gemm) {
  constexpr int64_t kFloat32Columns = 1536, kNarrowBand = 96;
  const int64_t parts = workers.threads() == 1 ? 1 : 2 * workers.threads();
  const bool is_float32 = gemm.a.type == DType::kFloat32 || gemm_widens(gemm.a.type);
  const int64_t widest = is_float32 ? kFloat32Columns : gemm.n;
  if (gemm.m < kNarrowBand * parts) {
    return {.rows = gemm.m, .columns = part(gemm.n, std::max(parts, ceil_div(gemm.n, widest))), .depth = gemm.k};
  }
  return {.rows = part(gemm.m, parts), .columns = part(gemm.n, ceil_div(gemm.n, widest)), .depth = gemm.k};
}

// The tiling of a product with long sums and a transposed left operand: oneDNN's copies of both stay in the cache.
Tiling tiling_of_sums(const Workers& workers, const Gemm& gemm) {
  constexpr int64_t kRows = 384, kColumns = 768, kDepth = 512;
  Tiling tiling{.rows = std::min(kRows, gemm.m), .columns = std::min(kColumns, gemm.n), .depth = kDepth};
  const int64_t tiles = ceil_div(gemm.m, tiling.rows) * ceil_div(gemm.n, tiling.columns);
  if (tiles < workers.threads()) tiling.rows = part(tiling.rows, ceil_div(workers.threads(), tiles));
  return tiling;
}

const std::byte* element(const void* data, const MatrixLayout& layout, int64_t row, int64_t column) {
  return static_cast<const std::byte*>(data) +
         (row * layout.row_stride + column * layout.column_stride) * size_of(layout.type);
}

// A tile of the result with its part of the sums.
struct Tile {
  Gemm gemm;
  int64_t row, column, depth;  // indices of its first element
};

// Multiplies a tile. A bias is allowed only if tiles have whole sums.
void multiply_tile(const Tile& tile, const void* a, const void* b, const void* bias, void* c) {
  const Gemm& gemm = tile.gemm;
  if (bias) bias = static_cast<const std::byte*>(bias) + tile.column * size_of(gemm.bias_type);
  multiply(gemm, element(a, gemm.a, tile.row, tile.depth), element(b, gemm.b, tile.depth, tile.column), bias,
           const_cast<std::byte*>(element(c, gemm.c, tile.row, tile.column)));
}

// Calls work(tile) for all tiles: those of the same part of the result in order of their depth, others concurrently.
template <class Work>
void for_each_tile(const Workers& workers, const Gemm& whole, const Tiling& tiling, Work work) {
  const int64_t bands = ceil_div(whole.m, tiling.rows), columns = ceil_div(whole.n, tiling.columns);
  parallel_for(workers, bands * columns, [&](int64_t index) {
    Tile tile{.gemm = whole, .row = index % bands * tiling.rows, .column = index / bands * tiling.columns, .depth = 0};
    tile.gemm.m = std::min(tiling.rows, whole.m - tile.row);
    tile.gemm.n = std::min(tiling.columns, whole.n - tile.column);
    for (; tile.depth < whole.k; tile.depth += tiling.depth) {
      tile.gemm.k = std::min(tiling.depth, whole.k - tile.depth);
      tile.gemm.accumulate = tile.depth > 0;
      work(tile);
    }
  });
}

void multiply_in_bands(const Workers& workers, const Gemm& gemm, const void* a, const void* b, const void* bias,
                       void* c) {
  for_each_tile(workers, gemm, tiling_of_rows(workers, gemm),
                [&](const Tile& tile) { multiply_tile(tile, a, b, bias, c); });
}

// Computes db for a tile of dw, just before the same part of dy is read for dw.
void add_bias_gradient(const Tile& tile, const void* dy, float* db) {
  const Gemm& gemm = tile.gemm;
  const std::byte* part = element(dy, gemm.a, tile.row, tile.depth);
  float* const sums = db + tile.row;
  if (!gemm.accumulate) std::fill(sums, sums + gemm.m, 0.0F);
  if (gemm.a.type == DType::kBFloat16) {
    add_columns(reinterpret_cast<const Bfloat16*>(part), gemm.k, gemm.a.column_stride, gemm.m, sums);
  } else {
    add_columns(reinterpret_cast<const float*>(part), gemm.k, gemm.a.column_stride, gemm.m, sums);
  }
}

}  // namespace

void linear(const Workers& workers, const LinearShape& shape, const void* x, const void* w, const void* bias, void* y) {
  if (suit_row_vectors(shape)) {
    return linear_row_vectors(workers, shape, static_cast<const float*>(x), static_cast<const float*>(w),
                              static_cast<const float*>(bias), static_cast<float*>(y));
  }
  if (shape.rows <= kFewRows) return linear_few_rows(workers, shape, x, w, bias, y);
  const Gemm gemm{.m = shape.rows,
                  .n = shape.out,
                  .k = shape.in,
                  .a = {shape.type, shape.in, 1},
                  .b = {shape.type, 1, shape.in},
                  .c = {shape.type, shape.out, 1},
                  .has_bias = bias != nullptr,
                  .bias_type = shape.bias_type};
  multiply_in_bands(workers, gemm, x, w, bias, y);
}

void linear_dx(const Workers& workers, const LinearShape& shape, const void* dy, const void* w, void* dx) {
  if (shape.rows <= kFewRows) return linear_dx_few_rows(workers, shape, dy, w, dx);
  const Gemm gemm{.m = shape.rows,
                  .n = shape.in,
                  .k = shape.out,
                  .a = {shape.type, shape.out, 1},
                  .b = {shape.type, shape.in, 1},
                  .c = {shape.type, shape.in, 1}};
  multiply_in_bands(workers, gemm, dy, w, nullptr, dx);
}

void linear_dw(const Workers& workers, const LinearShape& shape, const void* dy, const void* x, float* dw, float* db) {
  const Gemm gemm{.m = shape.out,
                  .n = shape.in,
                  .k = shape.rows,
                  .a = {shape.type, 1, shape.out},
                  .b = {shape.type, shape.in, 1},
                  .c = {DType::kFloat32, shape.in, 1}};
  for_each_tile(workers, gemm, tiling_of_sums(workers, gemm), [&](const Tile& tile) {
    if (db && tile.column == 0) add_bias_gradient(tile, dy, db);
    multiply_tile(tile, dy, x, nullptr, dw);
  });
}

}  // namespace portatune::kernels
