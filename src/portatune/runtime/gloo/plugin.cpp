// libportatune_gloo.so: exchanges by Gloo behind processes/exchange_api.h. No exception leaves it.
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "portatune/runtime/processes/exchange_plugin.h"

namespace {

using namespace std::chrono_literals;
using Members = std::vector<int64_t>;
using GlooContext = std::shared_ptr<gloo::Context>;

void check(int failed, const PortatuneExchangeError& error) {
  if (failed != 0) throw std::runtime_error(error.message);
}

// The network device of this machine. May wait until the other processes have started.
std::shared_ptr<gloo::transport::Device> open_network(const PortatuneExchangeLaunch& launch) {
  gloo::transport::tcp::attr attributes;
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME")) {
    attributes.iface = interface;
  } else {
    PortatuneExchangeError error;
    const auto take = [](void* to, const char* address) { *static_cast<std::string*>(to) = address; };
    check(launch.address(launch.store, take, &attributes.hostname, &error), error);
  }
  return gloo::transport::tcp::CreateDevice(attributes);
}

}  // namespace

struct PortatuneExchangeWorld {
  const PortatuneExchangeLaunch& launch;
  std::shared_ptr<gloo::transport::Device> network;  // shared by all copies
  std::string name;                                  // the same in all processes
  int copies = 0;
  std::map<Members, GlooContext> groups = {};  // groups by their members, each created at its first exchange
};

namespace {

// Practically no timeout: a process may do other work for long, and the session notices lost processes.
constexpr std::chrono::milliseconds kExchangeTimeout = 24h * 365;

void (*const kAdd)(void*, const void*, const void*, size_t) = gloo::sum<float>;

// The store in which Gloo's processes publish their addresses.
class Store final : public gloo::rendezvous::Store {
 public:
  Store(const PortatuneExchangeLaunch& launch, std::string prefix) : launch_(launch), prefix_(std::move(prefix)) {}

  void set(const std::string& key, const std::vector<char>& value) override {
    PortatuneExchangeError error;
    check(launch_.put(launch_.store, (prefix_ + key).c_str(), value.data(), std::ssize(value), &error), error);
  }

  std::vector<char> get(const std::string& key) override {
    const auto take = [](void* to, const void* value, int64_t bytes) {
      const char* begin = static_cast<const char*>(value);
      static_cast<std::vector<char>*>(to)->assign(begin, begin + bytes);
    };
    PortatuneExchangeError error;
    std::vector<char> value;
    check(launch_.get(launch_.store, (prefix_ + key).c_str(), take, &value, &error), error);
    return value;
  }

  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) get(key);
  }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override { wait(keys); }

 private:
  const PortatuneExchangeLaunch& launch_;
  const std::string prefix_;
};

GlooContext group_of(PortatuneExchangeWorld& world, const Members& members) {
  GlooContext& group = world.groups[members];
  if (group) return group;
  const auto index = std::find(members.begin(), members.end(), world.launch.rank) - members.begin();
  std::string name = world.name;
  for (const int64_t member : members) name += "-" + std::to_string(member);
  Store store(world.launch, name + "/");
  const auto made =
      std::make_shared<gloo::rendezvous::Context>(static_cast<int>(index), static_cast<int>(members.size()));
  made->setTimeout(portatune::kFirstExchangeTimeout);
  made->connectFullMesh(store, world.network);
  made->setTimeout(kExchangeTimeout);
  return group = made;
}

int begin(const PortatuneExchangeLaunch* launch, PortatuneExchangeWorld** world, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    *world = new PortatuneExchangeWorld{.launch = *launch, .network = open_network(*launch), .name = "gloo"};
  });
}

void end() {}

int duplicate(PortatuneExchangeWorld* world, PortatuneExchangeWorld** copy, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    const std::string name = world->name + "." + std::to_string(world->copies++);
    *copy = new PortatuneExchangeWorld{.launch = world->launch, .network = world->network, .name = name};
  });
}

int64_t rank(const PortatuneExchangeWorld* world) { return world->launch.rank; }
int64_t size(const PortatuneExchangeWorld* world) { return world->launch.size; }
void abort(PortatuneExchangeWorld* world, int exit_code) { world->launch.abort(world->launch.store, exit_code); }

// A ring: each process adds its term to a partial sum that it gets from the previous process, and sends it to the next.
// Gloo's own algorithm works by halves and needs arrays that were prepared before.
void reduce_scatter_in_ring(gloo::Context& group, const float* x, float* part, size_t count) {
  constexpr uint64_t kSlot = uint64_t{0x70} << 56;  // differs from the slots of Gloo's own algorithms
  const int size = group.size, rank = group.rank, next = (rank + 1) % size, previous = (rank + size - 1) % size;
  std::vector<float> sum(x + static_cast<size_t>(previous) * count, x + static_cast<size_t>(previous + 1) * count);
  std::vector<float> found(count);
  const auto out = group.createUnboundBuffer(sum.data(), count * sizeof(float));
  const auto in = group.createUnboundBuffer(found.data(), count * sizeof(float));
  for (int step = 0; step + 1 < size; ++step) {
    in->recv(previous, kSlot);
    out->send(next, kSlot);
    out->waitSend(kExchangeTimeout);
    in->waitRecv(kExchangeTimeout);
    const auto index = static_cast<size_t>((rank + 2 * size - step - 2) % size);
    kAdd(sum.data(), found.data(), x + index * count, count);
  }
  std::copy(sum.begin(), sum.end(), part);
}

int all_reduce(PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count, const float* x, float* sum,
               int64_t count, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    gloo::AllreduceOptions options(group_of(*world, {members, members + member_count}));
    if (x != sum) std::copy_n(x, count, sum);
    options.setOutput(sum, static_cast<size_t>(count));
    options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
    options.setReduceFunction(kAdd);
    if (count > 0 && member_count > 1) gloo::allreduce(options);
  });
}

int all_gather(PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count, const void* part,
               int64_t bytes, void* whole, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    if (bytes == 0) return;
    gloo::AllgatherOptions options(group_of(*world, {members, members + member_count}));
    // The parameter type is not const, but Gloo does not change the memory.
    options.setInput(static_cast<char*>(const_cast<void*>(part)), static_cast<size_t>(bytes));
    options.setOutput(static_cast<char*>(whole), static_cast<size_t>(bytes * member_count));
    gloo::allgather(options);
  });
}

int reduce_scatter(PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count, const float* x,
                   float* part, int64_t count, PortatuneExchangeError* error) {
  return portatune::run_exchange(error, [&] {
    if (count == 0) return;
    const GlooContext group = group_of(*world, {members, members + member_count});
    reduce_scatter_in_ring(*group, x, part, static_cast<size_t>(count));
  });
}

const PortatuneExchangeApi kApi = {
    kPortatuneExchangeVersion, begin, end, duplicate, rank, size, abort, all_reduce, all_gather, reduce_scatter};

}  // namespace

extern "C" __attribute__((visibility("default"))) const void* portatune_exchange_api(void) { return &kApi; }
