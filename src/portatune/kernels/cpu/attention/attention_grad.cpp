#include "portatune/kernels/cpu/attention/attention.h"
#include "portatune/kernels/cpu/attention/attention_blocks.h"
#include "portatune/kernels/cpu/elementwise/simd_math.h"

namespace portatune::kernels {
namespace {

// Sum of dout * out over the head for each query, which the softmax's gradient subtracts.
template <class T>
PORTATUNE_SIMD void row_products(int64_t rows, int64_t size, int64_t stride, const T* dout, const T* out, float* sums) {
  for (int64_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < size; ++j) sum += to_float(dout[i * stride + j]) * to_float(out[i * stride + j]);
    sums[i] = sum;
  }
}

// A row has a lower lse than this if all its keys are hidden. Its scores are lost in rounding, so it gets no gradient.
constexpr float kHidden = -1e8F;

// Computes the weights after dropout and the gradient of q k^T, from the scores q k^T and dweights = dout v^T. Both are
// 0 at keys that the query does not see. The gradient of the biased scores replaces dweights of visible keys.
template <bool drops, bool caps, class T>
PORTATUNE_SIMD void differentiate_rows(int64_t rows, const BlockContext context, const float* __restrict lse,
                                       const float* __restrict products, const float* __restrict scores,
                                       float* __restrict dweights, T* __restrict weights, T* __restrict dproducts) {
  const int64_t columns = context.keys.size();
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = i * columns;
    const KeyRange visible = lse[i] < kHidden ? KeyRange{0, 0} : context.visible(i);
    const uint32_t first_index = context.index_of_row(i);
    for (T* line : {weights + row, dproducts + row}) {
      std::fill(line, line + visible.begin, T());
      std::fill(line + visible.end, line + columns, T());
    }
    const float* __restrict bias = context.bias(i);
    for (int64_t j = visible.begin; j < visible.end; ++j) {
      const float product = context.scale * scores[row + j];
      const float score = caps ? capped(product, context.softcap) : product;
      const float p = exp_nonpositive(score + bias[j] - lse[i]);
      const float factor = drops ? dropout_factor(context.mask, first_index + static_cast<uint32_t>(j)) : 1.0F;
      weights[row + j] = from_float<T>(p * factor);
      const float dscore = p * (dweights[row + j] * factor - products[i]);
      const float share = caps ? score / context.softcap : 0.0F;
      dweights[row + j] = dscore;
      dproducts[row + j] = from_float<T>(dscore * (1.0F - share * share) * context.scale);
    }
  }
}

template <class T>
PORTATUNE_SIMD void store_rows(int64_t rows, int64_t size, const float* __restrict x, int64_t stride,
                               T* __restrict out) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < size; ++j) out[i * stride + j] = from_float<T>(x[i * size + j]);
  }
}

// Copies the visible columns of the block's gradients to whole rows [kv], with 0 elsewhere.
PORTATUNE_SIMD void store_dscores(int64_t rows, const BlockContext context, const float* __restrict lse,
                                  const float* __restrict dscores, float* __restrict out) {
  for (int64_t i = 0; i < rows; ++i, out += context.shape.kv, dscores += context.keys.size()) {
    const KeyRange visible = lse[i] < kHidden ? KeyRange{0, 0} : context.visible(i);
    std::fill(out, out + context.shape.kv, 0.0F);
    std::copy(dscores + visible.begin, dscores + visible.end, out + context.keys.begin + visible.begin);
  }
}

template <class T>
struct Scratch {
  std::vector<float> scores, dweights, products, dk, dv;
  std::vector<T> weights, dproducts;
};

// The product [keys, head_size] += a^T b, where a is [rows, keys] of the block and b has the block's queries.
Gemm sum_over_queries(DType type, const AttentionShape& shape, int64_t rows, int64_t keys) {
  return {.m = keys,
          .n = shape.head_size,
          .k = rows,
          .a = {type, 1, keys},
          .b = query_rows(type, shape),
          .c = {DType::kFloat32, shape.head_size, 1},
          .accumulate = true};
}

