#include "portatune/runtime/processes/exchange_group.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "portatune/base/threads/watchdog.h"
#include "portatune/error.h"
#include "portatune/io/plugin/own_plugin.h"
#include "portatune/runtime/processes/exchange_plugin.h"
#include "portatune/runtime/processes/key_value_server.h"
#include "portatune/runtime/processes/key_value_store.h"

namespace portatune {
namespace {

using namespace std::chrono_literals;

// After a failed exchange, the session has this long to end the process: its message names the process that was lost,
// while the error of the exchange only says that a connection has ended.
constexpr auto kFailureNoticeTimeout = 5s;
constexpr auto kLateJoinTimeout = 10s;
constexpr auto kAnswerTimeout = 1min;

// Prefixes of keys, beside kServerKeys.
constexpr const char* kUsersKeys = "user/";
constexpr const char* kPluginsKeys = "plugin/";

constexpr io::OwnPlugin kMpi{.file = "libportatune_mpi.so",
                             .variable = "PORTATUNE_MPI_PLUGIN",
                             .function = "portatune_exchange_api",
                             .version = kPortatuneExchangeVersion,
                             .needed_for = "several processes exchange arrays by MPI",
                             .fix = "install Open MPI 4: apt-get install libopenmpi3"};
constexpr io::OwnPlugin kGloo{.file = "libportatune_gloo.so",
                              .variable = "PORTATUNE_GLOO_PLUGIN",
                              .function = "portatune_exchange_api",
                              .version = kPortatuneExchangeVersion,
                              .needed_for = "several processes exchange arrays by Gloo",
                              .fix = "install the wheel of Portatune again"};

const PortatuneExchangeApi& open(const io::OwnPlugin& plugin, int64_t processes) {
  return *static_cast<const PortatuneExchangeApi*>(
      io::open_own_plugin(plugin, std::to_string(processes) + " processes"));
}

void require(int failed, const PortatuneExchangeError& error) {
  if (failed == 0) return;
  throw DeviceError({.where = "an exchange between processes",
                     .given = error.message,
                     .expected = "answers from the other processes",
                     .fix = "read their output: one of them may have ended"});
}

// The connection of the processes to each other by the store of process 0, without MPI.
class Meeting {
 public:
  Meeting(const Launch& launch, std::chrono::milliseconds timeout, const std::function<void(const Ending&)>& on_end)
      : server_(launch.rank == 0 ? std::make_unique<KeyValueServer>(launch.size, launch.port) : nullptr),
        store_(launch.host, launch.port, timeout),
        users_(std::make_shared<TcpKeyValueStore>(launch.host, launch.port, timeout, kUsersKeys)),
        session_(launch.host, launch.port, timeout, {.rank = launch.rank, .size = launch.size},
                 [this, on_end](const Ending& ending) {
                   wait_for_latecomers();
                   on_end(ending);
                 }),
        timeout_(timeout),
        launch_{.rank = launch.rank,
                .size = launch.size,
                .store = this,
                .address = address,
                .put = put,
                .get = get,
                .abort = abort} {}

  const PortatuneExchangeLaunch& launch() const { return launch_; }
  const std::shared_ptr<KeyValueStore>& store() const { return users_; }
  std::optional<Ending> leave() { return session_.leave(); }

  // Waits in process 0, which reports missing processes; the others continue meanwhile.
  void wait_for_all() {
    if (!server_ || server_->wait_until_joined(timeout_)) return;
    has_waited_in_vain_ = true;
    throw_missing(who_is_missing());
  }

  // Throws a DeviceError if some processes have not joined in time. Before that they may still join.
  void require_all() {
    if (std::chrono::steady_clock::now() - begin_ < timeout_) return;
    if (const std::string ranks = missing(); !ranks.empty()) throw_missing(not_joined(ranks));
  }

  void abort(int exit_code) {
    wait_for_latecomers();
    session_.abort(exit_code);
  }

 private:
  // Runs a request of the plug-in. If process 0 is lost, the session gets time to report it first.
  template <class Request>
  static int run_request(PortatuneExchangeError* error, const Request& request) {
    return run_exchange(error, [&] {
      try {
        request();
      } catch (const DeviceError&) {
        std::this_thread::sleep_for(kFailureNoticeTimeout);
        throw;
      }
    });
  }

