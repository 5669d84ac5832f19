#include "portatune/runtime/processes/key_value_store.h"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "portatune/error.h"
#include "portatune/runtime/processes/key_value_server.h"
#include "portatune/runtime/processes/session.h"
#include "runtime/processes/free_port.h"

namespace portatune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

struct Served {
  KeyValueServer server{4, 0};
  TcpKeyValueStore store{"localhost", server.port(), 5s};

  // A store with its own connection.
  TcpKeyValueStore new_store() const { return {"localhost", server.port(), 5s}; }
  Socket stranger() const { return connect_to("localhost", server.port(), 5s); }
};

bool send_text(const Socket& socket, std::string_view text) { return socket.send(std::as_bytes(std::span(text))); }

// True if the other side ends the connection.
bool ends(const Socket& socket) {
  const auto start = Clock::now();
  std::byte byte;
  return !socket.receive({&byte, 1}, start + 5s) && Clock::now() < start + 5s;
}

TEST(KeyValueStore, ReturnsStoredValues) {
  Served s;
  std::string bytes(1 << 20, 'x');
  bytes[5] = '\0';
  s.store.put("a", bytes);
  s.store.put("", "of no name");
  EXPECT_EQ(s.store.get("a", 0ms), bytes);
  EXPECT_EQ(s.store.get("", 0ms), "of no name");
  s.store.put("a", "");
  EXPECT_EQ(s.store.get("a", 0ms), "");
}

TEST(KeyValueStore, WaitsForAKeyUntilTheTimeout) {
  Served s;
  EXPECT_EQ(s.store.get("a", 0ms), std::nullopt);
  const auto start = Clock::now();
  EXPECT_EQ(s.store.get("a", 200ms), std::nullopt);
  EXPECT_GE(Clock::now() - start, 200ms);
  std::thread other([&] {
    std::this_thread::sleep_for(100ms);
    s.store.put("a", "late");
  });
  EXPECT_EQ(s.store.get("a", 60s), "late");
  other.join();
}

