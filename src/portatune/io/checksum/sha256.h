// SHA-256 and SHA-1 by OpenSSL, for files from untrusted sources. content_hash.h is faster where no attacker is
// expected.
#pragma once

#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace portatune::io {

enum class DigestKind {
  kSha1,  ///< git's hash, which a determined attacker can forge
  kSha256
};

class Digest {
 public:
  /// errors  DeviceError if OpenSSL's libcrypto is missing
  explicit Digest(DigestKind kind);

  void update(std::span<const char> bytes);
  /// The hash of all bytes in hex: 40 digits of SHA-1, 64 of SHA-256. Call it once, last.
  std::string digest();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

struct Sha256 : Digest {
  Sha256() : Digest(DigestKind::kSha256) {}
};

}  // namespace portatune::io
