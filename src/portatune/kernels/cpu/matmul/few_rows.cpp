#include "portatune/kernels/cpu/matmul/few_rows.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/elementwise/simd.h"
#include "portatune/kernels/cpu/matmul/lanes.h"

namespace portatune::kernels {
namespace {

// Rows that share a pass over the weight. In linear() they stay in the fastest cache during the pass.
constexpr int64_t kRowsOfLinear = 4, kRowsOfLinearDx = 8;

// Vectors of the numbers that a bfloat16 is converted by.
using Bits = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t))));
using Halves = uint16_t __attribute__((vector_size(kLanes * sizeof(uint16_t))));

PORTATUNE_INLINE void load(const float* from, Floats& to) { std::memcpy(&to, from, sizeof(to)); }
PORTATUNE_INLINE void load(const Bfloat16* from, Floats& to) {
  Halves halves;
  std::memcpy(&halves, from, sizeof(halves));
  const Bits bits = __builtin_convertvector(halves, Bits) << 16;
  std::memcpy(&to, &bits, sizeof(to));
}

// The rows converted to float32 for the product. Each row begins at a cache line, because a vector across two cache
// lines takes twice as long to load.
template <class T>
class Rows {
 public:
  Rows(const T* x, int64_t rows, int64_t size) : stride_((size + kLanes - 1) / kLanes * kLanes) {
    values_.resize(static_cast<size_t>(rows * stride_ / kLanes));
    for (int64_t r = 0; r < rows; ++r) {
      float* row = reinterpret_cast<float*>(values_.data()) + r * stride_;
      for (int64_t i = 0; i < size; ++i) row[i] = to_float(x[r * size + i]);
    }
  }
  int64_t stride() const { return stride_; }
  const float* row(int64_t r) const { return reinterpret_cast<const float*>(values_.data()) + r * stride_; }

 private:
  int64_t stride_;
  std::vector<Floats> values_;
};

// Adds lanes: every block of 2 * distance lanes of the result has first the sums of a's lanes that are `distance`
// apart, then those of b's.
template <int distance>
PORTATUNE_INLINE void add_lanes(const Floats& a, const Floats& b, Floats& sums) {
  if constexpr (distance == 8) {
    sums = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
           __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
  if constexpr (distance == 4) {
    sums = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27) +
           __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
  if constexpr (distance == 2) {
    sums = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29) +
           __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  }
  if constexpr (distance == 1) {
    sums = __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30) +
           __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
  }
}

// The sum of the lanes of each of 16 vectors, that of vector i in lane i. Shuffles that serve all vectors are several
// times as fast as one vector after the other.
PORTATUNE_INLINE void lane_sums(Floats (&v)[kLanes], Floats& sums) {
  // The order of these pairs determines the order of the lanes in the result.
  for (int i = 0; i < 8; ++i) add_lanes<8>(v[i], v[i + 8], v[i]);
  for (int i = 0; i < 4; ++i) add_lanes<4>(v[i], v[i + 4], v[i]);
  for (int i = 0; i < 2; ++i) add_lanes<2>(v[i], v[i + 2], v[i]);
  add_lanes<1>(v[0], v[1], sums);
}

// Computes partial sums of x[r] . w[c] over `in` elements, in the lanes of partial[r * kLanes / rows + c], for
// `columns` rows of w. Rows of x are `stride` apart and padded with zeros.
template <int64_t rows, int64_t columns, class T>
PORTATUNE_INLINE void dot_products(const float* x, int64_t stride, const T* w, int64_t in, Floats* partial) {
  Floats sums[rows][columns] = {};
  const auto add = [&](int64_t k, const Floats(&weights)[columns]) __attribute__((always_inline)) {
    for (int64_t r = 0; r < rows; ++r) {
      Floats values;
      load(x + r * stride + k, values);
      for (int64_t c = 0; c < columns; ++c) sums[r][c] += values * weights[c];
    }
  };
  const int64_t whole = in / kLanes * kLanes;
  Floats weights[columns];
  for (int64_t k = 0; k < whole; k += kLanes) {
    for (int64_t c = 0; c < columns; ++c) {
      load(w + c * in + k, weights[c]);
      // Prefetches the next rows: rows are too short for the processor to detect the pattern in time.
      __builtin_prefetch(w + (columns + c) * in + k);
    }
    add(k, weights);
  }
  if (whole < in) {
    T rest[kLanes] = {};
    for (int64_t c = 0; c < columns; ++c) {
      std::memcpy(rest, w + c * in + whole, static_cast<size_t>(in - whole) * sizeof(T));
      load(rest, weights[c]);
    }
    add(whole, weights);
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) partial[r * (kLanes / rows) + c] = sums[r][c];
  }
}

