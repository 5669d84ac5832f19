#include "portatune/io/checksum/sha256.h"

#include <gtest/gtest.h>

namespace portatune::io {
namespace {

std::string sha256(const std::string& text) {
  Sha256 hash;
  hash.update(text);
  return hash.digest();
}

// The examples are from FIPS 180-2, appendix B.
TEST(Sha256, EqualsThePublishedDigests) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha1, EqualsThePublishedDigest) {
  Digest hash(DigestKind::kSha1);
  hash.update(std::string("abc"));
  EXPECT_EQ(hash.digest(), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(Sha256, CoversAllPieces) {
  Sha256 hash;
  for (int i = 0; i < 1000; ++i) hash.update(std::string(1000, 'a'));
  EXPECT_EQ(hash.digest(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace portatune::io
