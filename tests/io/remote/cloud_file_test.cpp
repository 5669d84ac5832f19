// Objects of s3:// and gs://, served by a local test server for both. The tests are skipped if the plug-in is not
// built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <future>

#include "io/object_store.h"
#include "io/remote/read_range.h"
#include "io/table_file.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/checksum/fingerprint.h"
#include "portatune/io/compress/byte_source.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/remote/cloud.h"
#include "portatune/io/remote/url_pattern.h"

namespace portatune::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ObjectStore& the_store() {
  static ObjectStore store;
  return store;
}

// The parameter is the scheme of the cloud.
class CloudFile : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(PORTATUNE_ARROW_PLUGIN_FILE)) GTEST_SKIP() << "no plug-in for Arrow";
    setenv("PORTATUNE_ARROW_PLUGIN", PORTATUNE_ARROW_PLUGIN_FILE, 1);
    unsetenv("PORTATUNE_REMOTE_TIMEOUT");
    store_.fail_next(0, {});
  }
  void TearDown() override { store_.fail_next(0, {}); }

  std::string url(const std::string& object) const { return std::string(GetParam()) + "://" + object; }
  void put(const std::vector<std::string>& keys) const {
    for (const std::string& key : keys) store_.put("listed/" + key, "x");
  }

  ObjectStore& store_ = the_store();
};

TEST_P(CloudFile, IsReadByRanges) {
  std::string bytes(9'000'000, 'x');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 11);
  store_.put("b/data/a.bin", bytes);
  const auto file = open_random_access(url("b/data/a.bin"));
  EXPECT_EQ(file->size(), 9'000'000);
  EXPECT_EQ(read(*file, 5'000'000, 1000), bytes.substr(5'000'000, 1000));
  EXPECT_EQ(read(*file, 8'999'990, 1000), bytes.substr(8'999'990));
  const std::unique_ptr<ByteSource> source = open_file(url("b/data/a.bin"));
  std::string all, block(1'000'000, '\0');
  while (const size_t count = source->read(block)) all.append(block, 0, count);
  EXPECT_EQ(all, bytes);
}

// The system raises SIGPIPE if a client writes to a closed connection.
TEST_P(CloudFile, SurvivesABrokenConnection) {
  store_.put("b/data/small.bin", "x");
  EXPECT_EQ(open_random_access(url("b/data/small.bin"))->size(), 1);
  std::raise(SIGPIPE);
}

TEST_P(CloudFile, NamesAreLiteral) {
  for (const char* name : {"b/a b.csv", "b/a%20b.csv", "b/a+b&c=d.csv", "b/x#y?z.csv", "b/\xc3\xa9.csv"}) {
    store_.put(name, name);
    EXPECT_EQ(read(*open_random_access(url(name)), 0, 100), name);
  }
}

TEST_P(CloudFile, MayBeEmpty) {
  store_.put("b/empty", "");
  EXPECT_EQ(open_file(url("b/empty"))->size(), 0);
}

TEST_P(CloudFile, AMissingObjectIsNotFound) {
  expect_error<NotFoundError>([&] { open_file(url("b/none.csv")); }, {"b/none.csv", "no such object"});
}

TEST_P(CloudFile, MissingPermissionIsAnErrorWithAdviceOnCredentials) {
  store_.put("b/a", "x");
  store_.fail_next(1, {.status = 403, .body = R"({"error":{"code":403,"message":"no"}})"});
  try {
    open_file(url("b/a"));
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.error_number(), EACCES) << error.what();
    const bool is_s3 = std::string(GetParam()) == "s3";
    EXPECT_THAT(error.what(), HasSubstr(is_s3 ? "AWS_ACCESS_KEY_ID" : "GOOGLE_APPLICATION_CREDENTIALS"));
    EXPECT_THAT(error.what(), Not(HasSubstr("secret-of-the-test")));
  }
}

TEST_P(CloudFile, IsRetriedAfterTemporaryFaults) {
  store_.put("b/a", "text");
  for (const int status : {429, 500, 503}) {
    store_.fail_next(1, {.status = status});
    const auto file = open_random_access(url("b/a"));
    store_.fail_next(1, {.status = status});
    EXPECT_EQ(read(*file, 1, 2), "ex") << status;
  }
}