// Computes y[r][c] = x[r] . w[c] + bias[c] for columns begin..end-1.
template <int64_t rows, class T, class B>
PORTATUNE_SIMD void linear_columns(const LinearShape& shape, const float* x, int64_t stride, const T* w, const B* bias,
                                   int64_t begin, int64_t end, T* y) {
  constexpr int64_t kColumns = kLanes / rows;                 // columns whose sums are finished together
  constexpr int64_t kGroup = std::min<int64_t>(4, kColumns);  // columns that are read at a time
  for (int64_t column = begin; column < end; column += kColumns) {
    const int64_t columns = std::min(kColumns, end - column);
    Floats partial[kLanes] = {};
    int64_t c = 0;
    for (; c + kGroup <= columns; c += kGroup) {
      dot_products<rows, kGroup>(x, stride, w + (column + c) * shape.in, shape.in, partial + c);
    }
    for (; c < columns; ++c) dot_products<rows, 1>(x, stride, w + (column + c) * shape.in, shape.in, partial + c);
    Floats sums;
    lane_sums(partial, sums);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < columns; ++i) {
        const float offset = bias ? to_float(bias[column + i]) : 0;
        y[r * shape.out + column + i] = from_float<T>(sums[r * kColumns + i] + offset);
      }
    }
  }
}

// Adds the sum over k of dy[r][first + k] w[first + k][j] to sums[r][j], for `depth` rows of w and the columns that
// begin at w.
template <int64_t rows, int64_t depth, class T>
PORTATUNE_INLINE void add_products(const float* dy, int64_t dy_stride, const T* w, int64_t w_stride, int64_t columns,
                                   float* sums) {
  const int64_t whole = columns / kLanes * kLanes;
  for (int64_t j = 0; j < whole; j += kLanes) {
    Floats weights[depth];
    for (int64_t k = 0; k < depth; ++k) {
      load(w + k * w_stride + j, weights[k]);
      __builtin_prefetch(w + (depth + k) * w_stride + j);  // as above
    }
    for (int64_t r = 0; r < rows; ++r) {
      Floats sum;
      load(sums + r * columns + j, sum);
      for (int64_t k = 0; k < depth; ++k) sum += dy[r * dy_stride + k] * weights[k];
      std::memcpy(sums + r * columns + j, &sum, sizeof(sum));
    }
  }
  for (int64_t j = whole; j < columns; ++j) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < depth; ++k)
        sums[r * columns + j] += dy[r * dy_stride + k] * to_float(w[k * w_stride + j]);
    }
  }
}

// Computes dx[r][j] = sum over k of dy[r][k] w[k][j] for columns begin..end-1.
template <int64_t rows, class T>
PORTATUNE_SIMD void linear_dx_columns(const LinearShape& shape, const float* dy, int64_t stride, const T* w,
                                      int64_t begin, int64_t end, float* sums, T* dx) {
  constexpr int64_t kDepth = 8;
  const int64_t columns = end - begin;
  std::fill(sums, sums + rows * columns, 0.0F);
  int64_t k = 0;
  for (; k + kDepth <= shape.out; k += kDepth) {
    add_products<rows, kDepth>(dy + k, stride, w + k * shape.in + begin, shape.in, columns, sums);
  }
  for (; k < shape.out; ++k) {
    add_products<rows, 1>(dy + k, stride, w + k * shape.in + begin, shape.in, columns, sums);
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < columns; ++j) dx[r * shape.in + begin + j] = from_float<T>(sums[r * columns + j]);
  }
}

