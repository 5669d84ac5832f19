#include "portune/processes/mpi_group.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "portune/base/number.h"
#include "portune/error.h"
#include "portune/io/own_plugin.h"
#include "portune/processes/mpi_api.h"

namespace portune {
namespace {

constexpr io::OwnPlugin kPlugin{.file = "libportune_mpi.so",
                                .variable = "PORTUNE_MPI_PLUGIN",
                                .function = "portune_mpi_api",
                                .version = kPortuneMpiVersion,
                                .needed_for = "several processes exchange arrays by MPI"};

void require(int failed, const PortuneMpiError& error) {
  if (failed == 0) return;
  throw DeviceError({.where = "MPI",
                     .given = error.message,
                     .expected = "an exchange with the other processes",
                     .fix = "look at what they print: one may have ended"});
}

class MpiGroup final : public ProcessGroup {
 public:
  // The world lives as long as the process: MPI ends it with all else.
  MpiGroup(const PortuneMpiApi& api, PortuneMpiWorld* world) : api_(api), world_(world) {}

  int64_t rank() const override { return api_.rank(world_); }
  int64_t size() const override { return api_.size(world_); }

  void all_reduce(Members members, std::span<const float> x, std::span<float> sum) override {
    call(api_.all_reduce, members.data(), std::ssize(members), x.data(), sum.data(), std::ssize(x));
  }
  void all_gather(Members members, std::span<const std::byte> part, std::span<std::byte> whole) override {
    call(api_.all_gather, members.data(), std::ssize(members), part.data(), std::ssize(part), whole.data());
  }
  void reduce_scatter(Members members, std::span<const float> x, std::span<float> part) override {
    call(api_.reduce_scatter, members.data(), std::ssize(members), x.data(), part.data(), std::ssize(part));
  }

  std::shared_ptr<ProcessGroup> duplicate() override {
    PortuneMpiWorld* copy = nullptr;
    call(api_.duplicate, &copy);
    return std::make_shared<MpiGroup>(api_, copy);
  }
  void abort(int exit_code) override {
    api_.abort(world_, exit_code);
    std::abort();
  }

 private:
  template <class Function, class... Arguments>
  void call(Function function, Arguments... arguments) {
    PortuneMpiError error;
    require(function(world_, arguments..., &error), error);
  }

  const PortuneMpiApi& api_;
  PortuneMpiWorld* const world_;
};

int64_t number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : number_in<int64_t>(text).value_or(0);
}

const PortuneMpiApi* begun = nullptr;

std::shared_ptr<ProcessGroup> begin_mpi() {
  const auto& api = *static_cast<const PortuneMpiApi*>(
      io::open_own_plugin(kPlugin, std::to_string(launched_processes()) + " processes"));
  PortuneMpiError error;
  PortuneMpiWorld* world = nullptr;
  require(api.begin(&world, &error), error);
  begun = &api;
  return std::make_shared<MpiGroup>(api, world);
}

}  // namespace

int64_t launched_processes() {
  if (const int64_t size = number_in_environment("OMPI_COMM_WORLD_SIZE"); size > 0) return size;  // Open MPI's mpirun
  if (const int64_t size = number_in_environment("PMI_SIZE"); size > 0) return size;  // MPICH's, and srun with PMI-2
  // srun with PMIx. SLURM_NTASKS alone is in every shell of an allocation, too.
  return std::getenv("PMIX_RANK") == nullptr ? 1 : std::max<int64_t>(1, number_in_environment("SLURM_STEP_NUM_TASKS"));
}

std::shared_ptr<ProcessGroup> mpi_group() {
  static const std::shared_ptr<ProcessGroup> group = begin_mpi();
  return group;
}

void end_mpi() {
  if (begun != nullptr) begun->end();
  begun = nullptr;
}

}  // namespace portune
