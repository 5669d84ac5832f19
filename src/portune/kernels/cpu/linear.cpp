#include "portune/kernels/cpu/linear.h"

#include <algorithm>

#include "portune/kernels/cpu/element.h"
#include "portune/kernels/cpu/gemm.h"
#include "portune/kernels/cpu/simd.h"

namespace portune::kernels {
namespace {

// A piece is a band of rows of the result. Two per thread even out a thread that is late; more would make oneDNN copy
// the shared operand more often than the product can hide.
constexpr int64_t kPiecesPerThread = 2;
constexpr int64_t kRowsMultiple = 32;  // what oneDNN's kernels like

int64_t rows_per_piece(const Workers& workers, int64_t rows) {
  const int64_t pieces = workers.threads() == 1 ? 1 : workers.threads() * kPiecesPerThread;
  const int64_t share = (rows + pieces - 1) / pieces;
  return (share + kRowsMultiple - 1) / kRowsMultiple * kRowsMultiple;
}

template <class Byte>
Byte* offset(Byte* data, DType type, int64_t elements) {
  return data + elements * size_of(type);
}

const std::byte* bytes(const void* data) { return static_cast<const std::byte*>(data); }
std::byte* bytes(void* data) { return static_cast<std::byte*>(data); }

// A product whose result is split by rows; a's rows are split with it.
void multiply_in_bands(const Workers& workers, const Gemm& whole, const void* a, const void* b, const void* bias,
                       void* c) {
  parallel_ranges(workers, whole.m, rows_per_piece(workers, whole.m), [&](int64_t begin, int64_t end) {
    Gemm band = whole;
    band.m = end - begin;
    multiply(band, offset(bytes(a), whole.a.type, begin * whole.a.row_stride), b, bias,
             offset(bytes(c), whole.c.type, begin * whole.c.row_stride));
  });
}

template <class T>
PORTUNE_SIMD void add_columns(const T* dy, int64_t rows, int64_t stride, int64_t columns, float* sums) {
  std::fill(sums, sums + columns, 0.0F);
  for (int64_t i = 0; i < rows; ++i) {
    const T* row = dy + i * stride;
    for (int64_t j = 0; j < columns; ++j) sums[j] += to_float(row[j]);
  }
}

void column_sums(const Workers& workers, const LinearShape& shape, const void* dy, float* sums) {
  constexpr int64_t kColumns = 64;
  parallel_ranges(workers, shape.out, kColumns, [&](int64_t begin, int64_t end) {
    if (shape.type == DType::kBFloat16) {
      add_columns(static_cast<const Bfloat16*>(dy) + begin, shape.rows, shape.out, end - begin, sums + begin);
    } else {
      add_columns(static_cast<const float*>(dy) + begin, shape.rows, shape.out, end - begin, sums + begin);
    }
  });
}

}  // namespace

void linear(const Workers& workers, const LinearShape& shape, const void* x, const void* w, const void* bias, void* y) {
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
  multiply_in_bands(workers, gemm, dy, x, nullptr, dw);
  if (db) column_sums(workers, shape, dy, db);
}

}  // namespace portune::kernels