TEST_P(CloudFile, IsRetriedAfterACutBody) {
  const std::string bytes(100'000, 'y');
  store_.put("b/a", bytes);
  const auto file = open_random_access(url("b/a"));
  store_.fail_next(
      1, {.status = 206, .headers = {{"Content-Range", "bytes 0-99999/100000"}}, .body = bytes, .cut_after = 1000});
  EXPECT_EQ(read(*file, 0, 100'000), bytes);
}

TEST_P(CloudFile, TimesOutOnABusyServer) {
  setenv("PORTATUNE_REMOTE_TIMEOUT", "1", 1);
  store_.put("b/a", "text");
  store_.fail_always({.status = 503});
  expect_error<IoError>([&] { open_file(url("b/a")); }, {"b/a", "attempt", "PORTATUNE_REMOTE_TIMEOUT"});
}

TEST_P(CloudFile, TimesOutOnASilentServer) {
  setenv("PORTATUNE_REMOTE_TIMEOUT", "0.5", 1);
  store_.put("b/a", "text");
  store_.fail_always({.status = 503, .hangs = true});
  expect_error<IoError>([&] { open_file(url("b/a")); }, {"b/a", "no answer in time"});
}

TEST_P(CloudFile, AStopRequestEndsTheWait) {
  store_.put("b/a", "text");
  store_.fail_always({.status = 503});
  StopSource stop;
  const StopScope scope(stop.token());
  auto opened = std::async(std::launch::async, with_current_stop([&] { open_file(url("b/a")); }));
  EXPECT_EQ(opened.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  stop.request_stop();
  EXPECT_THROW(opened.get(), Stopped);
}

TEST_P(CloudFile, AChangeDuringReadingIsAnError) {
  store_.put("b/a", "first");
  const std::string first = fingerprint(url("b/a"));
  EXPECT_EQ(fingerprint(url("b/a")), first);
  const auto file = open_random_access(url("b/a"));
  store_.put("b/a", "other");
  expect_error<DataError>([&] { read(*file, 0, 5); }, {"b/a", "no other program changes"});
  EXPECT_NE(fingerprint(url("b/a")), first);
}

TEST_P(CloudFile, PatternsAndFoldersList) {
  put({"t/part-1.csv", "t/part-0.csv", "t/part-10.csv", "t/other.csv", "t/.part-2.csv", "u/part-3.csv",
       "t/d/part-4.csv"});
  EXPECT_THAT(url_matches(url("listed/t/part-*.csv")),
              ElementsAre(url("listed/t/part-0.csv"), url("listed/t/part-1.csv"), url("listed/t/part-10.csv")));
  EXPECT_THAT(url_matches(url("listed/[tu]/part-?.csv")),
              ElementsAre(url("listed/t/part-0.csv"), url("listed/t/part-1.csv"), url("listed/u/part-3.csv")));
  EXPECT_THAT(url_matches(url("listed/*/*/part-*")), ElementsAre(url("listed/t/d/part-4.csv")));
  EXPECT_THAT(url_matches(url("listed/t/*.tsv")), IsEmpty());
  EXPECT_THAT(url_matches(url("listed/nowhere/*.csv")), IsEmpty());
  expect_error<UsageError>([&] { url_matches(url("l*/a.csv")); }, {"bucket"});

  EXPECT_THAT(cloud_objects(url("listed/t")),
              ElementsAre(url("listed/t/.part-2.csv"), url("listed/t/other.csv"), url("listed/t/part-0.csv"),
                          url("listed/t/part-1.csv"), url("listed/t/part-10.csv")));
  EXPECT_THAT(cloud_folders(url("listed/t")), ElementsAre(url("listed/t/d/")));
  expect_error<NotFoundError>([&] { cloud_objects(url("listed/nowhere")); }, {"listed/nowhere"});
}

INSTANTIATE_TEST_SUITE_P(Of, CloudFile, testing::Values("s3", "gs"), [](const auto& scheme) { return scheme.param; });

}  // namespace
}  // namespace portatune::io
