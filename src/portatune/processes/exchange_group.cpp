#include "portatune/processes/exchange_group.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "portatune/base/watchdog.h"
#include "portatune/error.h"
#include "portatune/io/plugin/own_plugin.h"
#include "portatune/processes/exchange_plugin.h"
#include "portatune/processes/key_value_server.h"
#include "portatune/processes/key_value_store.h"

namespace portatune {
namespace {

using namespace std::chrono_literals;

// The store tells which process has vanished, and that is what shall be read, not that a connection has ended.
constexpr auto kToBeToldWhy = 5s;
constexpr auto kToJoinAtTheEnd = 10s;
constexpr auto kToAnswer = 1min;

// How keys begin, beside kOwnKeys.
constexpr const char* kUsersKeys = "user/";
constexpr const char* kPluginsKeys = "plugin/";

constexpr io::OwnPlugin kMpi{.file = "libportatune_mpi.so",
                             .variable = "PORTATUNE_MPI_PLUGIN",
                             .function = "portatune_exchange_api",
                             .version = kPortatuneExchangeVersion,
                             .needed_for = "several processes exchange arrays by MPI"};
constexpr io::OwnPlugin kGloo{.file = "libportatune_gloo.so",
                              .variable = "PORTATUNE_GLOO_PLUGIN",
                              .function = "portatune_exchange_api",
                              .version = kPortatuneExchangeVersion,
                              .needed_for = "several processes exchange arrays by Gloo"};

const PortatuneExchangeApi& open(const io::OwnPlugin& plugin, int64_t processes) {
  return *static_cast<const PortatuneExchangeApi*>(
      io::open_own_plugin(plugin, std::to_string(processes) + " processes"));
}

void require(int failed, const PortatuneExchangeError& error) {
  if (failed == 0) return;
  throw DeviceError({.where = "an exchange between processes",
                     .given = error.message,
                     .expected = "an answer of the others",
                     .fix = "look at what they print: one may have ended"});
}

// Where the processes find each other, if no launcher of MPI tells them.
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

  // In process 0, which is the one to say who is missing; the others may go on meanwhile.
  void wait_for_all() {
    if (!server_ || server_->wait_until_joined(timeout_)) return;
    has_waited_in_vain_ = true;
    throw_missing(who_is_missing());
  }

  // errors  DeviceError if some have not joined, for which the others have waited
  void require_all() {
    if (const std::string ranks = missing(); !ranks.empty()) throw_missing(not_begun(ranks));
  }

  void abort(int exit_code) {
    wait_for_latecomers();
    session_.abort(exit_code);
  }

 private:
  // Of the plugin. If process 0 is gone, the session tells why, which shall be read.
  template <class Question>
  static int ask(PortatuneExchangeError* error, const Question& question) {
    return run_exchange(error, [&] {
      try {
        question();
      } catch (const DeviceError&) {
        std::this_thread::sleep_for(kToBeToldWhy);
        throw;
      }
    });
  }

  static int address(void* store, void (*take)(void*, const char*), void* to, PortatuneExchangeError* error) {
    return ask(error, [&] { take(to, of(store).address_for_others().c_str()); });
  }

  // Who reaches process 0 without a network is on its machine, which others know by another address.
  std::string address_for_others() {
    const std::string own = session_.address();
    if (!is_loopback(own)) return own;
    const std::optional<std::string> machine = store_.get(kMachineKey, timeout_);
    if (!machine) throw std::runtime_error(who_is_missing());
    return machine->empty() ? own : *machine;
  }

  static int put(void* store, const char* key, const void* value, int64_t bytes, PortatuneExchangeError* error) {
    return ask(error, [&] {
      of(store).store_.put(kPluginsKeys + std::string(key),
                           {static_cast<const char*>(value), static_cast<size_t>(bytes)});
    });
  }

  static int get(void* store, const char* key, void (*take)(void*, const void*, int64_t), void* to,
                 PortatuneExchangeError* error) {
    return ask(error, [&] {
      const std::optional<std::string> value =
          of(store).store_.get(kPluginsKeys + std::string(key), kToComeToAnExchange);
      if (!value) throw std::runtime_error(of(store).who_is_missing());
      take(to, value->data(), std::ssize(*value));
    });
  }

  static void abort(void* store, int exit_code) { of(store).abort(exit_code); }

