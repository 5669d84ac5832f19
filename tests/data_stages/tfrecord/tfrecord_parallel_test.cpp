#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data_stages/resuming.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using Texts = std::vector<std::string>;

// Files whose examples have a text: "FILE:NUMBER".
class Shards {
 public:
  explicit Shards(const std::vector<int>& counts) {
    for (size_t file = 0; file < counts.size(); ++file) {
      paths_.push_back((folder_ / std::to_string(file)).string());
      TfrecordWriter writer(paths_.back());
      for (int i = 0; i < counts[file]; ++i) {
        Example example;
        writer.write(example.set("text", std::to_string(file) + ":" + std::to_string(i)));
      }
      writer.commit();
    }
  }
  const std::vector<std::string>& paths() const { return paths_; }
  Dataset read(int reads, bool deterministic = true) const {
    return read_tfrecord(paths_, {.num_parallel_reads = reads, .deterministic = deterministic});
  }

 private:
  TemporaryFolder folder_;
  std::vector<std::string> paths_;
};

Texts texts(Cursor cursor) {
  Texts texts;
  for (const Example& example : cursor) texts.push_back(example.text("text"));
  return texts;
}

}  // namespace

TEST(TfrecordParallel, HasTheOrderOfTfData) {
  const auto cases = nlohmann::json::parse(std::ifstream(std::string(PORTATUNE_TEST_DATA) + "/tfrecord/order.json"));
  for (const auto& order : cases) {
    const Shards shards(order["shards"].get<std::vector<int>>());
    EXPECT_EQ(texts(shards.read(order["reads"]).iterate()), order["order"].get<Texts>()) << order.dump();
  }
}

// The files are longer than the blocks read ahead.
TEST(TfrecordParallel, AlternatesBetweenLongFiles) {
  const Shards shards({1000, 1000, 1000});
  const Texts all = texts(shards.read(3).iterate());
  ASSERT_EQ(all.size(), 3000u);
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i], std::to_string(i % 3) + ":" + std::to_string(i / 3));
  }
}

// Parallel reading restores the order of examples that TfrecordWriter distributed to shards.
TEST(TfrecordParallel, ReadsShardsInTheOrderOfWriting) {
  const TemporaryFolder folder;
  TfrecordWriter writer((folder / "a-{shard}").string(), {.shards = 4});
  Texts written;
  for (int i = 0; i < 1001; ++i) {
    written.push_back(std::to_string(i));
    Example example;
    writer.write(example.set("text", written.back()));
  }
  writer.commit();
  EXPECT_EQ(texts(read_tfrecord(writer.files(), {.num_parallel_reads = 4}).iterate()), written);
}

TEST(TfrecordParallel, WithoutTheOrderAllExamplesComeOnce) {
  const Shards shards({500, 0, 3, 700, 64, 128});
  for (const int reads : {2, 4, 10}) {
    Texts expected = texts(shards.read(1).iterate());
    Texts all = texts(shards.read(reads, false).iterate());
    std::ranges::sort(expected);
    std::ranges::sort(all);
    EXPECT_EQ(all, expected);
  }
}

TEST(TfrecordParallel, SkipsAndCounts) {
  const Shards shards({3, 1, 2, 4});
  const Texts all = texts(shards.read(2).iterate());
  EXPECT_EQ(texts(shards.read(2).skip(4).iterate()), Texts(all.begin() + 4, all.end()));
  EXPECT_EQ(shards.read(3).count(), 10);
}

TEST(TfrecordParallel, PassMayEndEarly) {
  const Shards shards({1000, 1000});
  for (int i = 0; i < 50; ++i) EXPECT_EQ(texts(shards.read(2).take(3).iterate()), (Texts{"0:0", "1:0", "0:1"}));
}

TEST(TfrecordParallel, ErrorComesInPlaceOfItsExample) {
  const Shards shards({100, 100});
  const std::string& damaged = shards.paths()[1];
  std::string bytes = text_of(damaged);
  bytes[bytes.size() - 6] ^= 1;  // in the last record
  write_text(damaged, bytes);
  Cursor cursor = shards.read(2).iterate();
  for (int i = 0; i < 199; ++i) ASSERT_TRUE(cursor.next());
  EXPECT_THAT(message_of<DataError>([&] { cursor.next(); }), testing::HasSubstr("1:100\n"));
}

TEST(TfrecordParallel, ResumesFromItsState) {
  const Shards shards({3, 0, 5, 1, 0, 4});
  for (const int reads : {2, 3, 8}) expect_resumable([&] { return shards.read(reads); });
}

TEST(TfrecordParallel, NoRecordsAreAnError) {
  const Shards shards({0, 0, 0});
  EXPECT_THROW(texts(shards.read(2).iterate()), DataError);
}

}  // namespace portatune::data
