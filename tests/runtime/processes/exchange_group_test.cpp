// Exchanges of real processes over Gloo, on this machine.
#include "portatune/runtime/processes/exchange_group.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "portatune/error.h"
#include "portatune/runtime/processes/key_value_store.h"
#include "portatune/runtime/processes/socket.h"
#include "runtime/processes/free_port.h"

namespace portatune {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Body = std::function<bool(ProcessGroup& group)>;

int port = 0;  // port of process 0

struct Conditions {
  std::array<std::string, 2> host = {"127.0.0.1", "127.0.0.1"};  // host of process 0 for itself and for the others
  std::chrono::milliseconds timeout = 20s;
  std::function<void(int64_t rank)> before = {};  // runs in each process before it joins
};

// Runs the body in `size` processes and returns their exit codes by rank: 0 for true, 1 for false, 2 after an error,
// 128 + n after signal n, and the exit code of another process whose failure ended this one.
std::vector<int> exit_codes_of(int64_t size, const Body& body, const Conditions& conditions = {}) {
  setenv("PORTATUNE_GLOO_PLUGIN", PORTATUNE_GLOO, 1);
  port = test::free_port();
  std::vector<pid_t> processes;
  for (int64_t rank = 0; rank < size; ++rank) {
    processes.push_back(fork());
    if (processes.back() != 0) continue;
    alarm(60);
    if (conditions.before) conditions.before(rank);
    const std::string host = conditions.host[rank > 0];
    const Launch launch{.by = Launch::By::kEnvironment, .rank = rank, .size = size, .host = host, .port = port};
    const auto on_end = [](const Ending& ending) { _exit(ending.exit_code); };
    try {
      const auto group = launched_group(launch, conditions.timeout, on_end);
      const bool is_right = body(*group);
      if (const std::optional<Ending> ending = end_launched_group()) _exit(ending->exit_code);
      _exit(is_right ? 0 : 1);
    } catch (const Error& error) {
      const auto report = [&](int64_t) {
        std::fprintf(stderr, "process %d: %s\n", static_cast<int>(rank), error.what());
      };
      abort_launched(launch, conditions.timeout, on_end, 2, report);
      _exit(2);
    }
  }
  std::vector<int> codes;
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
  return codes;
}

void expect_true_in(int64_t size, const Body& body) {
  EXPECT_EQ(exit_codes_of(size, body), std::vector<int>(static_cast<size_t>(size), 0));
}

std::vector<int64_t> everyone(const ProcessGroup& group) {
  std::vector<int64_t> members(static_cast<size_t>(group.size()));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

// Element i of process r is i + 100 r.
std::vector<float> numbers(int64_t rank, size_t count) {
  std::vector<float> x(count);
  std::iota(x.begin(), x.end(), static_cast<float>(100 * rank));
  return x;
}

bool adds_up(ProcessGroup& group, const std::vector<int64_t>& members, size_t count) {
  const auto n = static_cast<float>(members.size());
  const auto ranks = static_cast<float>(std::accumulate(members.begin(), members.end(), int64_t{0}));
  std::vector<float> x = numbers(group.rank(), count), sum(count);
  group.all_reduce(members, x, sum);
  group.all_reduce(members, x, x);  // in place
  for (size_t i = 0; i < count; ++i) {
    if (sum[i] != n * static_cast<float>(i) + 100 * ranks || x[i] != sum[i]) return false;
  }
  return true;
}

bool gathers(ProcessGroup& group, const std::vector<int64_t>& members, size_t count) {
  const std::vector<float> x = numbers(group.rank(), count);
  std::vector<float> whole(count * members.size()), wanted;
  group.all_gather(members, std::as_bytes(std::span(x)), std::as_writable_bytes(std::span(whole)));
  for (const int64_t member : members) {
    const std::vector<float> part = numbers(member, count);
    wanted.insert(wanted.end(), part.begin(), part.end());
  }
  return whole == wanted;
}

bool scatters(ProcessGroup& group, const std::vector<int64_t>& members, size_t count) {
  const auto n = static_cast<float>(members.size());
  const auto ranks = static_cast<float>(std::accumulate(members.begin(), members.end(), int64_t{0}));
  const auto index = static_cast<size_t>(std::find(members.begin(), members.end(), group.rank()) - members.begin());
  const std::vector<float> x = numbers(group.rank(), count * members.size());
  std::vector<float> part(count);
  group.reduce_scatter(members, x, part);
  for (size_t i = 0; i < count; ++i) {
    if (part[i] != n * static_cast<float>(index * count + i) + 100 * ranks) return false;
  }
  return true;
}

bool exchanges(ProcessGroup& group, const std::vector<int64_t>& members, size_t count) {
  return adds_up(group, members, count) && gathers(group, members, count) && scatters(group, members, count);
}

TEST(GlooGroup, ExchangesArraysOfAnySize) {
  for (const int64_t size : {2, 3, 4}) {
    expect_true_in(size, [](ProcessGroup& group) {
      for (const size_t count : {1, 2, 3, 1000, 1'000'000}) {
        if (!exchanges(group, everyone(group), count)) return false;
      }
      return exchanges(group, {group.rank()}, 5) && gathers(group, everyone(group), 0);
    });
  }
}

TEST(GlooGroup, SubgroupsExchangeAtTheSameTime) {
  expect_true_in(4, [](ProcessGroup& group) {
    const int64_t other = group.rank() ^ 2;
    const std::vector<int64_t> strided = {std::min(group.rank(), other), std::max(group.rank(), other)};
    const std::vector<int64_t> neighbours = {group.rank() & ~1, group.rank() | 1};
    const std::vector<int64_t> backwards = {3, 2, 1, 0};
    for (int i = 0; i < 50; ++i) {
      if (!exchanges(group, strided, 10) || !exchanges(group, neighbours, 7)) return false;
    }
    return exchanges(group, backwards, 3);
  });
}

TEST(GlooGroup, DuplicateExchangesIndependently) {
  expect_true_in(2, [](ProcessGroup& group) {
    const auto copy = group.duplicate();
    std::atomic<bool> is_right = true;
    std::thread other([&] {
      for (int i = 0; i < 200; ++i) is_right = is_right && exchanges(*copy, everyone(group), 11);
    });
    for (int i = 0; i < 200; ++i) is_right = is_right && exchanges(group, everyone(group), 5);
    other.join();
    return is_right.load();
  });
}

TEST(GlooGroup, SharesAStore) {
  expect_true_in(3, [](ProcessGroup& group) {
    const auto key = [](int64_t rank) { return "number/" + std::to_string(rank); };
    group.store()->put(key(group.rank()), std::to_string(group.rank()));
    const int64_t next = (group.rank() + 1) % 3;
    return group.store()->get(key(next), 10s) == std::to_string(next);
  });
}

// An address by which other machines could reach this one; empty if there is none.
std::string outer_address() {
  std::string found;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text, sizeof text);
    if (!is_loopback(text)) found = text;
  }
  freeifaddrs(all);
  return found;
}