  static int address(void* store, void (*take)(void*, const char*), void* to, PortatuneExchangeError* error) {
    return run_request(error, [&] { take(to, of(store).address_for_others().c_str()); });
  }

  // A process with a loopback connection to process 0 is on the same machine, whose address other machines know.
  std::string address_for_others() {
    const std::string own = session_.address();
    if (!is_loopback(own)) return own;
    const std::optional<std::string> machine = store_.get(kMachineKey, timeout_);
    if (!machine) throw std::runtime_error(who_is_missing());
    return machine->empty() ? own : *machine;
  }

  static int put(void* store, const char* key, const void* value, int64_t bytes, PortatuneExchangeError* error) {
    return run_request(error, [&] {
      of(store).store_.put(kPluginsKeys + std::string(key),
                           {static_cast<const char*>(value), static_cast<size_t>(bytes)});
    });
  }

  static int get(void* store, const char* key, void (*take)(void*, const void*, int64_t), void* to,
                 PortatuneExchangeError* error) {
    return run_request(error, [&] {
      const std::optional<std::string> value =
          of(store).store_.get(kPluginsKeys + std::string(key), kFirstExchangeTimeout);
      if (!value) throw std::runtime_error(of(store).who_is_missing());
      take(to, value->data(), std::ssize(*value));
    });
  }

  static void abort(void* store, int exit_code) { of(store).abort(exit_code); }

  // Process 0 calls it before its end; processes that join later would wait for a process that has ended.
  void wait_for_latecomers() {
    if (server_ && !has_waited_in_vain_) server_->wait_until_joined(kLateJoinTimeout);
  }

  // The ranks that have not joined: "1, 3"; empty if all have.
  std::string missing() {
    std::string missing;
    for (int64_t rank = 0; rank < launch_.size; ++rank) {
      if (!store_.get(joined_key(rank), 0ms)) missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
    }
    return missing;
  }

  static std::string not_joined(const std::string& ranks) {
    return ranks.find(',') == std::string::npos ? "process " + ranks + " has not joined"
                                                : "processes " + ranks + " have not joined";
  }

  std::string who_is_missing() {
    const std::string ranks = missing();
    return ranks.empty() ? "a process that has joined but takes no part in the exchange" : not_joined(ranks);
  }

  [[noreturn]] void throw_missing(const std::string& who) {
    throw DeviceError({.where = "the launch",
                       .given = who + " within " + std::to_string(timeout_ / 1s) + " s",
                       .expected = "all " + std::to_string(launch_.size) + " processes",
                       .fix = "read their output; PORTATUNE_LAUNCH_TIMEOUT_S sets a longer timeout"});
  }

  static Meeting& of(void* store) { return *static_cast<Meeting*>(store); }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const std::unique_ptr<KeyValueServer> server_;  // null except in process 0
  TcpKeyValueStore store_;
  const std::shared_ptr<KeyValueStore> users_;
  std::atomic<bool> has_waited_in_vain_ = false;  // the session's thread reads it
  Session session_;
  const std::chrono::milliseconds timeout_;
  const PortatuneExchangeLaunch launch_;
};

class ExchangeGroup final : public ProcessGroup {
 public:
  // The world must live as long as the process; the meeting is null with MPI.
  ExchangeGroup(const PortatuneExchangeApi& api, PortatuneExchangeWorld* world, std::shared_ptr<Meeting> meeting)
      : api_(api), world_(world), meeting_(std::move(meeting)) {}

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
    PortatuneExchangeWorld* copy = nullptr;
    call(api_.duplicate, &copy);
    return std::make_shared<ExchangeGroup>(api_, copy, meeting_);
  }

  std::shared_ptr<KeyValueStore> store() override {
    if (!store_) store_ = meeting_ ? meeting_->store() : store_at_process_0();
    return store_;
  }

  void abort(int exit_code) override {
    api_.abort(world_, exit_code);
    std::_Exit(exit_code);
  }

 private:
  template <class Function, class... Arguments>
  void call(Function function, Arguments... arguments) {
    PortatuneExchangeError error;
    const int failed = function(world_, arguments..., &error);
    if (failed != 0 && meeting_) std::this_thread::sleep_for(kFailureNoticeTimeout);
    require(failed, error);
    note_progress();
  }

