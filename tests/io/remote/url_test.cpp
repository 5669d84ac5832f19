#include "portatune/io/remote/url.h"

#include <gtest/gtest.h>

namespace portatune::io {
namespace {

TEST(Url, LoopbackIsOnlyAnUnambiguousName) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "[::1]"}) {
    EXPECT_TRUE(Url("http://" + std::string(host) + ":8080/a").is_loopback()) << host;
  }
  for (const char* host : {"127.example.com", "127.0.0.1.example.com", "127.0.0.1e", "128.0.0.1", "10.127.0.1",
                           "localhost.example.com", "[::2]"}) {
    EXPECT_FALSE(Url("http://" + std::string(host) + ":8080/a").is_loopback()) << host;
  }
}

}  // namespace
}  // namespace portatune::io