// Process 0 connects by a loopback address, as if its /etc/hosts mapped its own name to 127.0.1.1. All processes are on
// one machine here and would reach each other anyway; therefore the test also checks the published address.
TEST(GlooGroup, PublishesTheReachableAddressOfProcessZero) {
  const std::string outer = outer_address();
  if (outer.empty()) GTEST_SKIP() << "a machine without a network";
  const Body body = [&](ProcessGroup& group) {
    return exchanges(group, everyone(group), 3) && TcpKeyValueStore(outer, port, 5s).get(kMachineKey, 0ms) == outer;
  };
  EXPECT_EQ(exit_codes_of(3, body, {.host = {"127.0.0.1", outer}}), std::vector<int>(3, 0));
}

TEST(GlooGroup, AllEndWhenOneIsKilled) {
  const auto start = Clock::now();
  const std::vector<int> codes = exit_codes_of(4, [](ProcessGroup& group) {
    exchanges(group, everyone(group), 3);
    if (group.rank() == 2) raise(SIGKILL);
    for (;;) adds_up(group, everyone(group), 1000);
    return true;
  });
  EXPECT_EQ(codes, (std::vector{kLostProcess, kLostProcess, 128 + SIGKILL, kLostProcess}));
  EXPECT_LT(Clock::now() - start, 15s);
}