TEST(KeyValueStore, WaitingCallsDoNotBlockOthers) {
  Served s;
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {  // each waits for the next one, except the last
      const std::string next = "key " + std::to_string(i + 1);
      if (i == 15 || s.store.get(next, 60s) == next) ++right;
      s.store.put("key " + std::to_string(i), "key " + std::to_string(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 16);
}

TEST(KeyValueStore, ReportsNoAnswer) {
  const int port = test::free_port();
  TcpKeyValueStore store("localhost", port, 300ms);
  try {
    store.put("a", "b");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("localhost:" + std::to_string(port)));
    EXPECT_THAT(error.what(), HasSubstr("no answer within 0.3 s"));
  }
}

TEST(Socket, DetectsAConnectionToItself) {
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const auto any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  const Socket alone(socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(bind(alone.handle(), any, size), 0);
  ASSERT_EQ(getsockname(alone.handle(), any, &size), 0);
  ASSERT_EQ(connect(alone.handle(), any, size), 0);
  EXPECT_TRUE(is_to_itself(alone));
  Served s;
  EXPECT_FALSE(is_to_itself(s.stranger()));
}

TEST(KeyValueStore, ThrowsWhenTheServerIsGone) {
  std::optional<Served> s(std::in_place);
  TcpKeyValueStore store("localhost", s->server.port(), 300s);
  const auto start = Clock::now();
  store.put("b", "");
  std::thread other([&] {
    std::this_thread::sleep_for(100ms);
    s.reset();
  });
  EXPECT_THROW(store.get("a", 60s), DeviceError);  // the server ends during the wait
  other.join();
  EXPECT_THROW(store.get("a", 0ms), DeviceError);
  EXPECT_LT(Clock::now() - start, 30s);  // the long timeout is for the first answer
}

TEST(KeyValueStore, RefusesTooLargeKeysAndValues) {
  Served s;
  EXPECT_THROW(s.store.put(std::string(kMaxKeyBytes + 1, 'k'), ""), UsageError);
  const std::string large(kMaxValueBytes + 1, 'v');
  EXPECT_THROW(s.store.put("a", large), UsageError);
}

TEST(KeyValueStore, ClosesConnectionsWithOtherProtocols) {
  Served s;
  s.store.put("a", "b");
  const Socket web = s.stranger();
  ASSERT_TRUE(send_text(web, "GET / HTTP/1.1\r\nHost: portatune\r\nAccept: */*\r\n\r\n"));
  EXPECT_TRUE(ends(web));
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {  // more than the maximal number of connections
    std::string garbage(random() % 200, '\0');
    for (char& c : garbage) c = static_cast<char>(random());
    const Socket stranger = s.stranger();
    send_text(stranger, garbage);
  }
  EXPECT_EQ(s.new_store().get("a", 5s), "b");
}

TEST(KeyValueStore, ClosesConnectionsWithInvalidFrames) {
  Served s;
  const auto with_header = [&](uint32_t kind, uint32_t key_bytes, uint32_t value_bytes) {
    const uint32_t numbers[] = {0x314b5650, kind, key_bytes, value_bytes, 0, 0};
    Socket socket = s.stranger();
    socket.send(std::as_bytes(std::span(numbers)));
    return socket;
  };
  EXPECT_TRUE(ends(with_header(99, 0, 0)));
  EXPECT_TRUE(ends(with_header(0, kMaxKeyBytes + 1, 0)));
  EXPECT_TRUE(ends(with_header(0, 1, 0xffffffff)));
  const Socket unfinished = with_header(0, 10, 10);
  unfinished.shut_down();
  // A frame that only process 0 sends is not a request.
  const Socket answer = s.stranger();
  ASSERT_TRUE(send(answer, {.kind = Frame::Kind::kEnd}));
  EXPECT_EQ(receive_frame(answer)->kind, Frame::Kind::kRefused);
  s.new_store().put("a", "b");
  EXPECT_EQ(s.new_store().get("a", 0ms), "b");
}

TEST(KeyValueStore, ClosesSlowConnections) {
  Served s;
  const Socket slow = s.stranger();
  const uint32_t numbers[] = {0x314b5650, 0, 100, 0, 0, 0};
  slow.send(std::as_bytes(std::span(numbers)));
  const auto start = Clock::now();
  while (send_text(slow, "x") && Clock::now() < start + 30s)
    std::this_thread::sleep_for(500ms);  // the key has 100 bytes
  EXPECT_LT(Clock::now(), start + 25s);
}

TEST(KeyValueStore, ServerKeysAreReadOnly) {
  Served s;
  EXPECT_THROW(s.store.put(joined_key(1), ""), DeviceError);
  EXPECT_EQ(s.store.get(joined_key(1), 0ms), std::nullopt);
  const Session session("localhost", s.server.port(), 5s, {.rank = 1, .size = 4}, [](const Ending&) {});
  EXPECT_EQ(s.store.get(joined_key(1), 0ms), "");
}

TEST(KeyValueStore, PrefixesKeepKeysApart) {
  Served s;
  TcpKeyValueStore one("localhost", s.server.port(), 5s, "one/"), two("localhost", s.server.port(), 5s, "two/");
  one.put("a", "1");
  EXPECT_EQ(two.get("a", 0ms), std::nullopt);
  EXPECT_EQ(one.get("a", 0ms), "1");
  EXPECT_EQ(s.store.get("one/a", 0ms), "1");
}

TEST(KeyValueStore, ReportsTheReasonOfARefusal) {
  Served s;
  try {
    s.store.put(joined_key(0), "");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a key reserved for the server"));
  }
}

TEST(KeyValueStore, LimitsTheNumberOfConnections) {
  Served s;
  std::vector<Socket> strangers;
  for (int i = 0; i < 64 + 16 * 4; ++i) {
    strangers.push_back(s.stranger());
    ASSERT_TRUE(send(strangers.back(), {.kind = Frame::Kind::kPut, .key = "a"}));
    ASSERT_TRUE(receive_frame(strangers.back()));
  }
  EXPECT_TRUE(ends(s.stranger()));
  strangers.clear();
  for (int i = 0; i < 100; ++i) {  // until the server has noticed their end
    if (const Socket next = s.stranger(); send(next, {.kind = Frame::Kind::kPut, .key = "a"}) && receive_frame(next))
      return;
    std::this_thread::sleep_for(20ms);
  }
  FAIL() << "no room again";
}

}  // namespace
}  // namespace portatune
