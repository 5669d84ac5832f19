// Files by http from a local test server with the usual faults of servers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "io/http_server.h"
#include "io/remote/read_range.h"
#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/checksum/fingerprint.h"
#include "portatune/io/compress/byte_source.h"
#include "portatune/io/file/random_access_file.h"

namespace portatune::io {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string bytes_from(int64_t size) {
  std::string bytes;
  for (int64_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 2654435761u >> 11);
  return bytes;
}

const std::string& megabytes() {
  static const std::string bytes = bytes_from(9'000'000);
  return bytes;
}

std::string read_all(const std::string& url) {
  const std::unique_ptr<ByteSource> source = open_file(url);
  std::string all, block(100'000, '\0');
  while (const size_t count = source->read(block)) all.append(block, 0, count);
  return all;
}

class HttpFile : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("PORTATUNE_REMOTE_TIMEOUT");
    setenv("NETRC", "/dev/null", 1);
  }
  // Sets a short timeout for requests that cannot succeed.
  static void set_short_timeout() { setenv("PORTATUNE_REMOTE_TIMEOUT", "0.5", 1); }
};

TEST_F(HttpFile, IsReadByRanges) {
  const HttpServer server([](const HttpRequest& request) { return ranged(request, megabytes(), "\"1\""); });
  const auto file = open_random_access(server.url("/a.bin"));
  EXPECT_EQ(file->size(), std::ssize(megabytes()));
  EXPECT_EQ(file->identity(), "\"1\"");
  EXPECT_EQ(read(*file, 5'000'000, 1000), megabytes().substr(5'000'000, 1000));
  EXPECT_EQ(read(*file, std::ssize(megabytes()) - 10, 1000), megabytes().substr(megabytes().size() - 10));
  EXPECT_EQ(server.requests().back().header("range"), "bytes=8999990-8999999");
  EXPECT_EQ(read_all(server.url("/a.bin")), megabytes());
}

