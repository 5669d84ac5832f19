// Downloads models of the Hugging Face Hub into its cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "portatune/hub/download/find_model.h"
#include "portatune/io/hub/hub_name.h"

namespace portatune::hub {

/// The events of a download, which are called in its thread.
struct DownloadEvents {
  /// Called often while files arrive: the commit, the bytes so far, and the bytes of all files that the cache lacked.
  std::function<void(const std::string& commit, int64_t bytes, int64_t all)> fetched = [](const auto&, auto, auto) {};
  /// Called once while another process downloads a file.
  std::function<void(const std::string& file)> wait = [](const auto&) {};
};

/// Downloads the files of a model that Portatune reads and that the cache lacks, in the layout of huggingface_hub. The
/// snapshot appears when all files are there. Compares the hash of each file with the Hub's, continues files that a
/// killed process left, and waits for other processes that download the same files.
/// returns   the snapshot
/// errors    errors of io::HubClient and required_files(); DataError for a file with another hash; IoError, with ENOSPC
///           before the download if the disk is too small; Stopped
std::filesystem::path download_model(const io::HubName& name, Contents contents, const DownloadEvents& events = {});

}  // namespace portatune::hub
