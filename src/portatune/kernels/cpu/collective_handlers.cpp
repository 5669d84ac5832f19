// Handlers of all_reduce, all_gather and reduce_scatter between processes, each of which is a device of the mesh. XLA
// runs independent calls in any order, and several at once; but every process must exchange in the same order.
// Therefore each call takes a number that the previous one has returned: see Lowering::call_in_order().
#include <algorithm>
#include <vector>

#include "portatune/kernels/cpu/collectives.h"
#include "portatune/kernels/cpu/handler.h"
#include "portatune/process_group.h"

namespace portatune::kernels {
namespace {

// The process group that an execution passes to its kernels: the group of the device that runs the program.
class Processes {
 public:
  struct Data {
    inline static ffi::TypeId id{};
  };
  Processes(Data* data) : group_(*reinterpret_cast<ProcessGroup*>(data)) {}

  ProcessGroup& group() const { return group_; }

 private:
  ProcessGroup& group_;
};

}  // namespace
}  // namespace portatune::kernels

template <>
struct xla::ffi::CtxBinding<portatune::kernels::Processes> {
  using Ctx = xla::ffi::UserData<portatune::kernels::Processes::Data>;
};

namespace portatune::kernels {
namespace {

using Groups = ffi::Span<const int64_t>;
using AllGroups = Attribute<Groups, "groups">;  // all groups, one after the other
using GroupSize = Attribute<int64_t, "group_size">;

// The members of the process's group; `groups` holds all groups one after the other.
ProcessGroup::Members members_of(Groups groups, int64_t size, int64_t rank) {
  const auto* const found = std::find(groups.begin(), groups.end(), rank);
  require(found != groups.end() && size > 0, "the process in one of its groups");
  const auto group = (found - groups.begin()) / size;
  return {groups.begin() + group * size, static_cast<size_t>(size)};
}

// Calls body(members) for an exchange, and returns the number for the next one.
template <class Body>
void exchange(const Processes& processes, const S32Operand& order, S32Result& after, Groups groups, int64_t size,
              Body body) {
  body(members_of(groups, size, processes.group().rank()));
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

void reduce(Processes processes, Operand x, S32Operand order, Result sum, S32Result after, AllGroups groups,
            GroupSize size) {
  exchange(processes, order, after, groups, size, [&](ProcessGroup::Members members) {
    with_floats(x, sum, [&](std::span<const float> terms, std::span<float> total) {
      processes.group().all_reduce(members, terms, total);
    });
  });
}

void gather(Processes processes, Operand part, S32Operand order, Result whole, S32Result after, AllGroups groups,
            GroupSize size) {
  exchange(processes, order, after, groups, size, [&](ProcessGroup::Members members) {
    processes.group().all_gather(members, {data_of<const std::byte>(part), part.size_bytes()},
                                 {data_of<std::byte>(*whole), whole->size_bytes()});
  });
}

void scatter(Processes processes, Operand x, S32Operand order, Result part, S32Result after, AllGroups groups,
             GroupSize size) {
  exchange(processes, order, after, groups, size, [&](ProcessGroup::Members members) {
    with_floats(x, part, [&](std::span<const float> terms, std::span<float> total) {
      processes.group().reduce_scatter(members, terms, total);
    });
  });
}

void rank(Processes processes, U32Result number) {
  *number->typed_data() = static_cast<uint32_t>(processes.group().rank());
}

}  // namespace

void set_process_group_type(int64_t number) { Processes::Data::id.type_id = number; }

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
