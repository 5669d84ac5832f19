#include "portune/kernels/cpu/attention.h"
#include "portune/kernels/cpu/attention_blocks.h"
#include "portune/kernels/cpu/simd_math.h"

namespace portune::kernels {
namespace {

// Sum of dout * out over the head, for each query: what the softmax's gradient subtracts.
template <class T>
PORTUNE_SIMD void row_products(int64_t rows, int64_t size, int64_t stride, const T* dout, const T* out, float* sums) {
  for (int64_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < size; ++j) sum += to_float(dout[i * stride + j]) * to_float(out[i * stride + j]);
    sums[i] = sum;
  }
}

// From scores q k^T and dweights dout v^T: the weights after dropout, and the gradient of q k^T.
template <bool drops, class T>
PORTUNE_SIMD void differentiate_rows(int64_t rows, const BlockContext context, const float* __restrict lse,
                                     const float* __restrict products, const float* __restrict scores,
                                     const float* __restrict dweights, T* __restrict weights, T* __restrict dscores) {
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = i * context.kv;
    for (int64_t j = 0; j < context.kv; ++j) {
      const float p = exp_nonpositive(context.scale * scores[row + j] + context.bias[j] - lse[i]);
      const float factor =
          drops ? dropout_factor(context.mask, context.first_index + static_cast<uint32_t>(row + j)) : 1.0F;
      weights[row + j] = from_float<T>(p * factor);
      dscores[row + j] = from_float<T>(p * (dweights[row + j] * factor - products[i]) * context.scale);
    }
  }
}

template <class T>
PORTUNE_SIMD void store_rows(int64_t rows, int64_t size, const float* __restrict x, int64_t stride, T* __restrict out) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < size; ++j) out[i * stride + j] = from_float<T>(x[i * size + j]);
  }
}

template <class T>
struct Scratch {
  std::vector<float> scores, dweights, products, dk, dv;
  std::vector<T> weights, dscores;
};

// [kv, head_size] += a^T b, where a is [rows, kv] of the block and b has the block's queries.
Gemm sum_over_queries(DType type, const AttentionShape& shape, const QueryBlock& block) {
  return {.m = shape.kv,
          .n = shape.head_size,
          .k = block.rows,
          .a = {type, 1, shape.kv},
          .b = head_rows(type, shape),
          .c = {DType::kFloat32, shape.head_size, 1},
          .accumulate = block.first_query > 0};
}

// dq of the block's queries; the block's part of the head's dk and dv is added to the scratch.
template <class T>
void differentiate(const AttentionShape& shape, const AttentionOptions& options, const AttentionInputs<T>& in,
                   const AttentionResults<T>& results, const QueryBlock& block, Scratch<T>& scratch, T* dq) {
  constexpr DType kType = kDTypeOf<T>;
  const int64_t size = block.rows * shape.kv, queries = block.query_offset(shape), keys = block.kv_offset(shape);
  float *scores = at_least(scratch.scores, size), *dweights = at_least(scratch.dweights, size);
  float* products = at_least(scratch.products, block.rows);
  T *weights = at_least(scratch.weights, size), *dscores = at_least(scratch.dscores, size);

  multiply(scores_of(kType, shape, block.rows), in.q + queries, in.k + keys, nullptr, scores);
  multiply(scores_of(kType, shape, block.rows), results.dout + queries, in.v + keys, nullptr, dweights);

  row_products(block.rows, shape.head_size, shape.hidden(), results.dout + queries, results.out + queries, products);
  const BlockContext context = context_of(shape, options, in.bias, block);
  const auto differentiate = options.dropout ? differentiate_rows<true, T> : differentiate_rows<false, T>;
  differentiate(block.rows, context, results.lse + block.row_offset(shape), products, scores, dweights, weights,
                dscores);

  const Gemm times_keys{.m = block.rows,
                        .n = shape.head_size,
                        .k = shape.kv,
                        .a = {kType, shape.kv, 1},
                        .b = head_rows(kType, shape),
                        .c = head_rows(kType, shape)};
  multiply(times_keys, dscores, in.k + keys, nullptr, dq + queries);
  const int64_t head = shape.kv * shape.head_size;
  multiply(sum_over_queries(kType, shape, block), dscores, in.q + queries, nullptr, at_least(scratch.dk, head));
  multiply(sum_over_queries(kType, shape, block), weights, results.dout + queries, nullptr, at_least(scratch.dv, head));
}

}  // namespace

// A piece is a whole head, so that the sums over its queries have one order.
template <class T>
void attention_grad(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                    const AttentionInputs<T>& in, const AttentionResults<T>& results, T* dq, T* dk, T* dv) {
  parallel_for(workers, shape.batch * shape.heads, [&](int64_t head) {
    thread_local Scratch<T> scratch;
    QueryBlock block{.example = head / shape.heads, .head = head % shape.heads, .first_query = 0, .rows = 0};
    const int64_t queries = queries_per_block(shape);
    for (; block.first_query < shape.query; block.first_query += queries) {
      block.rows = std::min(queries, shape.query - block.first_query);
      differentiate(shape, options, in, results, block, scratch, dq);
    }
    store_rows(shape.kv, shape.head_size, scratch.dk.data(), shape.hidden(), dk + block.kv_offset(shape));
    store_rows(shape.kv, shape.head_size, scratch.dv.data(), shape.hidden(), dv + block.kv_offset(shape));
  });
}

template void attention_grad(const Workers&, const AttentionShape&, const AttentionOptions&,
                             const AttentionInputs<float>&, const AttentionResults<float>&, float*, float*, float*);
template void attention_grad(const Workers&, const AttentionShape&, const AttentionOptions&,
                             const AttentionInputs<Bfloat16>&, const AttentionResults<Bfloat16>&, Bfloat16*, Bfloat16*,
                             Bfloat16*);

}  // namespace portune::kernels
