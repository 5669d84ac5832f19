#include "portatune/kernels/cpu/attention/block_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "portatune/kernels/cpu/attention/attention_blocks.h"
#include "portatune/kernels/cpu/elementwise/simd.h"
#include "portatune/kernels/cpu/elementwise/simd_math.h"

namespace portatune::kernels {
namespace {

// Blocks that a middle block of queries sees besides the random ones: the first one, its own, its neighbours, the last.
constexpr int64_t kFixedBlocks = 5;

// A block of one head of one example.
struct HeadBlock {
  int64_t example, head, block;
};

bool is_middle(const BlockShape& shape, int64_t block) { return block > 0 && block + 1 < shape.blocks; }

// The blocks of keys that a block of queries sees.
std::vector<int64_t> blocks_of(const BlockShape& shape, const int32_t* random, int64_t row_of_random,
                               const HeadBlock& b) {
  if (!is_middle(shape, b.block)) {
    std::vector<int64_t> all(static_cast<size_t>(shape.blocks));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<int64_t> seen{0};
  for (int64_t block = std::max<int64_t>(b.block - 1, 1); block <= std::min(b.block + 1, shape.blocks - 2); ++block) {
    seen.push_back(block);
  }
  seen.push_back(shape.blocks - 1);
  const int32_t* row = random + (b.head * shape.middle_blocks() + b.block - 1) * row_of_random;
  seen.insert(seen.end(), row, row + shape.random_blocks);
  return seen;
}

// Calls work(blocks) for consecutive parts of these blocks. A part has as many blocks as a middle block of queries
// sees, so that the buffers for the first and the last block of queries are not larger than those for the others.
template <class Work>
void for_parts(const BlockShape& shape, std::span<const int64_t> seen, const Work& work) {
  const size_t most = static_cast<size_t>(kFixedBlocks + shape.random_blocks);
  for (size_t begin = 0; begin < seen.size(); begin += most)
    work(seen.subspan(begin, std::min(most, seen.size() - begin)));
}

// A head's block in an array [batch, length, hidden].
template <class T>
T* block_in(const BlockShape& shape, T* x, const HeadBlock& b) {
  return x + (b.example * shape.blocks + b.block) * shape.block_size * shape.hidden() + b.head * shape.head_size;
}

// Copies a head's block of x [batch, length, hidden] to rows [block_size, head_size].
template <class T>
void copy_block(const BlockShape& shape, const T* x, const HeadBlock& b, T* rows) {
  const T* first = block_in(shape, x, b);
  for (int64_t i = 0; i < shape.block_size; ++i) {
    std::copy_n(first + i * shape.hidden(), shape.head_size, rows + i * shape.head_size);
  }
}

// Queries with some of the keys and values that they see, side by side: the inputs of attention() for one head.
template <class T>
class Gathered {
 public:
  void load_queries(const BlockShape& shape, const BlockInputs<T>& in, const HeadBlock& b) {
    copy_block(shape, in.q, b, at_least(q_, shape.block_size * shape.head_size));
  }
  // The buffers grow with the largest number of blocks.
  void load_keys(const BlockShape& shape, const BlockInputs<T>& in, const HeadBlock& b, std::span<const int64_t> seen) {
    const int64_t size = shape.block_size * shape.head_size, keys = std::ssize(seen);
    T *k = at_least(k_, keys * size), *v = at_least(v_, keys * size);
    float* bias = at_least(bias_, keys * shape.block_size);
    for (const int64_t block : seen) {
      const HeadBlock of_keys{b.example, b.head, block};
      copy_block(shape, in.k, of_keys, k);
      copy_block(shape, in.v, of_keys, v);
      const float more =
          is_middle(shape, b.block) && block == 0 ? std::log1p(static_cast<float>(shape.first_again)) : 0;
      const float* of_block = in.bias + b.example * shape.length() + block * shape.block_size;
      std::transform(of_block, of_block + shape.block_size, bias, [more](float x) { return x + more; });
      k += size;
      v += size;
      bias += shape.block_size;
    }
    shape_ = {1, 1, shape.block_size, keys * shape.block_size, shape.head_size};
  }

  const AttentionShape& shape() const { return shape_; }
  AttentionInputs<T> inputs() const { return {q_.data(), k_.data(), v_.data(), {.data = bias_.data()}}; }

 private:
  std::vector<T> q_, k_, v_;
  std::vector<float> bias_;
  AttentionShape shape_{};
};

int64_t lse_offset(const BlockShape& shape, const HeadBlock& b) {
  return ((b.example * shape.heads + b.head) * shape.blocks + b.block) * shape.block_size;
}

template <class T>
PORTATUNE_SIMD void add_rows(int64_t rows, int64_t size, const T* __restrict x, float* __restrict sums,
                             int64_t stride) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < size; ++j) sums[i * stride + j] += to_float(x[i * size + j]);
  }
}

