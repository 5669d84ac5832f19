#include "portatune/kernels/cpu/matmul/blocked.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

constexpr int64_t kLanes = 8;
using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));

// A tile of the result: its sums take 12 of the 16 registers.
constexpr int64_t kRows = 6, kColumns = 16;
// Blocks: kBlockRows x kDepth numbers of a fit the second cache, kColumns x kDepth of b the first.
constexpr int64_t kBlockRows = 144, kBlockColumns = 3072, kDepth = 256;

// An operand as lines along which sums run: the rows of a, or the columns of b. One of the strides is 1.
template <class T>
struct Lines {
  const T* data;
  int64_t line_stride, depth_stride;

  Lines from(int64_t line, int64_t depth) const {
    return {data + line * line_stride + depth * depth_stride, line_stride, depth_stride};
  }
};

template <class T>
PORTATUNE_INLINE void load(const T* from, Vector& to) {
  for (int64_t i = 0; i < kLanes; ++i) to[i] = to_float(from[i]);
}
template <>
PORTATUNE_INLINE void load(const float* from, Vector& to) {
  std::memcpy(&to, from, sizeof(to));
}

template <class T>
PORTATUNE_INLINE void store(const Vector& from, T* to) {
  for (int64_t i = 0; i < kLanes; ++i) to[i] = from_float<T>(from[i]);
}
template <>
PORTATUNE_INLINE void store(const Vector& from, float* to) {
  std::memcpy(to, &from, sizeof(from));
}

// Transposes a square. Each round moves a bit of the index within a vector to the index of the vector.
PORTATUNE_INLINE void transpose(Vector (&v)[kLanes]) {
  for (int round = 0; round < 3; ++round) {
    Vector next[kLanes];
    for (int i = 0; i < 4; ++i) {
      next[2 * i] = __builtin_shufflevector(v[i], v[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * i + 1] = __builtin_shufflevector(v[i], v[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    std::copy(next, next + kLanes, v);
  }
}

// Copies `width` lines that are far apart: element p of line i to packed[p * width + i].
template <int64_t width, class T>
void pack_transposed(const Lines<T>& lines, int64_t depth, float* packed) {
  int64_t p = 0;
  if constexpr (width % kLanes == 0) {
    for (; p + kLanes <= depth; p += kLanes) {
      for (int64_t first = 0; first < width; first += kLanes) {
        Vector square[kLanes];
        for (int64_t i = 0; i < kLanes; ++i) load(lines.data + (first + i) * lines.line_stride + p, square[i]);
        transpose(square);
        for (int64_t i = 0; i < kLanes; ++i) std::memcpy(packed + (p + i) * width + first, &square[i], sizeof(Vector));
      }
    }
  }
  for (; p < depth; ++p) {
    for (int64_t i = 0; i < width; ++i) packed[p * width + i] = to_float(lines.data[i * lines.line_stride + p]);
  }
}

// Copies lines as panels [depth, width], one after the other. The last one is filled up with lines of zeros.
template <int64_t width, class T>
void pack(const Lines<T>& lines, int64_t count, int64_t depth, float* packed) {
  for (int64_t first = 0; first < count; first += width, packed += width * depth) {
    const Lines<T> panel = lines.from(first, 0);
    if (count - first < width) {
      for (int64_t p = 0; p < depth; ++p) {
        for (int64_t i = 0; i < width; ++i) {
          packed[p * width + i] = i < count - first ? to_float(*panel.from(i, p).data) : 0;
        }
      }
    } else if (panel.line_stride == 1) {
      for (int64_t p = 0; p < depth; ++p) {
        for (int64_t i = 0; i < width; ++i) packed[p * width + i] = to_float(panel.data[p * panel.depth_stride + i]);
      }
    } else {
      pack_transposed<width>(panel, depth, packed);
    }
  }
}

// The sums of a tile.
struct Tile {
  Vector rows[kRows][kColumns / kLanes];

  float at(int64_t row, int64_t column) const { return rows[row][column / kLanes][column % kLanes]; }
};

// Computes the products of a panel of a and one of b: row r is the sum over p of a[p][r] b[p].
PORTATUNE_INLINE void multiply_panels(int64_t depth, const float* a, const float* b, Tile& tile) {
  Vector sums[kRows][2] = {};
  for (int64_t p = 0; p < depth; ++p, a += kRows, b += kColumns) {
    Vector left, right;
    load(b, left);
    load(b + kLanes, right);
    for (int64_t r = 0; r < kRows; ++r) {
      sums[r][0] += a[r] * left;
      sums[r][1] += a[r] * right;
    }
  }
  std::memcpy(&tile, sums, sizeof(tile));
}

// Where the sums of a tile go: before the last block along k to `partial`, which is c itself where c is float32, and
// null where one block has all of k.
template <class C>
struct Destination {
  float* partial;
  int64_t partial_stride;
  C* c;
  int64_t stride;
  const float* offsets;  // the bias, or zeros
  bool continues, is_last;

  Destination from(int64_t row, int64_t column) const {
    Destination moved = *this;
    if (partial != nullptr) moved.partial += row * partial_stride + column;
    moved.c += row * stride + column;
    moved.offsets += column;
    return moved;
  }
};

// Writes a whole tile. Vectors are explicit, because the compiler does not vectorise a loop in which partial may be c.
template <class C>
PORTATUNE_INLINE void write_tile(const Tile& tile, const Destination<C>& to) {
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t j = 0; j < kColumns; j += kLanes) {
      const int64_t at = r * to.partial_stride + j;
      Vector sums = tile.rows[r][j / kLanes];
      if (to.continues) {
        Vector before;
        load(to.partial + at, before);
        sums += before;
      }
      if (to.is_last) {
        Vector offsets;
        load(to.offsets + j, offsets);
        store(sums + offsets, to.c + r * to.stride + j);
      } else {
        store(sums, to.partial + at);
      }
    }
  }
}

// Writes the part of a tile that is within the result.
template <class C>
void write_part(const Tile& tile, int64_t rows, int64_t columns, const Destination<C>& to) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t at = r * to.partial_stride + j;
      const float sum = to.continues ? to.partial[at] + tile.at(r, j) : tile.at(r, j);
      if (to.is_last) {
        to.c[r * to.stride + j] = from_float<C>(sum + to.offsets[j]);
      } else {
        to.partial[at] = sum;
      }
    }
  }
}

