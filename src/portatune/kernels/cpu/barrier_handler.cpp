// Handler of optimization_barrier, which returns its operands. XLA does not know what it computes, so that XLA neither
// moves computations across it nor merges those on its two sides.
#include <cstring>

#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"

namespace portatune::kernels {
namespace {

void barrier(ffi::RemainingArgs operands, ffi::RemainingRets results) {
  require(operands.size() == results.size(), "a result for each operand");
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto from = operands.get<Operand>(i);
    auto to = results.get<Operand>(i);
    require(from.has_value() && to.has_value() && from->size_bytes() == (*to)->size_bytes(),
            "results like the operands");
    // Operand and result share memory unless XLA must keep the operand.
    void* target = (*to)->untyped_data();
    if (target != from->untyped_data()) std::memcpy(target, from->untyped_data(), from->size_bytes());
  }
}

}  // namespace

std::vector<CpuKernel> barrier_kernels() { return {kernel<"portatune.barrier", barrier>()}; }

}  // namespace portatune::kernels
