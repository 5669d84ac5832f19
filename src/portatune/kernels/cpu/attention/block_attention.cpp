#include "portatune/kernels/cpu/attention/block_attention.h"

#include <algorithm>
#include <vector>

#include "portatune/kernels/cpu/attention/attention_blocks.h"
#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

// A block of one head of one example.
struct HeadBlock {
  int64_t example, head, block;
};

// The blocks of keys that a block of queries sees.
std::vector<int64_t> blocks_of(const BlockShape& shape, const int32_t* random, int64_t row_of_random,
                               const HeadBlock& b) {
  std::vector<int64_t> seen{0};
  for (int64_t block = std::max<int64_t>(b.block - 1, 1); block <= std::min(b.block + 1, shape.blocks - 2); ++block) {
    seen.push_back(block);
  }
  seen.push_back(shape.blocks - 1);
  const int32_t* row = random + (b.head * shape.middle_blocks() + b.block - 1) * row_of_random;
  seen.insert(seen.end(), row, row + shape.random_blocks);
  return seen;
}

// Copies a head's block of x [batch, blocks * block_size, hidden] to rows [block_size, head_size].
template <class T>
void copy_block(const BlockShape& shape, const T* x, int64_t blocks, const HeadBlock& b, T* rows) {
  const T* first = x + (b.example * blocks + b.block) * shape.block_size * shape.hidden() + b.head * shape.head_size;
  for (int64_t i = 0; i < shape.block_size; ++i) {
    std::copy_n(first + i * shape.hidden(), shape.head_size, rows + i * shape.head_size);
  }
}

// The inverse.
template <class T>
void store_block(const BlockShape& shape, const T* rows, int64_t blocks, const HeadBlock& b, T* x) {
  T* first = x + (b.example * blocks + b.block) * shape.block_size * shape.hidden() + b.head * shape.head_size;
  for (int64_t i = 0; i < shape.block_size; ++i) {
    std::copy_n(rows + i * shape.head_size, shape.head_size, first + i * shape.hidden());
  }
}

// Queries with the keys and values that they see, side by side: the inputs of attention() for one head.
template <class T>
class Gathered {
 public:
  // q, k and v have one buffer each, which grows with the largest block.
  void load(const BlockShape& shape, const BlockInputs<T>& in, const HeadBlock& b) {
    seen_ = blocks_of(shape, in.random, in.row_of_random, b);
    const int64_t block = shape.block_size * shape.head_size, keys = std::ssize(seen_);
    T *q = at_least(q_, block), *k = at_least(k_, keys * block), *v = at_least(v_, keys * block);
    float* bias = at_least(bias_, keys * shape.block_size);
    copy_block(shape, in.q, shape.blocks, b, q);
    for (int64_t i = 0; i < keys; ++i) {
      const HeadBlock seen{b.example, b.head, seen_[static_cast<size_t>(i)]};
      copy_block(shape, in.k, shape.blocks, seen, k + i * block);
      copy_block(shape, in.v, shape.blocks, seen, v + i * block);
      std::copy_n(in.bias + b.example * shape.length() + seen.block * shape.block_size, shape.block_size,
                  bias + i * shape.block_size);
    }
    shape_ = {1, 1, shape.block_size, keys * shape.block_size, shape.head_size};
  }

  const AttentionShape& shape() const { return shape_; }
  AttentionInputs<T> inputs() const { return {q_.data(), k_.data(), v_.data(), bias_.data()}; }
  const std::vector<int64_t>& seen() const { return seen_; }

 private:
  std::vector<int64_t> seen_;
  std::vector<T> q_, k_, v_;
  std::vector<float> bias_;
  AttentionShape shape_{};
};

int64_t lse_offset(const BlockShape& shape, const HeadBlock& b) {
  return ((b.example * shape.heads + b.head) * shape.middle_blocks() + b.block - 1) * shape.block_size;
}

// Its index among the middle blocks.
HeadBlock among_middle(const HeadBlock& b) { return {b.example, b.head, b.block - 1}; }

template <class T>
PORTATUNE_SIMD void add_to(int64_t size, const T* __restrict x, float* __restrict sums) {
  for (int64_t i = 0; i < size; ++i) sums[i] += to_float(x[i]);
}

template <class T>
PORTATUNE_SIMD void round_to(int64_t size, const float* __restrict x, T* __restrict out) {
  for (int64_t i = 0; i < size; ++i) out[i] = from_float<T>(x[i]);
}

