#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "data_stages/numbers.h"
#include "data_stages/resuming.h"
#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<BatchType> collect_types(const Dataset& batches) { return batches.iterate().next()->batch_types(); }

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

TEST(Cache, RunsTheVerbsBeforeItOnce) {
  std::atomic<int> mapped = 0;
  const Dataset cached = numbers(5).map(counting(mapped)).cache();
  EXPECT_EQ(collect(cached.repeat(3)).size(), 15u);
  EXPECT_EQ(collect(cached), collect(numbers(5)));
  EXPECT_EQ(mapped, 5);
}

TEST(Cache, ReadsOnlyTheRequestedExamples) {
  std::atomic<int> mapped = 0;
  const Dataset cached = numbers(100).map(counting(mapped)).cache();
  EXPECT_THAT(collect(cached.take(3)), ElementsAre(0, 1, 2));
  EXPECT_EQ(mapped, 3);
  EXPECT_EQ(collect(cached).size(), 100u);
  EXPECT_EQ(mapped, 100);
}

// The cache holds the pass of epoch 0, independently of the first pass.
TEST(Cache, DoesNotDependOnTheFirstPass) {
  const auto cached = [] { return numbers(30).shuffle({.buffer = 30, .seed = 2}).cache(); };
  const Dataset one = cached(), other = cached();
  const std::vector<int> late = collect(one.iterate(5));
  EXPECT_EQ(late, collect(other.iterate(0)));
  EXPECT_EQ(late, collect(numbers(30).shuffle({.buffer = 30, .seed = 2})));
}

TEST(Cache, BatchesFromAFileHaveBatchTypes) {
  const TemporaryFolder folder;
  Example example;
  example.set("ids", Tensor({1}, {7}));
  const auto cached = [&] {
    return from_examples({example}).padded_batch(1, {.lengths = {2, 4}}).cache(folder / "batches.cache");
  };
  collect_types(cached());
  const std::vector<BatchType> types = collect_types(cached());
  ASSERT_EQ(types.size(), 2u);
  EXPECT_EQ(types[0][0], (BatchType::value_type{"ids", {DType::kInt32, {1, 2}}}));
  EXPECT_EQ(types[1][0], (BatchType::value_type{"ids", {DType::kInt32, {1, 4}}}));
}

// Reports of a non-finite loss need the origins.
TEST(Cache, BatchesFromAFileHaveRowOrigins) {
  const std::string path = write_file("t.csv", "n\n0\n1\n2\n");
  const TemporaryFolder folder;
  for (const std::string& file : {std::string(), (folder / "c").string()}) {
    const auto batches = [&] { return read_csv(path).batch({.size = 2}).cache(file); };
    for (int process = 0; process < 2; ++process) {
      Cursor cursor = batches().iterate();
      EXPECT_EQ(to_string(cursor.next()->row_origins()), path + ":2, 3");
      EXPECT_EQ(to_string(cursor.next()->row_origins()), path + ":4");
    }
  }
}

