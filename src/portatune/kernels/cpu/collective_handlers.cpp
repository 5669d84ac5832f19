// Handlers of all_reduce, all_gather and reduce_scatter between processes, each of which is a device of the mesh. XLA
// runs independent calls in any order, and several at once; but every process must exchange in the same order.
// Therefore each call takes a number that the previous one has returned: see Lowering::call_in_order().
#include <algorithm>
#include <mutex>
#include <vector>

#include "portatune/kernels/cpu/collectives.h"
#include "portatune/kernels/cpu/handler.h"

namespace portatune::kernels {
namespace {

using Groups = ffi::Span<const int64_t>;
using AllGroups = Attribute<Groups, "groups">;  // all groups, one after the other
using GroupSize = Attribute<int64_t, "group_size">;

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
  require(found != groups.end() && size > 0, "the process in one of its groups");
  const auto group = (found - groups.begin()) / size;
  return {groups.begin() + group * size, static_cast<size_t>(size)};
}

// Calls body(group, members) for an exchange, and returns the number for the next one.
template <class Body>
void exchange(const S32Operand& order, S32Result& after, Groups groups, int64_t size, Body body) {
  const auto group = process_group();
  body(*group, members_of(groups, size, group->rank()));
  *after->typed_data() = *order.typed_data();
}

// Calls body(x, y) with float arrays: the buffers, or copies if they are bfloat16, because process groups add only
// floats.
template <class Body>
void with_floats(const Operand& x, Result& y, Body body) {
  with_float_type(x, [&]<class T>(T) {
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

void reduce(Operand x, S32Operand order, Result sum, S32Result after, AllGroups groups, GroupSize size) {
  exchange(order, after, groups, size, [&](ProcessGroup& group, ProcessGroup::Members members) {
    with_floats(x, sum,
                [&](std::span<const float> terms, std::span<float> total) { group.all_reduce(members, terms, total); });
  });
}

void gather(Operand part, S32Operand order, Result whole, S32Result after, AllGroups groups, GroupSize size) {
  exchange(order, after, groups, size, [&](ProcessGroup& group, ProcessGroup::Members members) {
    group.all_gather(members, {data_of<const std::byte>(part), part.size_bytes()},
                     {data_of<std::byte>(*whole), whole->size_bytes()});
  });
}

void scatter(Operand x, S32Operand order, Result part, S32Result after, AllGroups groups, GroupSize size) {
  exchange(order, after, groups, size, [&](ProcessGroup& group, ProcessGroup::Members members) {
    with_floats(x, part, [&](std::span<const float> terms, std::span<float> total) {
      group.reduce_scatter(members, terms, total);
    });
  });
}

void rank(U32Result number) { *number->typed_data() = static_cast<uint32_t>(process_group()->rank()); }

}  // namespace

void set_process_group(std::shared_ptr<ProcessGroup> group) {
  const std::lock_guard lock(current.mutex);
  current.group = std::move(group);
}

std::span<const CpuKernel> collective_kernels() {
  static const std::vector<CpuKernel> kernels{
      kernel<"portatune.all_reduce", reduce>(),
      kernel<"portatune.all_gather", gather>(),
      kernel<"portatune.reduce_scatter", scatter>(),
      kernel<"portatune.process_rank", rank>(),
  };
  return kernels;
}

}  // namespace portatune::kernels