// Calls work.operator()<n>(first) for consecutive rows, n at a time, where n is `most` or the number of rows left.
template <int64_t most, class Work>
void for_rows(int64_t rows, const Work& work) {
  int64_t first = 0;
  const auto take = [&]<int64_t n>() {
    for (; first + n <= rows; first += n) work.template operator()<n>(first);
  };
  take.template operator()<most>();
  take.template operator()<4>();
  take.template operator()<2>();
  take.template operator()<1>();
}

template <class T, class B>
void linear_of(const Workers& workers, const LinearShape& shape, const T* x, const T* w, const B* bias, T* y) {
  const Rows<T> wide(x, shape.rows, shape.in);
  const int64_t grain = std::max<int64_t>(kLanes, kPieceBytes / (shape.in * size_of(shape.type)) / kLanes * kLanes);
  parallel_ranges(workers, shape.out, grain, [&](int64_t begin, int64_t end) {
    for_rows<kRowsOfLinear>(shape.rows, [&]<int64_t n>(int64_t first) {
      linear_columns<n>(shape, wide.row(first), wide.stride(), w, bias, begin, end, y + first * shape.out);
    });
  });
}

template <class T>
void linear_dx_of(const Workers& workers, const LinearShape& shape, const T* dy, const T* w, T* dx) {
  constexpr int64_t kSums = 4096;  // floats that fit the fastest cache
  const Rows<T> wide(dy, shape.rows, shape.out);
  const int64_t shared = std::min(kRowsOfLinearDx, shape.rows);
  // Pieces are wide, because the parts of consecutive rows of w are far apart in memory.
  const int64_t share = (shape.in + workers.threads() - 1) / workers.threads();
  const int64_t grain = (std::min(kSums / shared, share) + kLanes - 1) / kLanes * kLanes;
  parallel_ranges(workers, shape.in, grain, [&](int64_t begin, int64_t end) {
    thread_local std::vector<Floats> sums;  // aligned like Rows
    sums.resize(static_cast<size_t>(kRowsOfLinearDx * (end - begin) / kLanes + 1));
    for_rows<kRowsOfLinearDx>(shape.rows, [&]<int64_t n>(int64_t first) {
      linear_dx_columns<n>(shape, wide.row(first), wide.stride(), w, begin, end, reinterpret_cast<float*>(sums.data()),
                           dx + first * shape.in);
    });
  });
}

}  // namespace

void linear_few_rows(const Workers& workers, const LinearShape& shape, const void* x, const void* w, const void* bias,
                     void* y) {
  if (shape.type == DType::kFloat32) {
    return linear_of(workers, shape, static_cast<const float*>(x), static_cast<const float*>(w),
                     static_cast<const float*>(bias), static_cast<float*>(y));
  }
  const auto* narrow_x = static_cast<const Bfloat16*>(x);
  const auto* narrow_w = static_cast<const Bfloat16*>(w);
  auto* narrow_y = static_cast<Bfloat16*>(y);
  if (shape.bias_type == DType::kFloat32) {
    linear_of(workers, shape, narrow_x, narrow_w, static_cast<const float*>(bias), narrow_y);
  } else {
    linear_of(workers, shape, narrow_x, narrow_w, static_cast<const Bfloat16*>(bias), narrow_y);
  }
}

void linear_dx_few_rows(const Workers& workers, const LinearShape& shape, const void* dy, const void* w, void* dx) {
  if (shape.type == DType::kFloat32) {
    linear_dx_of(workers, shape, static_cast<const float*>(dy), static_cast<const float*>(w), static_cast<float*>(dx));
  } else {
    linear_dx_of(workers, shape, static_cast<const Bfloat16*>(dy), static_cast<const Bfloat16*>(w),
                 static_cast<Bfloat16*>(dx));
  }
}

}  // namespace portatune::kernels