template <class T>
PORTATUNE_SIMD void store_rows_of_block(int64_t rows, int64_t size, const float* __restrict x, T* __restrict out,
                                        int64_t stride) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < size; ++j) out[i * stride + j] = from_float<T>(x[i * size + j]);
  }
}

// Attention to some keys, by the sums of its exponentials in `lse`, joins that to other keys in `sums` and `lse_sums`.
template <class T>
PORTATUNE_SIMD void join_rows(int64_t rows, int64_t size, const T* __restrict x, const float* __restrict lse,
                              float* __restrict sums, float* __restrict lse_sums) {
  for (int64_t i = 0; i < rows; ++i) {
    const float largest = std::max(lse[i], lse_sums[i]);
    const float of_x = exp_nonpositive(lse[i] - largest), of_sums = exp_nonpositive(lse_sums[i] - largest);
    const float total = of_x + of_sums;
    for (int64_t j = 0; j < size; ++j) {
      sums[i * size + j] = (sums[i * size + j] * of_sums + to_float(x[i * size + j]) * of_x) / total;
    }
    lse_sums[i] = largest + std::log(total);
  }
}

// The sums of a head's dk or dv: in the result itself if it is float32, else in a buffer [length, head_size].
template <class T>
class HeadSums {
 public:
  HeadSums(const BlockShape& shape, int64_t example, int64_t head, T* x, std::vector<float>& buffer)
      : shape_(shape), first_{example, head, 0}, x_(x), buffer_(buffer) {
    if constexpr (kInResult) {
      for (int64_t i = 0; i < shape_.length(); ++i) std::fill_n(row(i), shape_.head_size, 0.0F);
    } else {
      buffer_.assign(static_cast<size_t>(shape_.length() * shape_.head_size), 0.0F);
    }
  }
  void add(std::span<const int64_t> blocks, const T* gradients) {
    for (const int64_t block : blocks) {
      add_rows(shape_.block_size, shape_.head_size, gradients, row(block * shape_.block_size), stride());
      gradients += shape_.block_size * shape_.head_size;
    }
  }
  void finish() {
    if constexpr (!kInResult) {
      store_rows_of_block(shape_.length(), shape_.head_size, buffer_.data(), block_in(shape_, x_, first_),
                          shape_.hidden());
    }
  }

 private:
  static constexpr bool kInResult = std::is_same_v<T, float>;
  int64_t stride() const { return kInResult ? shape_.hidden() : shape_.head_size; }
  float* row(int64_t i) {
    if constexpr (kInResult) {
      return block_in(shape_, x_, first_) + i * stride();
    } else {
      return buffer_.data() + i * stride();
    }
  }

  const BlockShape& shape_;
  const HeadBlock first_;
  T* const x_;
  std::vector<float>& buffer_;
};

template <class T>
struct Scratch {
  Gathered<T> gathered;
  std::vector<T> out, dout, dq, dk, dv;
  std::vector<float> sums, lse, dk_sums, dv_sums;
};

template <class T>
void attend(const BlockShape& shape, float scale, const BlockInputs<T>& in, const HeadBlock& b, Scratch<T>& scratch,
            T* out, float* lse) {
  const int64_t rows = shape.block_size, size = rows * shape.head_size;
  T* of_part = at_least(scratch.out, size);
  float *sums = at_least(scratch.sums, size), *lse_of_part = at_least(scratch.lse, rows);
  std::fill_n(sums, size, 0.0F);
  std::fill_n(lse, rows, std::numeric_limits<float>::lowest());
  scratch.gathered.load_queries(shape, in, b);
  for_parts(shape, blocks_of(shape, in.random, in.row_of_random, b), [&](std::span<const int64_t> seen) {
    scratch.gathered.load_keys(shape, in, b, seen);
    attention<T>(CallerOnly(), scratch.gathered.shape(), {.scale = scale}, scratch.gathered.inputs(), of_part,
                 lse_of_part);
    join_rows(rows, shape.head_size, of_part, lse_of_part, sums, lse);
  });
  store_rows_of_block(rows, shape.head_size, sums, block_in(shape, out, b), shape.hidden());
}

