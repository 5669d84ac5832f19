// Requests to the Hugging Face Hub.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "portatune/io/file/random_access_file.h"
#include "portatune/io/hub/hub_name.h"
#include "portatune/io/remote/http_transport.h"

namespace portatune::io {

/// A file of a repository.
struct HubFile {
  std::string name;
  int64_t size = 0;
  std::string blob;  ///< its name in the cache: the SHA-256 of large files (Git LFS), git's SHA-1 of others, in hex

  bool is_large() const { return blob.size() == 64; }
};

/// The files of a repository at a commit.
struct HubListing {
  std::string name;  ///< the present name of a repository that may have been renamed
  std::string commit;
  std::vector<HubFile> files;
};

/// Reads one repository of the Hub. The token goes to the Hub only, never to the servers that it redirects to.
///
/// All functions throw: NotFoundError if the repository, revision or file is missing, or is private; IoError with
/// EACCES without permission; errors of open_remote(). No message contains the token.
class HubClient {
 public:
  explicit HubClient(HubName name);

  /// Lists the files of the revision.
  /// errors  also DataError for an answer of another kind
  HubListing list() const;
  /// Access to a file of the revision.
  /// file  its path in the repository
  std::unique_ptr<Transport> transport(const std::string& file) const;
  /// Opens a file of a commit for reading from any offset, with read-ahead.
  std::shared_ptr<const RandomAccessFile> open(const HubFile& file, const std::string& commit) const;

 private:
  std::string url_of(const std::string& file, const std::string& revision) const;
  HttpOptions options() const;

  const HubName name_;
  const std::string endpoint_, token_;
};

}  // namespace portatune::io
