#include "portatune/io/checksum/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/plugin/own_plugin.h"

namespace portatune::io {
namespace {

constexpr const char* kLibrary = "libcrypto.so.3";

struct Crypto {
  decltype(&EVP_MD_CTX_new) context_new;
  decltype(&EVP_MD_CTX_free) context_free;
  decltype(&EVP_sha1) sha1;
  decltype(&EVP_sha256) sha256;
  decltype(&EVP_DigestInit_ex) digest_init;
  decltype(&EVP_DigestUpdate) digest_update;
  decltype(&EVP_DigestFinal_ex) digest_final;
};

[[noreturn]] void fail(const std::string& given) {
  throw DeviceError({.where = "SHA-1 and SHA-256",
                     .given = given,
                     .expected = std::string(kLibrary) + " of OpenSSL",
                     .fix = "apt-get install libssl3"});
}

Crypto load() {
  const SharedLibrary::Fail on_failure = fail;
  const SharedLibrary library(kLibrary, on_failure);
  Crypto crypto;
  library.find(crypto.context_new, "EVP_MD_CTX_new");
  library.find(crypto.context_free, "EVP_MD_CTX_free");
  library.find(crypto.sha1, "EVP_sha1");
  library.find(crypto.sha256, "EVP_sha256");
  library.find(crypto.digest_init, "EVP_DigestInit_ex");
  library.find(crypto.digest_update, "EVP_DigestUpdate");
  library.find(crypto.digest_final, "EVP_DigestFinal_ex");
  return crypto;
}

const Crypto& crypto() {
  static const Crypto loaded = load();
  return loaded;
}

void require(int success) {
  if (success != 1) throw std::runtime_error("OpenSSL cannot compute the hash");
}

}  // namespace

Digest::Digest(DigestKind kind) : context_(crypto().context_new()) {
  const EVP_MD* const algorithm = kind == DigestKind::kSha1 ? crypto().sha1() : crypto().sha256();
  require(crypto().digest_init(context_.get(), algorithm, nullptr));
}

void Digest::Free::operator()(evp_md_ctx_st* context) const { crypto().context_free(context); }

void Digest::update(std::span<const char> bytes) {
  require(crypto().digest_update(context_.get(), bytes.data(), bytes.size()));
}

std::string Digest::digest() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned int count = 0;
  require(crypto().digest_final(context_.get(), bytes.data(), &count));
  return hexadecimal(std::span<const unsigned char>(bytes).first(count));
}

}  // namespace portatune::io
