// SHA-256 by OpenSSL, for files from untrusted sources. content_hash.h is faster where no attacker is expected.
#pragma once

#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace portatune::io {

class Sha256 {
 public:
  /// errors  DeviceError if OpenSSL's libcrypto is missing
  Sha256();

  void update(std::span<const char> bytes);
  /// The hash of all bytes as 64 hex digits. Call it once, last.
  std::string digest();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace portatune::io
