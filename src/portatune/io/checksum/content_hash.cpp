#include "portatune/io/checksum/content_hash.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>

#include "portatune/base/text/message.h"
#include "portatune/base/threads/stop.h"
#include "portatune/io/compress/byte_source.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPiece = 1 << 20;

// The relative path and the size of each file in a folder, one line per file, sorted.
std::string listing(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::follow_directory_symlink)) {
    if (!entry.is_regular_file()) continue;
    lines.push_back(entry.path().lexically_relative(folder).string() + " " + std::to_string(entry.file_size()) + "\n");
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

// Reads piece by piece, because the file may be larger than the memory.
void read_pieces(const std::string& path, const std::function<void(std::span<const std::byte>)>& take) {
  const std::unique_ptr<ByteSource> file = open_file(path);
  std::vector<char> piece(kPiece);
  while (const size_t bytes = file->read(piece)) take(std::as_bytes(std::span(piece).first(bytes)));
}

uint64_t hash_of_file(const std::string& path, uint64_t seed) {
  ContentHash hash(seed);
  read_pieces(path, [&](std::span<const std::byte> piece) {
    stop_if_requested();
    hash.add(piece);
  });
  return hash.value();
}

}  // namespace

void ContentHash::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

ContentHash::ContentHash(uint64_t seed) : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset_withSeed(state_.get(), seed);
}

void ContentHash::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

uint64_t ContentHash::value() const { return XXH3_64bits_digest(state_.get()); }

FileSum sum_of_file(const std::filesystem::path& path) {
  FileSum sum;
  ContentHash hash;
  read_pieces(path, [&](std::span<const std::byte> piece) {
    sum.bytes += std::ssize(piece);
    hash.add(piece);
  });
  sum.xxh3 = hash.value();
  return sum;
}

uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string content_hash(const std::vector<std::string>& files) {
  uint64_t hash = 0;
  for (const std::string& path : files) {
    if (fs::is_directory(path)) {
      const std::string text = listing(path);
      hash = XXH3_64bits_withSeed(text.data(), text.size(), hash);
      continue;
    }
    hash = hash_of_file(path, hash);
  }
  return hexadecimal(hash);
}

uint64_t hash_of(const std::vector<TensorView>& arrays) {
  uint64_t hash = 0;
  for (const TensorView& array : arrays) {
    const auto* const bytes = reinterpret_cast<const char*>(array.data);
    hash = hash * 31 + hash_of(std::string_view(bytes, static_cast<size_t>(array.type.bytes())));
  }
  return hash;
}

}  // namespace portatune::io