  // A store at process 0, which sends its address to the others by MPI.
  std::shared_ptr<KeyValueStore> store_at_process_0() {
    struct Address {
      std::array<char, 252> host;
      int32_t port;
    } address{};
    gethostname(address.host.data(), address.host.size() - 1);
    const std::string own_host = address.host.data();
    if (rank() == 0) {
      server_ = std::make_unique<KeyValueServer>(size(), 0);
      address.port = server_->port();
    }
    std::vector<Address> addresses(static_cast<size_t>(size()));
    all_gather(everyone(), std::as_bytes(std::span(&address, 1)), std::as_writable_bytes(std::span(addresses)));
    const std::string host = addresses[0].host.data();
    // A machine may not be able to resolve its own name.
    return std::make_shared<TcpKeyValueStore>(host == own_host ? "localhost" : host, addresses[0].port, kAnswerTimeout,
                                              kUsersKeys);
  }

  const PortatuneExchangeApi& api_;
  PortatuneExchangeWorld* const world_;
  const std::shared_ptr<Meeting> meeting_;
  std::unique_ptr<KeyValueServer> server_;
  std::shared_ptr<KeyValueStore> store_;
};

// The exchanges of this process: the plug-in, the connection and the group.
struct Begun {
  const PortatuneExchangeApi* api = nullptr;
  bool has_tried_to_meet = false;
  std::shared_ptr<Meeting> meeting;
  std::shared_ptr<ProcessGroup> group;
} begun;

void require_begun(int failed, const PortatuneExchangeError& error, bool by_mpi) {
  if (failed == 0) return;
  if (by_mpi) throw DeviceError({.where = "MPI", .given = error.message, .expected = "MPI_Init_thread to succeed"});
  begun.meeting->require_all();
  throw DeviceError({.where = "the network between processes",
                     .given = error.message,
                     .expected = "an address of this machine that the other processes can reach",
                     .fix = "set GLOO_SOCKET_IFNAME to the network interface that leads to them, or unset it"});
}

void meet(const Launch& launch, std::chrono::milliseconds timeout, const std::function<void(const Ending&)>& on_end) {
  begun.has_tried_to_meet = true;
  if (!begun.meeting) begun.meeting = std::make_shared<Meeting>(launch, timeout, on_end);
}

}  // namespace

std::shared_ptr<ProcessGroup> launched_group(const Launch& launch, std::chrono::milliseconds timeout,
                                             const std::function<void(const Ending&)>& on_end) {
  if (begun.group) return begun.group;
  const bool by_mpi = launch.by == Launch::By::kMpi;
  // A write to a connection whose other side has died must be an error, not the end of this process.
  std::signal(SIGPIPE, SIG_IGN);
  const PortatuneExchangeApi& api = open(by_mpi ? kMpi : kGloo, launch.size);
  if (!by_mpi) {
    meet(launch, timeout, on_end);
    begun.meeting->wait_for_all();
  }
  PortatuneExchangeError error;
  PortatuneExchangeWorld* world = nullptr;
  require_begun(api.begin(by_mpi ? nullptr : &begun.meeting->launch(), &world, &error), error, by_mpi);
  begun.api = &api;
  begun.group = std::make_shared<ExchangeGroup>(api, world, begun.meeting);
  return begun.group;
}

void abort_launched(const Launch& launch, std::chrono::milliseconds timeout,
                    const std::function<void(const Ending&)>& on_end, int exit_code,
                    const std::function<void(int64_t rank)>& report) {
  if (launch.by == Launch::By::kMpi) {
    const std::shared_ptr<ProcessGroup> group = launched_group(launch, timeout, on_end);
    report(group->rank());
    group->abort(exit_code);
  }
  if (begun.has_tried_to_meet && !begun.meeting) return;
  meet(launch, timeout, on_end);
  report(launch.rank);
  begun.meeting->abort(exit_code);
  std::_Exit(exit_code);
}

std::optional<Ending> end_launched_group() {
  if (begun.api == nullptr) return {};
  std::optional<Ending> ending;
  if (begun.meeting) ending = begun.meeting->leave();
  if (!ending) begun.api->end();
  begun = {};
  return ending;
}

}  // namespace portatune
