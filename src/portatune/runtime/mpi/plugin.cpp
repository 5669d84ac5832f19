// libportatune_mpi.so: exchanges by MPI behind processes/exchange_api.h. No exception leaves it.
#include <mpi.h>

#include <climits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "portatune/runtime/processes/exchange_plugin.h"

struct PortatuneExchangeWorld {
  MPI_Comm all;
  int rank, size;
  std::map<std::vector<int>, MPI_Comm> groups;  // groups by their members, each created at its first exchange
};

namespace {

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int size = 0;
  MPI_Error_string(result, text.data(), &size);
  text.resize(static_cast<size_t>(size));
  throw std::runtime_error(std::string(what) + ": " + text);
}

// MPI 3 counts elements by int.
int count_of(int64_t count, const char* what) {
  if (count <= INT_MAX) return static_cast<int>(count);
  throw std::runtime_error(std::string(what) + ": " + std::to_string(count) + " elements of a process, at most " +
                           std::to_string(INT_MAX) + " can be exchanged at a time");
}

std::unique_ptr<PortatuneExchangeWorld> world_of(MPI_Comm all) {
  auto world = std::make_unique<PortatuneExchangeWorld>();
  world->all = all;
  check(MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(all, &world->rank), "MPI_Comm_rank");
  check(MPI_Comm_size(all, &world->size), "MPI_Comm_size");
  return world;
}

MPI_Comm group_of(PortatuneExchangeWorld& world, const int64_t* members, int64_t count) {
  const std::vector<int> ranks(members, members + count);
  if (const auto known = world.groups.find(ranks); known != world.groups.end()) return known->second;
  MPI_Group all, some;
  MPI_Comm made;
  check(MPI_Comm_group(world.all, &all), "MPI_Comm_group");
  check(MPI_Group_incl(all, static_cast<int>(count), ranks.data(), &some), "MPI_Group_incl");
  // Only members call it; other groups may create theirs at the same time.
  check(MPI_Comm_create_group(world.all, some, 0, &made), "MPI_Comm_create_group");
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  check(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return world.groups[ranks] = made;
}

int begin(const PortatuneExchangeLaunch*, PortatuneExchangeWorld** world, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    int provided = 0;
    // Programs exchange on XLA's threads while the main thread may exchange, too.
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_MULTIPLE) throw std::runtime_error("this MPI cannot be called by several threads");
    *world = world_of(MPI_COMM_WORLD).release();
  });
}

void end() { MPI_Finalize(); }

int duplicate(PortatuneExchangeWorld* world, PortatuneExchangeWorld** copy, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    MPI_Comm all;
    check(MPI_Comm_dup(world->all, &all), "MPI_Comm_dup");
    *copy = world_of(all).release();
  });
}

int64_t rank(const PortatuneExchangeWorld* world) { return world->rank; }
int64_t size(const PortatuneExchangeWorld* world) { return world->size; }
void abort(PortatuneExchangeWorld* world, int exit_code) { MPI_Abort(world->all, exit_code); }

int all_reduce(PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count, const float* x, float* sum,
               int64_t count, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    const void* from = x == sum ? MPI_IN_PLACE : x;
    check(MPI_Allreduce(from, sum, count_of(count, "MPI_Allreduce"), MPI_FLOAT, MPI_SUM,
                        group_of(*world, members, member_count)),
          "MPI_Allreduce");
  });
}

int all_gather(PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count, const void* part,
               int64_t bytes, void* whole, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    // Whole numbers of 4 bytes are counted as elements, so that as many can be gathered as can be summed.
    const bool numbers = bytes % 4 == 0;
    const int count = count_of(numbers ? bytes / 4 : bytes, "MPI_Allgather");
    const MPI_Datatype type = numbers ? MPI_UINT32_T : MPI_BYTE;
    check(MPI_Allgather(part, count, type, whole, count, type, group_of(*world, members, member_count)),
          "MPI_Allgather");
  });
}

int reduce_scatter(PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count, const float* x,
                   float* part, int64_t count, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    check(MPI_Reduce_scatter_block(x, part, count_of(count, "MPI_Reduce_scatter_block"), MPI_FLOAT, MPI_SUM,
                                   group_of(*world, members, member_count)),
          "MPI_Reduce_scatter_block");
  });
}

const PortatuneExchangeApi kApi = {
    kPortatuneExchangeVersion, begin, end, duplicate, rank, size, abort, all_reduce, all_gather, reduce_scatter};

}  // namespace

extern "C" __attribute__((visibility("default"))) const void* portatune_exchange_api(void) { return &kApi; }
