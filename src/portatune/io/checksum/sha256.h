// SHA-256, by OpenSSL: a hash for files that come from strangers. content_hash.h is faster where nobody would cheat.
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
  /// 64 hex digits, of all bytes so far. Call once, as the last.
  std::string digest();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace portatune::io
