#include "portatune/run/probes/memory_advice.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "portatune/base/text/number.h"
#include "portatune/runtime/machine_memory.h"
#include "portatune/runtime/pjrt/call_error.h"

namespace portatune::run {
namespace {

// The bytes of address space that this process may still use.
std::optional<int64_t> left_of_limit() {
  rlimit limit{};
  int64_t pages = 0;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  if (!(std::ifstream("/proc/self/statm") >> pages)) return {};
  return std::max<int64_t>(0, static_cast<int64_t>(limit.rlim_cur) - pages * sysconf(_SC_PAGESIZE));
}

int64_t available_bytes() {
  const DeviceMemory memory = machine_memory();
  const int64_t available = *memory.limit_bytes - memory.in_use_bytes;
  return std::min(available, left_of_limit().value_or(available));
}

// The N of "Out of memory allocating N bytes" and "Out of memory while trying to allocate N bytes", the messages of
// XLA's plugins.
std::optional<int64_t> requested_bytes(std::string_view message) {
  const size_t begin = message.find_first_of("0123456789", message.find("Out of memory"));
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = message.substr(begin);
  const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return rest.substr(digits).starts_with(" bytes") ? number_in<int64_t>(rest.substr(0, digits)) : std::nullopt;
}

std::string smaller_batch(const Workload& workload, int64_t fitting) {
  const bool trains = workload.gradient_accumulation_steps > 0;
  if (fitting == 0 && !trains) return "a smaller --batch-size";
  if (fitting == 0) return "a smaller --batch-size, with --gradient-accumulation-steps for the same steps";
  if (!trains) return fmt::format("--batch-size {}, as memory for about {} rows is free", fitting, fitting);
  const int64_t parts = parts_for(workload.batch_size, fitting);
  return fmt::format(
      "--batch-size {} --gradient-accumulation-steps {} for the same steps, as memory for about {} rows "
      "is free",
      workload.batch_size / parts, workload.gradient_accumulation_steps * parts, fitting);
}

OutOfMemoryError out_of_memory(const Workload& workload, std::string given, std::optional<int64_t> requested) {
  int64_t fitting = 0;
  if (requested) given = fmt::format("a request of {} more: {}", binary_size(*requested), given);
  if (workload.is_on_cpu) {
    const int64_t available = available_bytes();
    given += fmt::format("; {} are free", binary_size(available));
    if (requested) fitting = fitting_batch_size(workload.batch_size, *requested, available);
  }
  std::string fix = smaller_batch(workload, fitting);
  if (workload.gradient_accumulation_steps > 0) {
    if (!workload.remat) fix += "; --remat layers";
    fix +=
        "; a smaller --eval-batch-size where it is a validation; `portatune plan --largest-batch` with the same "
        "options computes what fits";
  }
  return OutOfMemoryError({.where = fmt::format("out of memory with --batch-size {}", workload.batch_size),
                           .given = std::move(given),
                           .expected = "batches for which the memory suffices",
                           .fix = std::move(fix)});
}

}  // namespace

bool is_out_of_memory(const Error& error) {
  const auto* const call = dynamic_cast<const pjrt::CallError*>(&error);
  return dynamic_cast<const OutOfMemoryError*>(&error) != nullptr ||
         (call != nullptr && call->kind() == pjrt::CallError::Kind::kOutOfMemory);
}

int with_memory_advice(const Workload& workload, const std::function<int()>& command) {
  try {
    return command();
  } catch (const pjrt::CallError& error) {
    if (error.kind() != pjrt::CallError::Kind::kOutOfMemory) throw;
    throw out_of_memory(workload, error.report().where, requested_bytes(error.report().where));
  } catch (const std::bad_alloc&) {
    throw out_of_memory(workload, "the main memory of this process is used up", std::nullopt);
  }
}

int64_t fitting_batch_size(int64_t batch_size, int64_t requested_bytes, int64_t available_bytes) {
  if (available_bytes >= requested_bytes) return 0;
  return static_cast<int64_t>(static_cast<double>(batch_size) * static_cast<double>(available_bytes) /
                              static_cast<double>(requested_bytes));
}

int64_t parts_for(int64_t batch_size, int64_t fitting) {
  int64_t parts = (batch_size + fitting - 1) / fitting;
  while (batch_size % parts != 0) ++parts;
  return parts;
}

}  // namespace portatune::run
