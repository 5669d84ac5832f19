#include "portatune/kernels/cpu/attention/block_attention.h"
#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"

namespace portatune::kernels {
namespace {

using Heads = Attribute<int64_t, "heads">;
using BlockSize = Attribute<int64_t, "block_size">;
using RandomBlocks = Attribute<int64_t, "random_blocks">;
using FirstAgain = Attribute<int64_t, "first_again">;
using Scale = Attribute<float, "scale">;

BlockShape shape_of(const Operand& q, int64_t heads, int64_t block_size, int64_t random_blocks, int64_t first_again) {
  const auto sizes = q.dimensions();
  require(sizes.size() == 3, "q [batch, length, hidden]");
  require(heads > 0 && sizes[2] % heads == 0, "a hidden size that is a multiple of the heads");
  require(block_size > 0 && sizes[1] % block_size == 0, "a length that is a multiple of the block_size");
  const BlockShape shape{sizes[0],      heads,      sizes[1] / block_size, block_size, sizes[2] / heads,
                         random_blocks, first_again};
  require(shape.batch > 0 && shape.head_size > 0 && shape.blocks >= 5, "sizes of at least 1, and 5 blocks");
  require(first_again >= 0, "a first_again of at least 0");
  return shape;
}

template <class T>
BlockInputs<T> inputs_of(const BlockShape& shape, const Operand& q, const Operand& k, const Operand& v,
                         const F32Operand& bias, const S32Operand& random) {
  require_like(k, q, "k like q");
  require_like(v, q, "v like q");
  require(size_of(bias) == shape.batch * shape.length(), "a bias float32 [batch, 1, 1, length]");
  const int64_t rows = shape.heads * shape.middle_blocks(), row = size_of(random) / rows;
  require(shape.random_blocks >= 0 && size_of(random) == rows * row && row >= shape.random_blocks,
          "random blocks int32 [heads, blocks - 2, at least random_blocks]");
  const std::span<const int32_t> blocks(random.typed_data(), static_cast<size_t>(size_of(random)));
  require(std::ranges::all_of(blocks, [&](int32_t block) { return 0 <= block && block < shape.blocks; }),
          "random blocks from 0 to the number of blocks - 1");
  return {data_of<const T>(q), data_of<const T>(k), data_of<const T>(v), bias.typed_data(), random.typed_data(), row};
}

int64_t rows_of(const BlockShape& shape) { return shape.batch * shape.heads * shape.length(); }

void forward(XlaWorkers workers, Operand q, Operand k, Operand v, F32Operand bias, S32Operand random, Result out,
             F32Result lse, Heads heads, BlockSize block_size, RandomBlocks random_blocks, FirstAgain first_again,
             Scale scale) {
  const BlockShape shape = shape_of(q, heads, block_size, random_blocks, first_again);
  require(size_of(*lse) == rows_of(shape), "lse [batch, heads, length]");
  require_like(*out, q, "out like q");
  with_float_type(q, [&]<class T>(T) {
    block_attention(workers, shape, scale, inputs_of<T>(shape, q, k, v, bias, random), data_of<T>(*out),
                    lse->typed_data());
  });
}

void backward(XlaWorkers workers, Operand dout, Operand q, Operand k, Operand v, F32Operand bias, S32Operand random,
              Operand out, F32Operand lse, Result dq, Result dk, Result dv, Heads heads, BlockSize block_size,
              RandomBlocks random_blocks, FirstAgain first_again, Scale scale) {
  const BlockShape shape = shape_of(q, heads, block_size, random_blocks, first_again);
  require(size_of(lse) == rows_of(shape), "lse [batch, heads, length]");
  require_like(out, q, "out like q");
  require_like(dout, q, "dout like q");
  require_like(*dq, q, "dq like q");
  require_like(*dk, q, "dk like q");
  require_like(*dv, q, "dv like q");
  with_float_type(q, [&]<class T>(T) {
    const AttentionResults<T> results{data_of<const T>(dout), data_of<const T>(out), lse.typed_data()};
    block_attention_grad(workers, shape, scale, inputs_of<T>(shape, q, k, v, bias, random), results, data_of<T>(*dq),
                         data_of<T>(*dk), data_of<T>(*dv));
  });
}

}  // namespace

std::vector<CpuKernel> block_attention_kernels() {
  return {kernel<"portatune.block_attention", forward>(), kernel<"portatune.block_attention_grad", backward>()};
}

}  // namespace portatune::kernels