TEST(Cache, GivesFilesRandomAccess) {
  const std::string path = write_file("t.csv", "n\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  const Dataset rows = read_csv(path).cache();
  EXPECT_EQ(collect(rows.shuffle({.seed = 4})), collect(numbers(10).shuffle({.seed = 4})));
  expect_error<UsageError>([&] { read_csv(path).shuffle({.seed = 4}).iterate(); }, {"shuffle", "no buffer", "cache()"});
}

TEST(Cache, ThrowsAnErrorInEveryPass) {
  const Dataset cached = numbers(5).map(failing_at("3")).cache();
  for (int i = 0; i < 2; ++i) {
    Cursor cursor = cached.iterate();
    EXPECT_EQ(cursor.next()->text("n"), "0");
    EXPECT_EQ(cursor.skip(2), 2);
    EXPECT_THROW(cursor.next(), std::runtime_error);
  }
}

// An example with all kinds of values.
Example all_kinds() {
  Example example(Origin{std::make_shared<const std::string>("a.csv"), 7});
  example.set("text", std::string("\0\xFF", 2)).set("texts", std::vector<std::string>{"", "b"});
  example.set("scalar", Tensor({}, {1.5f})).set("empty", Tensor({0, 3}, std::initializer_list<int64_t>{}));
  return example.set("array", Tensor({2, 2}, {uint8_t{1}, uint8_t{2}, uint8_t{3}, uint8_t{255}}));
}

TEST(CacheFile, RoundTripsExamples) {
  const TemporaryFolder folder;
  const auto dataset = [] { return from_examples({all_kinds(), Example(), all_kinds().erase("text")}); };
  const std::vector<std::string> expected = texts_of(dataset().iterate());
  EXPECT_EQ(texts_of(dataset().cache(folder / "c").iterate()), expected);
  EXPECT_EQ(texts_of(dataset().cache(folder / "c").iterate()), expected);  // such as in another process
  EXPECT_THAT(names_in(folder.path()), ElementsAre("c"));
  EXPECT_EQ(collect(numbers(0).cache(folder / "none")), collect(numbers(0)));
}

TEST(CacheFile, IsWrittenOnce) {
  const TemporaryFolder folder;
  std::atomic<int> mapped = 0;
  for (int process = 0; process < 3; ++process) {
    const Dataset cached = numbers(2000).map(counting(mapped)).cache(folder / "c");
    EXPECT_EQ(collect(cached.repeat(2)).size(), 4000u);
    EXPECT_EQ(collect(cached.shuffle({.seed = 1})), collect(numbers(2000).shuffle({.seed = 1})));
  }
  EXPECT_EQ(mapped, 2000);
}

TEST(CacheFile, IsWrittenCompletelyOrNotAtAll) {
  const TemporaryFolder folder;
  EXPECT_THROW(collect(numbers(5).map(failing_at("4")).cache(folder / "c")), std::runtime_error);
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
  EXPECT_THROW(collect(numbers(5).cache(folder / "missing" / "c")), Error);
}

TEST(CacheFile, ResumesFromItsState) {
  const TemporaryFolder folder;
  expect_resumable([&] { return numbers(9).cache(folder / "c"); });
  expect_resumable([&] { return numbers(9).cache(folder / "c").shuffle({.seed = 3}).batch({.size = 2}); });
}

TEST(CacheFile, OfOtherDataIsAnError) {
  const TemporaryFolder folder;
  const std::string path = write_file("t.txt", "1\n2\n");
  const auto rows = [&] { return texts_of(read_text(path).cache(folder / "c").iterate()); };
  EXPECT_EQ(rows().size(), 2u);
  write_file("t.txt", "1\n3\n");
  expect_error<DataError>([&] { rows(); }, {"cache", "/c", "other data", "remove the file"});
}

TEST(CacheFile, OfAnOlderFormatIsAnError) {
  const TemporaryFolder folder;
  const auto rows = [&] { return texts_of(numbers(3).cache(folder / "c").iterate()); };
  rows();
  write_text(folder / "c", text_of(folder / "c").replace(0, 16, "portatune cache 2\n"));
  expect_error<DataError>([&] { rows(); }, {"another version of Portatune", "remove the file"});
}

TEST(CacheFile, DamageAtAnyByteIsAnError) {
  const TemporaryFolder folder;
  const auto rows = [&] { return texts_of(numbers(3).cache(folder / "c").iterate()); };
  const std::vector<std::string> expected = rows();
  const std::string whole = text_of(folder / "c");
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_text(folder / "c", damaged);
    EXPECT_THROW(rows(), DataError) << "byte " << at;
    write_text(folder / "c", whole.substr(0, at));
    EXPECT_THROW(rows(), DataError) << at << " bytes";
  }
  write_text(folder / "c", whole);
  EXPECT_EQ(rows(), expected);
}

// A malicious file, with the right checksum in its footer.
TEST(CacheFile, OverflowingOffsetsAreAnError) {
  const TemporaryFolder folder;
  const auto rows = [&] { return texts_of(numbers(3).cache(folder / "c").iterate()); };
  rows();
  const std::string whole = text_of(folder / "c");
  const size_t footer = whole.size() - 48;  // size, three offsets, the hash, "end of c"
  const auto number_at = [&](size_t at) { return *reinterpret_cast<const uint64_t*>(whole.data() + at); };
  const size_t offsets = number_at(footer + 8);
  for (size_t example = 0; example <= 3; ++example) {
    for (const uint64_t offset : {~uint64_t{0}, ~uint64_t{3}, ~uint64_t{1000}, uint64_t{0}}) {
      std::string hostile = whole;
      std::memcpy(hostile.data() + offsets + 8 * example, &offset, sizeof offset);
      const uint64_t hash = io::hash_of(std::string_view(hostile).substr(offsets, footer - offsets));
      std::memcpy(hostile.data() + footer + 32, &hash, sizeof hash);
      write_text(folder / "c", hostile);
      EXPECT_THROW(rows(), DataError) << example << ": " << offset;
    }
  }
}

}  // namespace
}  // namespace portatune::data
