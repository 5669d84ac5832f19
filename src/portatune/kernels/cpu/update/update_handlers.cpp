// Handlers of the optimizer's update, of the gradient norm, and of the gradients of biases and embeddings.
#include <cstring>

#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/update/adamw.h"
#include "portatune/kernels/cpu/update/column_sums.h"
#include "portatune/kernels/cpu/update/embedding_grad.h"
#include "portatune/kernels/cpu/update/sum_of_squares.h"

namespace portatune::kernels {
namespace {

// The result's memory with the operand's values. If the call aliases the two, which is usual, it is the same memory.
float* in_place(const F32Operand& operand, F32Result& result) {
  float* data = result->typed_data();
  if (data != operand.typed_data()) std::memcpy(data, operand.typed_data(), operand.size_bytes());
  return data;
}

void update(XlaWorkers workers, F32Operand p, F32Operand m, F32Operand v, F32Operand g, F32Operand hyper,
            F32Result new_p, F32Result new_m, F32Result new_v, Attribute<float, "beta1"> beta1,
            Attribute<float, "beta2"> beta2, Attribute<float, "eps"> eps,
            Attribute<float, "weight_decay"> weight_decay) {
  const int64_t size = size_of(p);
  for (const F32Operand& array : {m, v, g, *new_p, *new_m, *new_v}) {
    require(size_of(array) == size, "p, m, v, g and results of the same size");
  }
  require(size_of(hyper) == 5 || size_of(hyper) == 6, "hyper-parameters [5], or [6] with the weight decay");
  const float decay = size_of(hyper) == 6 ? hyper.typed_data()[5] : static_cast<float>(weight_decay);
  adamw(workers, {beta1, beta2, eps, decay}, hyper.typed_data(), size, in_place(p, new_p), in_place(m, new_m),
        in_place(v, new_v), g.typed_data());
}

void square(XlaWorkers workers, Operand x, F32Result sum) {
  require(size_of(*sum) == 1, "a scalar as result");
  with_float_type(x, [&]<class T>(T) {
    *sum->typed_data() = static_cast<float>(sum_of_squares(workers, size_of(x), data_of<const T>(x)));
  });
}

void add_up_columns(XlaWorkers workers, Operand x, Result sums) {
  const int64_t size = size_of(x), columns = size_of(*sums);
  require(columns > 0 && size % columns == 0, "rows of as many elements as the result has");
  require(dtype_of(*sums) == dtype_of(x), "a result of the type of x");
  with_float_type(
      x, [&]<class T>(T) { column_sums(workers, size / columns, columns, data_of<const T>(x), data_of<T>(*sums)); });
}

void scatter(XlaWorkers workers, Operand dy, S32Operand ids, F32Result dtable) {
  const EmbeddingGradShape shape{leading_size(dy), last_size(dy), leading_size(*dtable)};
  require(size_of(ids) == shape.tokens, "an id for each row of dy");
  require(last_size(*dtable) == shape.width, "a result [vocab, width], as wide as dy");
  with_float_type(dy, [&]<class T>(T) {
    embedding_grad(workers, shape, data_of<const T>(dy), ids.typed_data(), dtable->typed_data());
  });
}

}  // namespace

std::vector<CpuKernel> update_kernels() {
  return {kernel<"portatune.adamw", update>(), kernel<"portatune.sum_of_squares", square>(),
          kernel<"portatune.column_sums", add_up_columns>(), kernel<"portatune.embedding_grad", scatter>()};
}

}  // namespace portatune::kernels
