#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/search/log_sum_exp.h"
#include "portatune/kernels/cpu/search/top_k.h"

namespace portatune::kernels {
namespace {

void find_top_k(XlaWorkers workers, F32Operand x, F32Result values, S32Result indices) {
  const int64_t rows = leading_size(x), size = last_size(x), k = last_size(*values);
  require(0 < k && k <= size && size_of(*values) == rows * k, "values [rows, k], k at most the size of a row");
  require(size_of(*indices) == rows * k, "indices like the values");
  top_k(workers, rows, size, k, x.typed_data(), values->typed_data(), indices->typed_data());
}

void compute_log_sum_exp(XlaWorkers workers, F32Operand x, F32Result y) {
  const int64_t rows = leading_size(x), size = last_size(x);
  require(size > 0 && size_of(*y) == rows, "a result for each row");
  log_sum_exp(workers, rows, size, x.typed_data(), y->typed_data());
}

}  // namespace

std::vector<CpuKernel> search_kernels() {
  return {kernel<"portatune.top_k", find_top_k>(), kernel<"portatune.log_sum_exp", compute_log_sum_exp>()};
}

}  // namespace portatune::kernels
