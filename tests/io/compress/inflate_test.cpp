#include <gtest/gtest.h>

#include "io/tfrecord_cases.h"
#include "portatune/error.h"
#include "portatune/io/compress/byte_source.h"

namespace portatune::io {
namespace {

std::string all_of(ByteSource& source, size_t at_a_time) {
  std::string all, block(at_a_time, '\0');
  while (const size_t count = source.read(block)) all.append(block, 0, count);
  return all;
}

std::string inflated(const std::filesystem::path& file, size_t at_a_time = 100) {
  return all_of(*inflate(open_file(file), file.string()), at_a_time);
}

TEST(Inflate, ReadsFilesOfTensorFlow) {
  const std::string plain = text_of(kTfrecordData / "examples.tfrecord");
  EXPECT_EQ(inflated(kTfrecordData / "examples.tfrecord.gz"), plain);
  EXPECT_EQ(inflated(kTfrecordData / "examples.tfrecord.zlib", 1), plain);
}

TEST(Inflate, AcceptsSeveralMembers) {
  const TemporaryFolder folder;
  const std::string member = text_of(kTfrecordData / "examples.tfrecord.gz");
  const std::string plain = text_of(kTfrecordData / "examples.tfrecord");
  write_text(folder / "two.gz", member + member);
  EXPECT_EQ(inflated(folder / "two.gz"), plain + plain);
}

TEST(Inflate, SkipsBytes) {
  const auto file = kTfrecordData / "examples.tfrecord.gz";
  const auto source = inflate(open_file(file), file.string());
  source->skip(1000);
  EXPECT_EQ(all_of(*source, 64), text_of(kTfrecordData / "examples.tfrecord").substr(1000));
  source->skip(10);
  EXPECT_EQ(all_of(*source, 64), "");
}

TEST(Inflate, DamageIsAnError) {
  const TemporaryFolder folder;
  std::string bytes = text_of(kTfrecordData / "examples.tfrecord.gz");
  write_text(folder / "cut.gz", bytes.substr(0, bytes.size() - 9));
  EXPECT_NE(message_of<DataError>([&] { inflated(folder / "cut.gz"); }).find("ends within its compressed data"),
            std::string::npos);
  bytes[bytes.size() / 2] ^= 0x55;
  write_text(folder / "damaged.gz", bytes);
  EXPECT_THROW(inflated(folder / "damaged.gz"), DataError);
}

}  // namespace
}  // namespace portatune::io
