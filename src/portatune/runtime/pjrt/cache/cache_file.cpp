#include "portatune/runtime/pjrt/cache/cache_file.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <span>
#include <vector>

#include "portatune/base/files/output_file.h"

namespace portatune::pjrt {
namespace {

namespace fs = std::filesystem;

constexpr auto kTemporaryLifetime = std::chrono::hours(1);

/// The header before the payload, in the machine's byte order: little-endian on all machines that plugins support.
struct Header {
  std::array<char, 8> magic = {'P', 'T', 'N', 'X', 'L', 'A', '0', '1'};
  uint64_t payload_bytes;
  uint64_t checksum;  ///< XXH3 of the payload
};
static_assert(sizeof(Header) == 24);

Header header_of(std::string_view payload) {
  return {.payload_bytes = payload.size(), .checksum = XXH3_64bits(payload.data(), payload.size())};
}

struct Entry {
  fs::path file;
  fs::file_time_type used;
  int64_t bytes;
};

// The files of the cache. Other processes may remove files at the same time: such files are skipped.
std::vector<Entry> list(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code none;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, none)) {
    if (file.path().filename().string().find(kCacheFileExtension) == std::string::npos) continue;
    std::error_code vanished;
    const auto used = file.last_write_time(vanished);
    if (vanished) continue;
    const auto bytes = file.file_size(vanished);
    if (!vanished) entries.push_back({file.path(), used, static_cast<int64_t>(bytes)});
  }
  return entries;
}

bool is_abandoned(const Entry& entry) {
  return entry.file.filename().string().starts_with(kTemporaryPrefix) &&
         fs::file_time_type::clock::now() - entry.used > kTemporaryLifetime;
}

}  // namespace

std::optional<std::string> read_cache_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  Header header;
  if (!in.read(reinterpret_cast<char*>(&header), sizeof(header))) return {};
  std::error_code vanished;
  const auto file_bytes = fs::file_size(file, vanished);
  // The length in the header is checked against the file's size before any memory is allocated.
  if (vanished || file_bytes - sizeof(header) != header.payload_bytes) return {};
  std::string payload(header.payload_bytes, '\0');
  if (!in.read(payload.data(), static_cast<std::streamsize>(payload.size()))) return {};
  const Header expected = header_of(payload);
  if (std::memcmp(&header, &expected, sizeof(header)) != 0) return {};
  fs::last_write_time(file, fs::file_time_type::clock::now(), vanished);  // time of last use, for trimming
  return payload;
}

void write_cache_file(const fs::path& file, std::string_view payload) {
  std::error_code failed, ignored;
  if (fs::create_directories(file.parent_path(), failed)) {
    fs::permissions(file.parent_path(), fs::perms::owner_all, ignored);  // its files hold code that will run
  }
  if (failed) throw_system_error("create", file.parent_path(), failed.value());
  AtomicFile temporary(file, 0600);
  const Header header = header_of(payload);
  temporary.write(std::as_bytes(std::span(&header, 1)));
  temporary.write(payload);
  temporary.commit();
}

void trim_cache_folder(const fs::path& folder, int64_t limit_bytes) {
  std::vector<Entry> entries = list(folder);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used > b.used; });
  int64_t kept_bytes = 0;
  for (const Entry& entry : entries) {
    kept_bytes += entry.bytes;
    std::error_code vanished;
    if (kept_bytes > limit_bytes || is_abandoned(entry)) fs::remove(entry.file, vanished);
  }
}

}  // namespace portatune::pjrt
