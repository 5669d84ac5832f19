#include "portatune/hub/download/download.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/hub/download/cache.h"
#include "portatune/hub/download/partial_file.h"
#include "portatune/hub/download/required_files.h"
#include "portatune/io/checksum/sha256.h"
#include "portatune/io/file/free_space.h"
#include "portatune/io/hub/environment.h"
#include "portatune/io/hub/hub_client.h"
#include "portatune/io/remote/read_ahead.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

// The hash by which the Hub names the content of a file.
io::Digest begin_digest(const io::HubFile& file) {
  if (file.is_large()) return io::Digest(io::DigestKind::kSha256);
  io::Digest digest(io::DigestKind::kSha1);
  const std::string header = "blob " + std::to_string(file.size);
  digest.update({header.c_str(), header.size() + 1});  // git includes the final zero
  return digest;
}

// Waits for the lock of a file, which huggingface_hub shares. The lock file stays, because its removal would let two
// other processes lock two files of this name.
FileDescriptor wait_for_lock(const fs::path& path, const std::function<void()>& on_wait) {
  constexpr std::chrono::milliseconds kPause{100};
  fs::create_directories(path.parent_path());
  for (bool has_waited = false;; std::this_thread::sleep_for(kPause)) {
    FileDescriptor file = FileDescriptor::open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (try_lock(file) != FileLock::kHeldByAnother && !is_removed(file, path)) return file;
    stop_if_requested();
    if (!std::exchange(has_waited, true)) on_wait();
  }
}

class Downloader {
 public:
  Downloader(const io::HubName& name, const DownloadEvents& events)
      : client_(name), events_(events), folder_(cache_folder_of(name.name)), listing_(client_.list()) {
    fs::create_directories(folder_ / "blobs");
  }

  const io::HubListing& listing() const { return listing_; }
  fs::path blob_of(const io::HubFile& file) const { return folder_ / "blobs" / file.blob; }

  void fetch_all(std::vector<io::HubFile> files) const {
    std::erase_if(files, [&](const io::HubFile& file) { return fs::exists(blob_of(file)); });
    int64_t bytes = 0, missing = 0;
    for (const io::HubFile& file : files) {
      bytes += file.size;
      missing += std::max<int64_t>(file.size - earlier_bytes(file), 0);
    }
    io::require_free_bytes(folder_ / "blobs", missing, "the model");
    int64_t done = 0;
    for (const io::HubFile& file : files) {
      fetch(file, [&](int64_t of_file) { events_.fetched(listing_.commit, done + of_file, bytes); });
      done += file.size;
    }
  }

  // Puts the files into the snapshot, the weights last: a snapshot with weights is complete.
  fs::path link_all(const std::vector<io::HubFile>& files, const std::string& revision) const {
    for (const io::HubFile& file : files) link_blob(folder_, listing_.commit, file.name, file.blob);
    write_ref(folder_, revision, listing_.commit);
    return folder_ / "snapshots" / listing_.commit;
  }

  /// fetched  called with the bytes of the file so far
  void fetch(const io::HubFile& file, const std::function<void(int64_t bytes)>& fetched) const {
    const fs::path blob = blob_of(file);
    const fs::path lock = io::hub_cache() / ".locks" / folder_.filename() / (file.blob + ".lock");
    const FileDescriptor held = wait_for_lock(lock, [&] { events_.wait(file.name); });
    if (fs::exists(blob)) return;
    PartialFile partial(partial_of(file));
    const bool is_resumed = partial.size() > 0;
    std::string hash = complete(file, partial, fetched);
    if (hash != file.blob && is_resumed) {  // a power cut may have damaged the earlier bytes
      partial.clear();
      hash = complete(file, partial, fetched);
    }
    if (hash != file.blob) refuse(file, partial, hash);
    partial.finish(blob);
  }

 private:
  fs::path partial_of(const io::HubFile& file) const { return blob_of(file).string() + ".incomplete"; }

  // The bytes of a file that an interrupted download has left.
  int64_t earlier_bytes(const io::HubFile& file) const {
    std::error_code missing;
    const std::uintmax_t bytes = fs::file_size(partial_of(file), missing);
    return missing ? 0 : static_cast<int64_t>(bytes);
  }

  // Appends the missing bytes and returns the hash of all.
  std::string complete(const io::HubFile& file, PartialFile& partial,
                       const std::function<void(int64_t bytes)>& fetched) const {
    const auto remote = client_.open(file, listing_.commit);
    io::Digest digest = begin_digest(file);
    if (partial.size() > file.size) partial.clear();
    partial.read([&](std::span<const char> bytes) { digest.update(bytes); });
    fetched(partial.size());
    std::vector<char> block(io::kReadAheadBlock);
    while (partial.size() < file.size) {
      stop_if_requested();
      const size_t count = remote->read_at(partial.size(), block);
      if (count == 0) break;  // a shorter file, which has another hash
      const auto bytes = std::span<const char>(block).first(count);
      digest.update(bytes);
      partial.append(bytes);
      fetched(partial.size());
    }
    return digest.digest();
  }

  [[noreturn]] static void refuse(const io::HubFile& file, PartialFile& partial, const std::string& hash) {
    partial.remove();
    throw DataError({.where = file.name,
                     .given = std::to_string(partial.size()) + " bytes with the hash " + hash,
                     .expected = std::to_string(file.size) + " bytes with the hash " + file.blob + ", as the Hub lists",
                     .fix = "retry later: this copy was damaged on the way, or changed"});
  }

  const io::HubClient client_;
  const DownloadEvents& events_;
  const fs::path folder_;
  const io::HubListing listing_;
};

}  // namespace

fs::path download_model(const io::HubName& name, Contents contents, const DownloadEvents& events) {
  const Downloader download(name, events);
  const std::string where = "Hub model " + to_string(name);
  std::vector<io::HubFile> files = required_files(download.listing(), contents, where);
  if (!files.empty() && is_weight_index(files.back())) {
    const io::HubFile index = files.back();
    download.fetch(index, [](int64_t) {});
    const std::vector<io::HubFile> shards = shards_of(index, download.blob_of(index), download.listing(), where);
    files.insert(files.end() - 1, shards.begin(), shards.end());
  }
  download.fetch_all(files);
  return download.link_all(files, name.revision);
}

}  // namespace portatune::hub