template <class T>
void differentiate(const BlockShape& shape, float scale, const BlockInputs<T>& in, const AttentionResults<T>& results,
                   const HeadBlock& b, Scratch<T>& scratch, T* dq, HeadSums<T>& dk_sums, HeadSums<T>& dv_sums) {
  const int64_t rows = shape.block_size, size = rows * shape.head_size;
  T *out = at_least(scratch.out, size), *dout = at_least(scratch.dout, size), *dq_of_part = at_least(scratch.dq, size);
  float* dq_sums = at_least(scratch.sums, size);
  std::fill_n(dq_sums, size, 0.0F);
  copy_block(shape, results.out, b, out);
  copy_block(shape, results.dout, b, dout);
  scratch.gathered.load_queries(shape, in, b);
  for_parts(shape, blocks_of(shape, in.random, in.row_of_random, b), [&](std::span<const int64_t> seen) {
    scratch.gathered.load_keys(shape, in, b, seen);
    const int64_t keys = std::ssize(seen) * size;
    T *dk = at_least(scratch.dk, keys), *dv = at_least(scratch.dv, keys);
    attention_grad<T>(CallerOnly(), scratch.gathered.shape(), {.scale = scale}, scratch.gathered.inputs(),
                      {dout, out, results.lse + lse_offset(shape, b)}, dq_of_part, dk, dv);
    add_rows(rows, shape.head_size, dq_of_part, dq_sums, shape.head_size);
    dk_sums.add(seen, dk);
    dv_sums.add(seen, dv);
  });
  store_rows_of_block(rows, shape.head_size, dq_sums, block_in(shape, dq, b), shape.hidden());
}

}  // namespace

template <class T>
void block_attention(const Workers& workers, const BlockShape& shape, float scale, const BlockInputs<T>& in, T* out,
                     float* lse) {
  parallel_for(workers, shape.batch * shape.heads * shape.blocks, [&](int64_t piece) {
    thread_local Scratch<T> scratch;
    const int64_t head = piece / shape.blocks;
    const HeadBlock b{head / shape.heads, head % shape.heads, piece % shape.blocks};
    attend(shape, scale, in, b, scratch, out, lse + lse_offset(shape, b));
  });
}

// A piece of work is a head with all its queries, so that sums over them have one order.
template <class T>
void block_attention_grad(const Workers& workers, const BlockShape& shape, float scale, const BlockInputs<T>& in,
                          const AttentionResults<T>& results, T* dq, T* dk, T* dv) {
  parallel_for(workers, shape.batch * shape.heads, [&](int64_t piece) {
    thread_local Scratch<T> scratch;
    const int64_t example = piece / shape.heads, head = piece % shape.heads;
    HeadSums<T> dk_sums(shape, example, head, dk, scratch.dk_sums), dv_sums(shape, example, head, dv, scratch.dv_sums);
    for (int64_t block = 0; block < shape.blocks; ++block) {
      differentiate(shape, scale, in, results, {example, head, block}, scratch, dq, dk_sums, dv_sums);
    }
    dk_sums.finish();
    dv_sums.finish();
  });
}

template void block_attention(const Workers&, const BlockShape&, float, const BlockInputs<float>&, float*, float*);
template void block_attention(const Workers&, const BlockShape&, float, const BlockInputs<Bfloat16>&, Bfloat16*,
                              float*);
template void block_attention_grad(const Workers&, const BlockShape&, float, const BlockInputs<float>&,
                                   const AttentionResults<float>&, float*, float*, float*);
template void block_attention_grad(const Workers&, const BlockShape&, float, const BlockInputs<Bfloat16>&,
                                   const AttentionResults<Bfloat16>&, Bfloat16*, Bfloat16*, Bfloat16*);

}  // namespace portatune::kernels
