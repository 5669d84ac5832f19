// Handlers of all_reduce, all_gather and reduce_scatter between processes, each of which is a device of the mesh. XLA
// runs independent calls in any order, and several at once; but every process must exchange in the same order.
// Therefore each call takes a number that the previous one has returned: see Lowering::call_in_order().
#include <algorithm>
#include <mutex>
#include <vector>

#include "portatune/kernels/cpu/collectives.h"
#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"

namespace portatune::kernels {
namespace {

using Groups = ffi::Span<const int64_t>;

struct {
  std::mutex mutex;
  std::shared_ptr<ProcessGroup> group;
} current;

std::shared_ptr<ProcessGroup> process_group() {
  const std::lock_guard lock(current.mutex);
  if (current.group) return current.group;
  throw UsageError({.where = "a collective between processes",
                    .given = "a process without a group",
                    .expected = "DeviceOptions::processes"});
}

// The members of the process's group; `groups` holds all groups one after the other.
ProcessGroup::Members members_of(Groups groups, int64_t size, int64_t rank) {
  const auto* const found = std::find(groups.begin(), groups.end(), rank);
  require(found != groups.end() && size > 0, "a collective between processes", "the process in one of its groups");
  const auto group = (found - groups.begin()) / size;
  return {groups.begin() + group * size, static_cast<size_t>(size)};
}

// Calls body(group, members) for an exchange, and returns the number for the next one.
template <class Body>
ffi::Error exchange(const Operand& order, Result& after, Groups groups, int64_t size, Body body) {
  return run_handler([&] {
    const auto group = process_group();
    body(*group, members_of(groups, size, group->rank()));
    *data_of<int32_t>(*after) = *data_of<const int32_t>(order);
  });
}

// Calls body(x, y) with float arrays: the buffers, or copies if they are bfloat16, because process groups add only
// floats.
template <class Body>
void with_floats(const Operand& x, Result& y, const char* target, Body body) {
  with_float_type(x, target, [&]<class T>(T) {
    const std::span<const T> in(data_of<const T>(x), x.element_count());
    const std::span<T> out(data_of<T>(*y), y->element_count());
    if constexpr (std::is_same_v<T, float>) {
      body(in, out);
    } else {
      std::vector<float> wide(in.size()), sum(out.size());
      std::ranges::transform(in, wide.begin(), [](T value) { return to_float(value); });
      body(std::span<const float>(wide), std::span(sum));
      std::ranges::transform(sum, out.begin(), [](float value) { return from_float<T>(value); });
    }
  });
}

ffi::Error reduce(Operand x, Operand order, Result sum, Result after, Groups groups, int64_t size) {
  return exchange(order, after, groups, size, [&](ProcessGroup& group, ProcessGroup::Members members) {
    with_floats(x, sum, "portatune.all_reduce",
                [&](std::span<const float> terms, std::span<float> total) { group.all_reduce(members, terms, total); });
  });
}

ffi::Error gather(Operand part, Operand order, Result whole, Result after, Groups groups, int64_t size) {
  return exchange(order, after, groups, size, [&](ProcessGroup& group, ProcessGroup::Members members) {
    group.all_gather(members, {data_of<const std::byte>(part), part.size_bytes()},
                     {data_of<std::byte>(*whole), whole->size_bytes()});
  });
}

ffi::Error scatter(Operand x, Operand order, Result part, Result after, Groups groups, int64_t size) {
  return exchange(order, after, groups, size, [&](ProcessGroup& group, ProcessGroup::Members members) {
    with_floats(x, part, "portatune.reduce_scatter", [&](std::span<const float> terms, std::span<float> total) {
      group.reduce_scatter(members, terms, total);
    });
  });
}

ffi::Error rank(Result number) {
  return run_handler([&] { *data_of<uint32_t>(*number) = static_cast<uint32_t>(process_group()->rank()); });
}

}  // namespace

void set_process_group(std::shared_ptr<ProcessGroup> group) {
  const std::lock_guard lock(current.mutex);
  current.group = std::move(group);
}

#define PORTATUNE_COLLECTIVE(symbol, handler)               \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(symbol, handler,            \
                                ffi::Ffi::Bind()            \
                                    .Arg<Operand>()         \
                                    .Arg<Operand>()         \
                                    .Ret<Operand>()         \
                                    .Ret<Operand>()         \
                                    .Attr<Groups>("groups") \
                                    .Attr<int64_t>("group_size"))
PORTATUNE_COLLECTIVE(portatune_all_reduce, reduce);
PORTATUNE_COLLECTIVE(portatune_all_gather, gather);
PORTATUNE_COLLECTIVE(portatune_reduce_scatter, scatter);
#undef PORTATUNE_COLLECTIVE
XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_process_rank, rank, ffi::Ffi::Bind().Ret<Operand>());

}  // namespace portatune::kernels
