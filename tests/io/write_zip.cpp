#include "io/write_zip.h"

#include <minizip/zip.h>
#include <zlib.h>

#include <stdexcept>

namespace portatune {
namespace {

constexpr uLong kUnix = 3 << 8;  // makes the upper half of the attributes a mode

void require(int code) {
  if (code != ZIP_OK) throw std::runtime_error("minizip: " + std::to_string(code));
}

}  // namespace

void write_zip(const std::filesystem::path& file, const std::vector<ZipEntry>& entries) {
  const zipFile zip = zipOpen64(file.c_str(), APPEND_STATUS_CREATE);
  for (const ZipEntry& entry : entries) {
    zip_fileinfo info = {};
    info.external_fa = static_cast<uLong>(0100000 | entry.mode) << 16;
    require(zipOpenNewFileInZip4_64(zip, entry.name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
                                    Z_BEST_SPEED, 0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0, kUnix,
                                    0, 0));
    require(zipWriteInFileInZip(zip, entry.bytes.data(), static_cast<unsigned>(entry.bytes.size())));
    require(zipCloseFileInZip(zip));
  }
  require(zipClose(zip, nullptr));
}

}  // namespace portatune
