#include "portatune/io/compress/zip_directory.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

constexpr size_t kMaxEntryNameBytes = 4096;
constexpr size_t kEndBytes = 22;  // length of the record at the end of an archive without a comment
constexpr std::string_view kEndStart("PK\5\6", 4);

// A file in memory, as minizip reads it. minizip passes a pointer to it to each function.
struct MemoryFile {
  std::span<const std::byte> bytes;
  size_t offset = 0;
};

MemoryFile& file_of(void* stream) { return *static_cast<MemoryFile*>(stream); }

uLong read(void*, void* stream, void* target, uLong size) {
  MemoryFile& file = file_of(stream);
  const size_t count = std::min<size_t>(size, file.bytes.size() - file.offset);
  if (count > 0) std::memcpy(target, file.bytes.data() + file.offset, count);
  file.offset += count;
  return static_cast<uLong>(count);
}

long seek(void*, void* stream, ZPOS64_T offset, int origin) {
  MemoryFile& file = file_of(stream);
  const size_t base = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? file.offset : file.bytes.size();
  if (offset > file.bytes.size() - base) return -1;
  file.offset = base + static_cast<size_t>(offset);
  return 0;
}

zlib_filefunc64_def functions_of(MemoryFile& file) {
  return {.zopen64_file = [](void* opaque, const void*, int) { return opaque; },
          .zread_file = read,
          .zwrite_file = nullptr,
          .ztell64_file = [](void*, void* stream) -> ZPOS64_T { return file_of(stream).offset; },
          .zseek64_file = seek,
          .zclose_file = [](void*, void*) { return 0; },
          .zerror_file = [](void*, void*) { return 0; },
          .opaque = &file};
}

class StoredArchive {
 public:
  StoredArchive(std::span<const std::byte> bytes, const std::string& where) : file_{bytes}, where_(where) {
    zlib_filefunc64_def functions = functions_of(file_);
    zip_.reset(unzOpen2_64("", &functions));
    // minizip accepts a truncated end, if the archive repeats it for large files.
    if (!zip_ || !has_end(bytes)) fail("not a whole zip archive");
  }

  ZipDirectory read() {
    ZipDirectory directory;
    for (int code = unzGoToFirstFile(zip_.get()); is_there(code); code = unzGoToNextFile(zip_.get())) {
      const auto [name, bytes] = entry();
      if (directory.entries.empty()) directory.first = name;
      if (!directory.entries.emplace(name, bytes).second) fail("the entry " + in_quotes(name) + " twice");
    }
    return directory;
  }

 private:
  std::pair<std::string, std::span<const std::byte>> entry() {
    unz_file_info64 info;
    std::vector<char> buffer(kMaxEntryNameBytes);
    require(unzGetCurrentFileInfo64(zip_.get(), &info, buffer.data(), buffer.size() - 1, nullptr, 0, nullptr, 0));
    std::string name = buffer.data();
    const bool is_plain = info.compression_method == 0 && (info.flag & 1) == 0;
    if (!is_plain) fail("the compressed or encrypted entry " + in_quotes(name));
    require(unzOpenCurrentFile2(zip_.get(), nullptr, nullptr, 1));
    const ZPOS64_T offset = unzGetCurrentFileZStreamPos64(zip_.get());
    unzCloseCurrentFile(zip_.get());  // nothing was read, so it has no checksum to report
    const size_t size = file_.bytes.size();
    if (offset > size || info.uncompressed_size > size - offset) {
      fail("the entry " + in_quotes(name) + " beyond the end of the file");
    }
    return {std::move(name), file_.bytes.subspan(offset, info.uncompressed_size)};
  }

  static bool has_end(std::span<const std::byte> bytes) {
    if (bytes.size() < kEndBytes) return false;
    return std::memcmp(bytes.last(kEndBytes).data(), kEndStart.data(), kEndStart.size()) == 0;
  }
  void require(int code) const {
    if (code != UNZ_OK) fail("an archive that minizip cannot read (code " + std::to_string(code) + ")");
  }
  bool is_there(int code) const {
    if (code != UNZ_END_OF_LIST_OF_FILE) require(code);
    return code == UNZ_OK;
  }
  [[noreturn]] void fail(const std::string& given) const {
    throw CheckpointError({.where = where_, .given = given, .expected = "a complete zip archive without compression"});
  }

  MemoryFile file_;
  const std::string& where_;
  std::unique_ptr<void, decltype(&unzClose)> zip_{nullptr, unzClose};
};

}  // namespace

ZipDirectory read_zip_directory(std::span<const std::byte> archive, const std::string& where) {
  return StoredArchive(archive, where).read();
}

}  // namespace portatune::io