// The sums of a head's dk or dv, [length, head_size].
template <class T>
class BlockSums {
 public:
  void reset(const BlockShape& shape) { sums_.assign(static_cast<size_t>(shape.length() * shape.head_size), 0.0F); }
  void add(const BlockShape& shape, const std::vector<int64_t>& blocks, const T* gradients) {
    const int64_t size = shape.block_size * shape.head_size;
    for (const int64_t block : blocks) {
      add_to(size, gradients, sums_.data() + block * size);
      gradients += size;
    }
  }
  void store(const BlockShape& shape, int64_t example, int64_t head, T* x) {
    const int64_t size = shape.block_size * shape.head_size;
    T* rounded = at_least(rounded_, size);
    for (int64_t block = 0; block < shape.blocks; ++block) {
      round_to(size, sums_.data() + block * size, rounded);
      store_block(shape, rounded, shape.blocks, {example, head, block}, x);
    }
  }

 private:
  std::vector<float> sums_;
  std::vector<T> rounded_;
};

template <class T>
struct Scratch {
  Gathered<T> gathered;
  std::vector<T> out, dout, dq, dk, dv;
  BlockSums<T> dk_sums, dv_sums;
};

template <class T>
void differentiate(const BlockShape& shape, float scale, const BlockInputs<T>& in, const AttentionResults<T>& results,
                   const HeadBlock& b, Scratch<T>& scratch, T* dq) {
  scratch.gathered.load(shape, in, b);
  const AttentionShape& of_block = scratch.gathered.shape();
  const int64_t queries = of_block.query * shape.head_size, keys = of_block.kv * shape.head_size;
  T *out = at_least(scratch.out, queries), *dout = at_least(scratch.dout, queries);
  T *dq_of_block = at_least(scratch.dq, queries), *dk = at_least(scratch.dk, keys), *dv = at_least(scratch.dv, keys);
  copy_block(shape, results.out, shape.middle_blocks(), among_middle(b), out);
  copy_block(shape, results.dout, shape.middle_blocks(), among_middle(b), dout);
  attention_grad<T>(CallerOnly(), of_block, {.scale = scale}, scratch.gathered.inputs(),
                    {dout, out, results.lse + lse_offset(shape, b)}, dq_of_block, dk, dv);
  store_block(shape, dq_of_block, shape.blocks, b, dq);
  scratch.dk_sums.add(shape, scratch.gathered.seen(), dk);
  scratch.dv_sums.add(shape, scratch.gathered.seen(), dv);
}

// Zeros in the dq of a block that is not computed.
template <class T>
void clear_block(const BlockShape& shape, const HeadBlock& b, Scratch<T>& scratch, T* dq) {
  const int64_t size = shape.block_size * shape.head_size;
  T* zeros = at_least(scratch.dq, size);
  std::fill(zeros, zeros + size, T());
  store_block(shape, zeros, shape.blocks, b, dq);
}

}  // namespace

template <class T>
void block_attention(const Workers& workers, const BlockShape& shape, float scale, const BlockInputs<T>& in, T* out,
                     float* lse) {
  parallel_for(workers, shape.batch * shape.heads * shape.middle_blocks(), [&](int64_t piece) {
    thread_local Scratch<T> scratch;
    const int64_t head = piece / shape.middle_blocks();
    const HeadBlock b{head / shape.heads, head % shape.heads, piece % shape.middle_blocks() + 1};
    scratch.gathered.load(shape, in, b);
    T* rows = at_least(scratch.out, shape.block_size * shape.head_size);
    attention<T>(CallerOnly(), scratch.gathered.shape(), {.scale = scale}, scratch.gathered.inputs(), rows,
                 lse + lse_offset(shape, b));
    store_block(shape, rows, shape.middle_blocks(), among_middle(b), out);
  });
}

// A piece of work is a head with all its queries, so that sums over them have one order.
template <class T>
void block_attention_grad(const Workers& workers, const BlockShape& shape, float scale, const BlockInputs<T>& in,
                          const AttentionResults<T>& results, T* dq, T* dk, T* dv) {
  parallel_for(workers, shape.batch * shape.heads, [&](int64_t piece) {
    thread_local Scratch<T> scratch;
    const int64_t example = piece / shape.heads, head = piece % shape.heads;
    scratch.dk_sums.reset(shape);
    scratch.dv_sums.reset(shape);
    for (int64_t block = 1; block + 1 < shape.blocks; ++block) {
      differentiate(shape, scale, in, results, {example, head, block}, scratch, dq);
    }
    for (const int64_t block : {int64_t{0}, shape.blocks - 1}) clear_block(shape, {example, head, block}, scratch, dq);
    scratch.dk_sums.store(shape, example, head, dk);
    scratch.dv_sums.store(shape, example, head, dv);
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
