#include "portatune/io/checksum/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace portatune::io {
namespace {

// The expected values are from RFC 3720, B.4.
TEST(Crc32c, HasTheValuesOfTheStandard) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  std::string ascending;
  for (char byte = 0; byte < 32; ++byte) ascending += byte;
  EXPECT_EQ(crc32c(ascending), 0x46DD794Eu);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(Crc32c, ContinuesWithMoreBytes) { EXPECT_EQ(crc32c("456789", crc32c("123")), crc32c("123456789")); }

// Computed by hand: 0xE3069283 rotated right by 15 bits is 0x2507C60D; plus 0xA282EAD8.
TEST(Crc32c, IsMasked) { EXPECT_EQ(masked_crc32c("123456789"), 0xC78AB0E5u); }

}  // namespace
}  // namespace portatune::io
