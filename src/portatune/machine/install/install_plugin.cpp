#include "portatune/machine/install/install_plugin.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "portatune/base/files/output_file.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/checksum/sha256.h"
#include "portatune/io/compress/unzip.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/file/lock_file.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/remote/read_ahead.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using pjrt::Pin;
using pjrt::PluginPackage;
using pjrt::WheelPart;

constexpr const char* kWheel = "wheel.zip";

void require_machine([[maybe_unused]] const PluginPackage& package) {
#if !defined(__x86_64__)
  if (!package.is_for_x86_64_alone) return;
  throw DeviceError({.where = "plugin " + package.name,
                     .given = "a machine that is not x86_64",
                     .expected = "x86_64, because " + package.parts.front().wheel.package + " exists only for x86_64"});
#endif
}

// The folder of a wheel that is downloaded and verified. It appears together with the wheel.
fs::path download_folder(const fs::path& folder, const Pin& wheel) {
  return folder.parent_path() / "downloads" / (wheel.package + "-" + wheel.version);
}

struct Download {
  const Pin& wheel;
  std::string url;
  std::shared_ptr<const io::RandomAccessFile> file;
};

std::vector<Download> missing_downloads(const PluginPackage& package, const fs::path& folder,
                                        const std::string& index) {
  std::vector<Download> downloads;
  for (const WheelPart& part : package.parts) {
    const fs::path download = download_folder(folder, part.wheel);
    io::recover_directory(download);
    if (fs::exists(download / kWheel)) continue;
    const std::string url = url_of(index, part.wheel);
    downloads.push_back({part.wheel, url, io::open_random_access(url, io::Access::kSequential)});
  }
  return downloads;
}

void require_hash(const Download& download, const std::string& found) {
  if (found == download.wheel.sha256) return;
  throw DataError({.where = download.url,
                   .given = std::to_string(download.file->size()) + " bytes with SHA-256 " + found,
                   .expected = "SHA-256 " + download.wheel.sha256 + ", the pinned hash of " + to_string(download.wheel),
                   .fix = "retry later or from another index: this copy is damaged or not the original"});
}

void fetch(const Download& download, const fs::path& target, const InstallOptions& options) {
  const int64_t all = download.file->size();
  OutputFile out(target);
  out.reserve(all);
  io::Sha256 hash;
  std::vector<char> block(io::kReadAheadBlock);
  options.fetched(download.wheel, 0, all);
  for (int64_t at = 0; at < all;) {
    stop_if_requested();
    const size_t count = download.file->read_at(at, block);
    hash.update(std::span(block).first(count));
    out.write(std::string_view(block.data(), count));
    at += static_cast<int64_t>(count);
    options.fetched(download.wheel, at, all);
  }
  require_hash(download, hash.digest());
  out.finish();
}

void fetch_all(const std::vector<Download>& downloads, const fs::path& folder, const InstallOptions& options) {
  int64_t bytes = 0;
  for (const Download& download : downloads) bytes += download.file->size();
  options.begin(downloads.size(), bytes);
  for (const Download& download : downloads) {
    io::AtomicDirectory target(download_folder(folder, download.wheel));
    fetch(download, target.staging() / kWheel, options);
    target.commit();
  }
}

void unpack(const PluginPackage& package, const fs::path& folder, const fs::path& target) {
  for (const WheelPart& part : package.parts) {
    const fs::path archive = download_folder(folder, part.wheel) / kWheel;
    io::unzip(archive, part.from, target / part.to);
    if (fs::is_regular_file(target / part.proof)) continue;
    throw DataError({.where = to_string(part.wheel),
                     .given = "a wheel without " + part.proof,
                     .expected = "a wheel with this file" + (part.from.empty() ? "" : " in " + part.from)});
  }
}

pjrt::PluginVersion version_of(const PluginPackage& package, const fs::path& folder) {
  try {
    return pjrt::Plugin::load(folder / package.file).version();
  } catch (DeviceError& error) {
    error.set_where("plugin " + package.name + ", which is therefore not installed");
    throw;
  }
}

// Locks the folder of downloaded wheels, which installations share.
io::LockFile lock_of(const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path path = folder / ".install-lock";
  if (auto held = io::LockFile::try_hold(path)) return std::move(*held);
  const std::string holder = io::LockFile::holder(path);
  throw DeviceError(
      {.where = folder.string(),
       .given = "another installation into this folder" + (holder.empty() ? "" : ", by process " + holder),
       .expected = "one installation at a time",
       .fix = "wait for the other installation, or end it"});
}

}  // namespace

pjrt::PluginVersion install_plugin(const PluginPackage& package, const InstallOptions& options) {
  require_machine(package);
  const fs::path folder = folder_of(package);
  const io::LockFile lock = lock_of(folder.parent_path());
  io::recover_directory(folder);
  fetch_all(missing_downloads(package, folder, options.index), folder, options);
  options.unpack();
  io::AtomicDirectory installed(folder);
  unpack(package, folder, installed.staging());
  const pjrt::PluginVersion version = version_of(package, installed.staging());
  installed.commit();
  for (const WheelPart& part : package.parts) io::remove_directory(download_folder(folder, part.wheel));
  std::error_code not_empty;  // the folder may have wheels of another plugin
  fs::remove(folder.parent_path() / "downloads", not_empty);
  return version;
}

}  // namespace portatune