// Computes dq and dscores of the block's queries, and adds the block's part of the head's dk and dv to the scratch
// memory.
template <class T>
void differentiate(const AttentionShape& shape, const AttentionOptions& options, const Visibility& visibility,
                   const AttentionInputs<T>& in, const AttentionResults<T>& results, const QueryBlock& block,
                   Scratch<T>& scratch, T* dq, float* dscores) {
  constexpr DType kType = kDTypeOf<T>;
  const BlockContext context = context_of(shape, options, visibility, block);
  const int64_t keys = context.keys.size(), size = block.rows * keys;
  const int64_t queries = block.query_offset(shape), first_key = block.kv_offset(shape, context.keys.begin);
  float *scores = at_least(scratch.scores, size), *dweights = at_least(scratch.dweights, size);
  float* products = at_least(scratch.products, block.rows);
  T *weights = at_least(scratch.weights, size), *dproducts = at_least(scratch.dproducts, size);

  multiply(scores_of(kType, shape, block.rows, keys), in.q + queries, in.k + first_key, nullptr, scores);
  multiply(scores_of(kType, shape, block.rows, keys), results.dout + queries, in.v + first_key, nullptr, dweights);

  row_products(block.rows, shape.head_size, shape.hidden(), results.dout + queries, results.out + queries, products);
  const bool caps = options.softcap > 0;
  const auto differentiate = options.dropout
                                 ? (caps ? differentiate_rows<true, true, T> : differentiate_rows<true, false, T>)
                                 : (caps ? differentiate_rows<false, true, T> : differentiate_rows<false, false, T>);
  const float* lse = results.lse + block.row_offset(shape);
  differentiate(block.rows, context, lse, products, scores, dweights, weights, dproducts);
  if (dscores != nullptr) {
    store_dscores(block.rows, context, lse, dweights, dscores + block.row_offset(shape) * shape.kv);
  }

  const Gemm times_keys{.m = block.rows,
                        .n = shape.head_size,
                        .k = keys,
                        .a = {kType, keys, 1},
                        .b = key_rows(kType, shape),
                        .c = query_rows(kType, shape)};
  multiply(times_keys, dproducts, in.k + first_key, nullptr, dq + queries);
  const Gemm over_queries = sum_over_queries(kType, shape, block.rows, keys);
  const int64_t first_sum = context.keys.begin * shape.head_size;
  multiply(over_queries, dproducts, in.q + queries, nullptr, scratch.dk.data() + first_sum);
  multiply(over_queries, weights, results.dout + queries, nullptr, scratch.dv.data() + first_sum);
}

}  // namespace

// A piece of work is a head of the keys with all queries that it serves, so that sums over them have one order.
template <class T>
void attention_grad(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                    const AttentionInputs<T>& in, const AttentionResults<T>& results, T* dq, T* dk, T* dv,
                    float* dscores) {
  const Visibility visibility(shape, options.band, in.bias, in.segments);
  const int64_t queries = visibility.queries_per_block(), group = shape.group();
  parallel_for(workers, shape.batch * shape.kv_heads, [&](int64_t piece) {
    thread_local Scratch<T> scratch;
    const int64_t example = piece / shape.kv_heads, first_head = piece % shape.kv_heads * group;
    scratch.dk.assign(static_cast<size_t>(shape.kv * shape.head_size), 0.0F);
    scratch.dv.assign(static_cast<size_t>(shape.kv * shape.head_size), 0.0F);
    for (int64_t head = first_head; head < first_head + group; ++head) {
      for (int64_t first = 0; first < shape.query; first += queries) {
        const QueryBlock block{example, head, first, std::min(queries, shape.query - first)};
        differentiate(shape, options, visibility, in, results, block, scratch, dq, dscores);
      }
    }
    const int64_t offset = QueryBlock{example, first_head, 0, 0}.kv_offset(shape, 0);
    store_rows(shape.kv, shape.head_size, scratch.dk.data(), shape.kv_hidden(), dk + offset);
    store_rows(shape.kv, shape.head_size, scratch.dv.data(), shape.kv_hidden(), dv + offset);
  });
}

template void attention_grad(const Workers&, const AttentionShape&, const AttentionOptions&,
                             const AttentionInputs<float>&, const AttentionResults<float>&, float*, float*, float*,
                             float*);
template void attention_grad(const Workers&, const AttentionShape&, const AttentionOptions&,
                             const AttentionInputs<Bfloat16>&, const AttentionResults<Bfloat16>&, Bfloat16*, Bfloat16*,
                             Bfloat16*, float*);

}  // namespace portatune::kernels