  // In process 0, before its end: those that come later would wait for one that is not there any more.
  void wait_for_latecomers() {
    if (server_ && !has_waited_in_vain_) server_->wait_until_joined(kToJoinAtTheEnd);
  }

  // "1, 3"; empty if all have joined.
  std::string missing() {
    std::string missing;
    for (int64_t rank = 0; rank < launch_.size; ++rank) {
      if (!store_.get(joined_key(rank), 0ms)) missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
    }
    return missing;
  }

  static std::string not_begun(const std::string& ranks) {
    return ranks.find(',') == std::string::npos ? "process " + ranks + " has not begun"
                                                : "processes " + ranks + " have not begun";
  }

  std::string who_is_missing() {
    const std::string ranks = missing();
    return ranks.empty() ? "a process that is there, but takes no part in the exchange" : not_begun(ranks);
  }

  [[noreturn]] void throw_missing(const std::string& who) {
    throw DeviceError({.where = "the launch",
                       .given = who + " within " + std::to_string(timeout_ / 1s) + " s",
                       .expected = "all " + std::to_string(launch_.size) + " processes",
                       .fix = "look at what they say; PORTATUNE_LAUNCH_TIMEOUT_S gives them longer"});
  }

  static Meeting& of(void* store) { return *static_cast<Meeting*>(store); }

  const std::unique_ptr<KeyValueServer> server_;  // in process 0
  TcpKeyValueStore store_;
  const std::shared_ptr<KeyValueStore> users_;
  std::atomic<bool> has_waited_in_vain_ = false;  // of which the session's thread asks
  Session session_;
  const std::chrono::milliseconds timeout_;
  const PortatuneExchangeLaunch launch_;
};

class ExchangeGroup final : public ProcessGroup {
 public:
  // The world lives as long as the process. meeting: null with MPI.
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
    if (failed != 0 && meeting_) std::this_thread::sleep_for(kToBeToldWhy);
    require(failed, error);
    note_progress();
  }

  // Process 0 tells the others where it is, by MPI.
  std::shared_ptr<KeyValueStore> store_at_process_0() {
    struct Place {
      std::array<char, 252> host;
      int32_t port;
    } place{};
    gethostname(place.host.data(), place.host.size() - 1);
    const std::string own_host = place.host.data();
    if (rank() == 0) {
      server_ = std::make_unique<KeyValueServer>(size(), 0);
      place.port = server_->port();
    }
    std::vector<Place> places(static_cast<size_t>(size()));
    all_gather(everyone(), std::as_bytes(std::span(&place, 1)), std::as_writable_bytes(std::span(places)));
    const std::string host = places[0].host.data();
    // A machine need not know its own name.
    return std::make_shared<TcpKeyValueStore>(host == own_host ? "localhost" : host, places[0].port, kToAnswer,
                                              kUsersKeys);
  }

  const PortatuneExchangeApi& api_;
  PortatuneExchangeWorld* const world_;
  const std::shared_ptr<Meeting> meeting_;
  std::unique_ptr<KeyValueServer> server_;
  std::shared_ptr<KeyValueStore> store_;
};

// What has begun in this process.
struct Begun {
  const PortatuneExchangeApi* api = nullptr;
  bool has_tried_to_meet = false;
  std::shared_ptr<Meeting> meeting;
  std::shared_ptr<ProcessGroup> group;
} begun;

void require_begun(int failed, const PortatuneExchangeError& error, bool by_mpi) {
  if (failed == 0) return;
  if (by_mpi) throw DeviceError({.where = "MPI", .given = error.message, .expected = "that it begins"});
  begun.meeting->require_all();
  throw DeviceError({.where = "the network between processes",
                     .given = error.message,
                     .expected = "an address of this machine, for the others",
                     .fix = "name the interface that leads to them in GLOO_SOCKET_IFNAME, or leave it out"});
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
  // Plugins write to connections whose other side may have died: that shall be an error, not this process's end.
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
                    const std::function<void(int64_t rank)>& tell) {
  if (launch.by == Launch::By::kMpi) {
    const std::shared_ptr<ProcessGroup> group = launched_group(launch, timeout, on_end);
    tell(group->rank());
    group->abort(exit_code);
  }
  if (begun.has_tried_to_meet && !begun.meeting) return;
  meet(launch, timeout, on_end);
  tell(launch.rank);
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