TEST_F(HttpFile, ASmallFileNeedsOneRequest) {
  const HttpServer server([](const HttpRequest& request) { return ranged(request, "text", "\"1\""); });
  EXPECT_EQ(read_all(server.url("/a.txt")), "text");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(HttpFile, MayBeEmpty) {
  const HttpServer server([](const HttpRequest& request) { return ranged(request, "", "\"1\""); });
  EXPECT_EQ(read_all(server.url("/a.txt")), "");
}

TEST_F(HttpFile, AMissingFileIsNotFound) {
  const HttpServer server([](const HttpRequest&) { return HttpResponse{.status = 404}; });
  expect_error<NotFoundError>([&] { open_file(server.url("/none.csv")); }, {"/none.csv", "404"});
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(HttpFile, MissingPermissionIsAnErrorWithAdviceOnCredentials) {
  const HttpServer server([](const HttpRequest&) { return HttpResponse{.status = 403}; });
  try {
    open_file(server.url("/a.csv?X-Amz-Signature=abc"));
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.error_number(), EACCES);
    EXPECT_THAT(error.what(), HasSubstr(".netrc"));
    EXPECT_THAT(error.what(), Not(HasSubstr("abc")));
  }
}

TEST_F(HttpFile, IsRetriedAfterTemporaryFaults) {
  for (const int status : {408, 429, 500, 502, 503}) {
    int requests = 0;
    const HttpServer server([&](const HttpRequest& request) {
      return ++requests % 3 != 0 ? HttpResponse{.status = status} : ranged(request, megabytes(), "\"1\"");
    });
    const auto file = open_random_access(server.url("/a.bin"));
    EXPECT_EQ(read(*file, 1'000'000, 5), megabytes().substr(1'000'000, 5)) << status;
    EXPECT_EQ(requests, 6);
  }
}

TEST_F(HttpFile, IsRetriedAfterACutBody) {
  int requests = 0;
  const HttpServer server([&](const HttpRequest& request) {
    HttpResponse response = ranged(request, megabytes(), "\"1\"");
    if (requests++ % 2 == 0) response.cut_after = 1000;
    return response;
  });
  EXPECT_EQ(read_all(server.url("/a.bin")), megabytes());
}

TEST_F(HttpFile, APersistentCutIsAnErrorWithTheReason) {
  set_short_timeout();
  const HttpServer server([&](const HttpRequest& request) {
    HttpResponse response = ranged(request, megabytes(), "\"1\"");
    response.cut_after = 1000;
    return response;
  });
  expect_error<IoError>([&] { open_file(server.url("/a.bin")); }, {"/a.bin", "bytes remaining", "attempts"});
}

TEST_F(HttpFile, ObeysRetryAfter) {
  int requests = 0;
  const HttpServer server([&](const HttpRequest& request) {
    return requests++ == 0 ? HttpResponse{.status = 429, .headers = {{"Retry-After", "1"}}}
                           : ranged(request, "x", "\"1\"");
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(read_all(server.url("/a.txt")), "x");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST_F(HttpFile, AWaitBeyondTheTimeoutIsAnErrorAtOnce) {
  const HttpServer server([](const HttpRequest&) {
    return HttpResponse{.status = 503, .headers = {{"Retry-After", "3600"}}};
  });
  expect_error<IoError>([&] { open_file(server.url("/a.txt")); }, {"HTTP status 503", "3600 s"});
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(HttpFile, TimesOutOnADeadServer) {
  set_short_timeout();
  std::string url;
  {
    const HttpServer server([](const HttpRequest&) { return HttpResponse{}; });
    url = server.url("/a.csv");
  }
  expect_error<IoError>([&] { open_file(url); }, {"/a.csv", "attempts", "PORTATUNE_REMOTE_TIMEOUT"});
}

TEST_F(HttpFile, TimesOutOnASilentServer) {
  set_short_timeout();
  const HttpServer server([](const HttpRequest&) { return HttpResponse{.hangs = true}; });
  expect_error<IoError>([&] { open_file(server.url("/a.csv")); }, {"/a.csv", "imed out"});
}

TEST_F(HttpFile, AChangeDuringReadingIsAnError) {
  std::string etag = "\"1\"", bytes = megabytes();
  const HttpServer server([&](const HttpRequest& request) { return ranged(request, bytes, etag); });
  const auto file = open_random_access(server.url("/a.bin"));
  etag = "\"2\"";
  expect_error<DataError>([&] { read(*file, 1'000'000, 5); }, {"/a.bin", "\"2\"", "\"1\""});
  etag = "\"1\"";
  bytes.resize(2'000'000);
  expect_error<DataError>([&] { read(*file, 1'000'000, 5); }, {"/a.bin", "2000000 bytes", "9000000 bytes"});
  expect_error<DataError>([&] { read(*file, 8'000'000, 5); }, {"2000000 bytes"});  // 416
}

TEST_F(HttpFile, AServerWithoutRangesIsAnError) {
  const HttpServer server([](const HttpRequest&) { return HttpResponse{.body = megabytes()}; });
  expect_error<IoError>([&] { open_file(server.url("/a.bin")); }, {"/a.bin", "whole file", "206"});
}

TEST_F(HttpFile, ASmallFileNeedsNoRanges) {
  const HttpServer server([](const HttpRequest&) { return HttpResponse{.body = "small"}; });
  EXPECT_EQ(read_all(server.url("/a.txt")), "small");
}

TEST_F(HttpFile, RedirectsAreFollowed) {
  const HttpServer target([](const HttpRequest& request) { return ranged(request, megabytes(), "\"1\""); });
  const HttpServer server([&](const HttpRequest&) {
    return HttpResponse{.status = 302, .headers = {{"Location", target.url("/b?sig=1")}}};
  });
  EXPECT_EQ(read_all(server.url("/a")), megabytes());
  EXPECT_EQ(server.requests().size(), 1u);  // later requests use the stored target
}

TEST_F(HttpFile, AnExpiredRedirectIsResolvedAgain) {
  bool ended = false;
  const HttpServer target([&](const HttpRequest& request) {
    if (ended && request.path() == "/first") return HttpResponse{.status = 403};
    return ranged(request, megabytes(), "\"1\"");
  });
  const HttpServer server([&](const HttpRequest&) {
    return HttpResponse{.status = 302, .headers = {{"Location", target.url(ended ? "/second" : "/first")}}};
  });
  const auto file = open_random_access(server.url("/a"));
  ended = true;
  EXPECT_EQ(read(*file, 1'000'000, 5), megabytes().substr(1'000'000, 5));
}

TEST_F(HttpFile, CircularRedirectsAreAnError) {
  const HttpServer server([&](const HttpRequest&) {
    return HttpResponse{.status = 302, .headers = {{"Location", "/again"}}};
  });
  expect_error<IoError>([&] { open_file(server.url("/a")); }, {"/a", "more than 5 redirects"});
}

TEST_F(HttpFile, CredentialsAreSentOnlyToTheirHost) {
  const std::string netrc = write_file("netrc", "machine 127.0.0.1 login me password word\n");
  setenv("NETRC", netrc.c_str(), 1);
  const HttpServer target([](const HttpRequest& request) { return ranged(request, "x", "\"1\""); });
  const HttpServer server([&](const HttpRequest&) {
    return HttpResponse{.status = 302, .headers = {{"Location", target.url("/b")}}};
  });
  EXPECT_EQ(read_all(server.url("/a")), "x");
  EXPECT_EQ(server.requests().at(0).header("authorization"), "Basic bWU6d29yZA==");  // me:word
  EXPECT_EQ(target.requests().at(0).header("authorization"), "");
}

TEST_F(HttpFile, CredentialsFollowARelativeRedirect) {
  const std::string netrc = write_file("netrc", "machine 127.0.0.1 login me password word\n");
  setenv("NETRC", netrc.c_str(), 1);
  const HttpServer server([](const HttpRequest& request) {
    if (request.path() == "/a") return HttpResponse{.status = 302, .headers = {{"Location", "/b c?x=1"}}};
    return ranged(request, "x", "\"1\"");
  });
  EXPECT_EQ(read_all(server.url("/a")), "x");
  EXPECT_EQ(server.requests().at(1).target, "/b%20c?x=1");
  EXPECT_EQ(server.requests().at(1).header("authorization"), "Basic bWU6d29yZA==");  // me:word
}

TEST_F(HttpFile, OnlyLocalFilesAreReadWithoutTls) {
  expect_error<UsageError>([] { open_file("http://192.0.2.1/a.csv"); }, {"http://192.0.2.1/a.csv", "https://"});
  const HttpServer server([](const HttpRequest&) {
    return HttpResponse{.status = 302, .headers = {{"Location", "http://192.0.2.1/a.csv"}}};
  });
  expect_error<UsageError>([&] { open_file(server.url("/a.csv")); }, {"192.0.2.1", "https://"});
}

TEST_F(HttpFile, PasswordsInUrlsAreRefused) {
  try {
    open_file("https://me:word@127.0.0.1/a.csv");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(".netrc"));
    EXPECT_THAT(error.what(), Not(HasSubstr("me:word")));
  }
}

TEST_F(HttpFile, OtherSchemesAreRefused) {
  expect_error<UsageError>([] { open_file("ftp://host/a.csv"); },
                           {"ftp://host/a.csv", "https://, s3://, gs:// or hf://"});
  expect_error<UsageError>([] { open_file("https://a b/c"); }, {"https://a b/c", "an invalid URL"});
}

TEST_F(HttpFile, AStopRequestEndsTheWait) {
  const HttpServer server([](const HttpRequest& request) {
    return request.path() == "/hangs" ? HttpResponse{.hangs = true} : HttpResponse{.status = 503};
  });
  for (const char* path : {"/hangs", "/busy"}) {
    StopSource stop;
    const StopScope scope(stop.token());
    auto opened = std::async(std::launch::async, with_current_stop([&] { open_file(server.url(path)); }));
    EXPECT_EQ(opened.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
    stop.request_stop();
    EXPECT_THROW(opened.get(), Stopped);
  }
}

TEST_F(HttpFile, TheFingerprintCoversTheIdentityOrElseTheBytes) {
  std::string etag = "\"1\"", bytes = megabytes();
  const HttpServer server([&](const HttpRequest& request) {
    HttpResponse response = ranged(request, bytes, etag);
    if (etag.empty()) response.headers.erase(response.headers.begin());
    return response;
  });
  const std::string url = server.url("/a.bin");
  const std::string first = fingerprint(url);
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(fingerprint(url), first);
  etag = "\"2\"";
  EXPECT_NE(fingerprint(url), first);
  etag = "";
  const TemporaryFolder folder;
  write_text(folder / "a", bytes);
  EXPECT_EQ(fingerprint(url), fingerprint(folder / "a"));
}

}  // namespace
}  // namespace portatune::io
