#include "portatune/io/compress/unzip.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "portatune/base/files/output_file.h"
#include "portatune/base/text/message.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

constexpr size_t kUnzippedBlock = 1 << 20;
constexpr size_t kMaxNameBytes = 4096;
constexpr unsigned kExecutable = 0100;  // owner permission

struct Entry {
  std::string name;
  int64_t bytes;
  int mode;
};

class Archive {
 public:
  explicit Archive(const fs::path& file) : file_(file), zip_(unzOpen64(file.c_str()), unzClose) {
    if (!zip_) fail("not a zip archive");
    has_entry_ = is_there(unzGoToFirstFile(zip_.get()));
  }

  bool has_entry() const { return has_entry_; }
  void go_to_next() { has_entry_ = is_there(unzGoToNextFile(zip_.get())); }

  Entry entry() const {
    unz_file_info64 info;
    std::vector<char> name(kMaxNameBytes);
    require(unzGetCurrentFileInfo64(zip_.get(), &info, name.data(), name.size() - 1, nullptr, 0, nullptr, 0));
    const bool is_executable = ((info.external_fa >> 16) & kExecutable) != 0;
    return {.name = name.data(),
            .bytes = static_cast<int64_t>(info.uncompressed_size),
            .mode = is_executable ? 0777 : 0666};
  }

  void extract(const Entry& entry, const fs::path& target) {
    OutputFile out(target, entry.mode);
    out.reserve(entry.bytes);
    require(unzOpenCurrentFile(zip_.get()));
    std::vector<char> block(kUnzippedBlock);
    for (;;) {
      stop_if_requested();
      const int count = unzReadCurrentFile(zip_.get(), block.data(), static_cast<unsigned>(block.size()));
      if (count < 0) require(count);
      if (count == 0) break;
      out.write(std::string_view(block.data(), static_cast<size_t>(count)));
    }
    require(unzCloseCurrentFile(zip_.get()));  // compares the checksum
    out.finish();
  }

  [[noreturn]] void fail(const std::string& given) const {
    throw DataError({.where = file_.string(), .given = given, .expected = "a complete zip archive"});
  }

 private:
  void require(int code) const {
    if (code != UNZ_OK) fail("an archive that minizip cannot read (code " + std::to_string(code) + ")");
  }
  bool is_there(int code) const {
    if (code != UNZ_END_OF_LIST_OF_FILE) require(code);
    return code == UNZ_OK;
  }

  const fs::path file_;
  const std::unique_ptr<void, decltype(&unzClose)> zip_;
  bool has_entry_ = false;
};

bool leads_out(const fs::path& name) {
  return name.is_absolute() || std::ranges::find(name, fs::path("..")) != name.end();
}

}  // namespace

int64_t unzip(const fs::path& archive, const std::string& prefix, const fs::path& folder) {
  int64_t files = 0;
  for (Archive zip(archive); zip.has_entry(); zip.go_to_next()) {
    const Entry entry = zip.entry();
    if (!entry.name.starts_with(prefix) || entry.name.ends_with('/')) continue;
    const fs::path name = entry.name.substr(prefix.size());
    if (leads_out(name)) zip.fail("a file " + in_quotes(entry.name) + " whose name leads out of its folder");
    fs::create_directories((folder / name).parent_path());
    zip.extract(entry, folder / name);
    ++files;
  }
  return files;
}

}  // namespace portatune::io