// The system raises SIGPIPE if Gloo writes to a process that has died before Gloo has noticed its end.
TEST(GlooGroup, SigpipeDoesNotEndAProcess) {
  expect_true_in(2, [](ProcessGroup& group) {
    raise(SIGPIPE);
    return exchanges(group, everyone(group), 3);
  });
}

TEST(GlooGroup, AllEndWhenProcessZeroIsKilled) {
  const std::vector<int> codes = exit_codes_of(3, [](ProcessGroup& group) {
    exchanges(group, everyone(group), 3);
    if (group.rank() == 0) raise(SIGKILL);
    for (;;) pause();  // other work, without an exchange
    return true;
  });
  EXPECT_EQ(codes, (std::vector{128 + SIGKILL, kLostProcess, kLostProcess}));
}

// Repeated, because a fault might notify only some of the processes.
TEST(GlooGroup, AllEndWithTheExitCodeOfTheFailedProcess) {
  for (int i = 0; i < 20; ++i) {
    for (const int64_t failing : {0, 1}) {
      const std::vector<int> codes = exit_codes_of(6, [&](ProcessGroup& group) {
        if (group.rank() == failing) group.abort(65);
        for (;;) pause();
        return true;
      });
      ASSERT_EQ(codes, std::vector<int>(6, 65));
    }
  }
}

TEST(GlooGroup, AbortEndsLateProcesses) {
  const auto start = Clock::now();
  const Body body = [](ProcessGroup& group) {
    if (group.rank() == 1) group.abort(65);
    for (;;) pause();
    return true;
  };
  const auto come_late = [](int64_t rank) {
    // With an interface, no process waits for the address that is known only after all have joined.
    setenv("GLOO_SOCKET_IFNAME", "lo", 1);
    if (rank == 2) std::this_thread::sleep_for(1s);
  };
  EXPECT_EQ(exit_codes_of(3, body, {.before = come_late}), std::vector<int>(3, 65));
  EXPECT_LT(Clock::now() - start, 8s);
}

TEST(GlooGroup, AbortEndsProcessesThatHaveLeft) {
  const std::vector<int> codes = exit_codes_of(3, [](ProcessGroup& group) {
    adds_up(group, everyone(group), 3);
    if (group.rank() != 0) return true;
    std::this_thread::sleep_for(300ms);  // writes the model
    group.abort(74);
    return false;
  });
  EXPECT_EQ(codes, std::vector<int>(3, 74));
}

TEST(GlooGroup, NamesMissingProcesses) {
  const auto start = Clock::now();
  testing::internal::CaptureStderr();
  const std::vector<int> codes = exit_codes_of(4,
                                               [](ProcessGroup&) -> bool {
                                                 for (;;) pause();
                                               },
                                               {.timeout = 3s, .before = [](int64_t rank) {
                                                  if (rank % 2 == 1) _exit(5);
                                                }});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(codes, (std::vector{2, 5, 2, 5}));
  EXPECT_NE(said.find("processes 1, 3 have not joined within 3 s"), std::string::npos) << said;
  EXPECT_LT(Clock::now() - start, 30s);
}

TEST(GlooGroup, AllEndWhenOneHasAnUnknownInterface) {
  for (const int64_t failing : {0, 1}) {
    testing::internal::CaptureStderr();
    const std::vector<int> codes = exit_codes_of(3,
                                                 [](ProcessGroup&) -> bool {
                                                   for (;;) pause();
                                                 },
                                                 {.before = [&](int64_t rank) {
                                                   if (rank == failing) setenv("GLOO_SOCKET_IFNAME", "nowhere0", 1);
                                                 }});
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(codes, std::vector<int>(3, 2)) << said;
    EXPECT_NE(said.find("GLOO_SOCKET_IFNAME"), std::string::npos) << said;
  }
}

TEST(GlooGroup, ProcessesThatHaveLeftNoticeTheLossOfProcessZero) {
  const std::vector<int> codes = exit_codes_of(3, [](ProcessGroup& group) {
    adds_up(group, everyone(group), 3);
    if (group.rank() != 0) return true;
    std::this_thread::sleep_for(300ms);
    raise(SIGKILL);
    return false;
  });
  EXPECT_EQ(codes, (std::vector{128 + SIGKILL, kLostProcess, kLostProcess}));
}

}  // namespace
}  // namespace portatune
