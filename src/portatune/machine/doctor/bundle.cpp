#include "portatune/machine/doctor/bundle.h"

#include <fmt/format.h>
#include <zlib.h>

#include <ctime>
#include <new>
#include <numeric>
#include <string_view>

#include "portatune/base/files/output_file.h"

namespace portatune::doctor {
namespace {

constexpr size_t kBlock = 512;

std::string padded(std::string text, size_t size) {
  text.resize(size);
  return text;
}

// The header of a file in the format ustar of POSIX: numbers are octal.
std::string header_of(const std::string& name, size_t bytes) {
  const auto octal = [](size_t number, int digits) {
    return padded(fmt::format("{:0{}o}", number, digits), digits + 1);
  };
  constexpr std::string_view kBlankSum = "        ";
  const std::string before = padded(name, 100) + octal(0644, 7) + octal(0, 7) + octal(0, 7) + octal(bytes, 11) +
                             octal(static_cast<size_t>(std::time(nullptr)), 11);
  const std::string after = padded(std::string("0") + padded("", 100) +
                                       std::string("ustar\0"
                                                   "00",
                                                   8),
                                   kBlock - before.size() - kBlankSum.size());
  const auto sum_of = [](std::string_view text) {
    return std::accumulate(text.begin(), text.end(), size_t{0},
                           [](size_t sum, char c) { return sum + static_cast<unsigned char>(c); });
  };
  return before + octal(sum_of(before) + sum_of(kBlankSum) + sum_of(after), 6) + " " + after;
}

std::string tar_of(const std::map<std::string, std::string>& texts) {
  std::string archive;
  for (const auto& [name, text] : texts) {
    archive += header_of(name, text.size()) + padded(text, (text.size() + kBlock - 1) / kBlock * kBlock);
  }
  return archive + std::string(2 * kBlock, '\0');
}

std::string gzip(std::string& text) {
  constexpr int kGzip = 15 + 16, kMemoryLevel = 8;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

void write_bundle(const std::filesystem::path& file, const std::map<std::string, std::string>& texts) {
  std::string archive = tar_of(texts);
  replace_file(file, gzip(archive));
}

}  // namespace portatune::doctor