// Multiplies a packed block of a with a packed block of b.
template <class C>
void multiply_block(int64_t rows, int64_t columns, int64_t depth, const float* a, const float* b,
                    const Destination<C>& to) {
  for (int64_t column = 0; column < columns; column += kColumns) {
    for (int64_t row = 0; row < rows; row += kRows) {
      Tile tile;
      multiply_panels(depth, a + row * depth, b + column * depth, tile);
      const Destination<C> part = to.from(row, column);
      if (rows - row >= kRows && columns - column >= kColumns) {
        write_tile(tile, part);
      } else {
        write_part(tile, std::min(kRows, rows - row), std::min(kColumns, columns - column), part);
      }
    }
  }
}

int64_t round_up(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

// Memory of the calling thread, aligned for vectors.
float* reserve(std::vector<Vector>& buffer, int64_t size) {
  const auto vectors = static_cast<size_t>(round_up(size, kLanes) / kLanes);
  if (buffer.size() < vectors) buffer.resize(vectors);
  return reinterpret_cast<float*>(buffer.data());
}

template <class T, class C>
void multiply_typed(const Gemm& gemm, const T* a, const T* b, const float* offsets, C* c) {
  thread_local std::vector<Vector> block_of_a, block_of_b, partial_sums;
  const Lines<T> lines_of_a{a, gemm.a.row_stride, gemm.a.column_stride};
  const Lines<T> lines_of_b{b, gemm.b.column_stride, gemm.b.row_stride};
  const int64_t blocks = (gemm.k + kDepth - 1) / kDepth;
  const int64_t block_depth = round_up((gemm.k + blocks - 1) / blocks, kLanes);
  for (int64_t column = 0; column < gemm.n; column += kBlockColumns) {
    const int64_t columns = std::min(kBlockColumns, gemm.n - column);
    Destination<C> to{.c = c + column, .stride = gemm.c.row_stride, .offsets = offsets + column};
    if constexpr (std::is_same_v<C, float>) {
      to.partial = to.c;
      to.partial_stride = to.stride;
    } else {
      to.partial = blocks == 1 ? nullptr : reserve(partial_sums, gemm.m * columns);
      to.partial_stride = columns;
    }
    for (int64_t first = 0; first < gemm.k; first += block_depth) {
      const int64_t depth = std::min(block_depth, gemm.k - first);
      float* packed_b = reserve(block_of_b, round_up(columns, kColumns) * depth);
      pack<kColumns>(lines_of_b.from(column, first), columns, depth, packed_b);
      to.continues = first > 0 || gemm.accumulate;
      to.is_last = first + depth == gemm.k;
      for (int64_t row = 0; row < gemm.m; row += kBlockRows) {
        const int64_t rows = std::min(kBlockRows, gemm.m - row);
        float* packed_a = reserve(block_of_a, round_up(rows, kRows) * depth);
        pack<kRows>(lines_of_a.from(row, first), rows, depth, packed_a);
        multiply_block(rows, columns, depth, packed_a, packed_b, to.from(row, 0));
      }
    }
  }
}

std::vector<float> offsets_of(const Gemm& gemm, const void* bias) {
  std::vector<float> offsets(static_cast<size_t>(gemm.n));
  for (int64_t j = 0; bias != nullptr && j < gemm.n; ++j) {
    offsets[static_cast<size_t>(j)] = gemm.bias_type == DType::kBFloat16
                                          ? to_float(static_cast<const Bfloat16*>(bias)[j])
                                          : static_cast<const float*>(bias)[j];
  }
  return offsets;
}

}  // namespace

void multiply_in_blocks(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c) {
  const std::vector<float> offsets = offsets_of(gemm, bias);
  if (gemm.a.type == DType::kFloat32) {
    multiply_typed(gemm, static_cast<const float*>(a), static_cast<const float*>(b), offsets.data(),
                   static_cast<float*>(c));
  } else if (gemm.c.type == DType::kFloat32) {
    multiply_typed(gemm, static_cast<const Bfloat16*>(a), static_cast<const Bfloat16*>(b), offsets.data(),
                   static_cast<float*>(c));
  } else {
    multiply_typed(gemm, static_cast<const Bfloat16*>(a), static_cast<const Bfloat16*>(b), offsets.data(),
                   static_cast<Bfloat16*>(c));
  }
}

}  // namespace portatune::kernels
