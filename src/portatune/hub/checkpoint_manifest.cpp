#include "portatune/hub/checkpoint_manifest.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kManifestFormat = 1;
constexpr int64_t kMaxBytes = 10 << 20;
constexpr const char* kFix = "resume from another checkpoint";
constexpr const char* kFixOfWeights =
    "use another checkpoint; if you replaced this file, remove checkpoint_manifest.json";

// Names come from a file, so they must not lead out of the folder.
bool stays_inside(const fs::path& name) {
  return name.is_relative() && !name.empty() && std::ranges::find(name, "..") == name.end();
}

FileSums read_manifest(const fs::path& checkpoint) {
  const fs::path file = checkpoint / kManifestFile;
  if (!fs::exists(file)) {
    throw CheckpointError({.where = checkpoint.string(),
                           .given = std::string("no ") + kManifestFile,
                           .expected = "the checksums of its files (older versions wrote none)",
                           .fix = kFix});
  }
  const FileSums sums = sums_in(io::read_text(file, kMaxBytes), file.string());
  if (!sums.empty()) return sums;
  throw CheckpointError(
      {.where = file.string(), .given = "no files", .expected = "the files of a checkpoint", .fix = kFix});
}

bool is_weight_file(std::string_view name) {
  return name.ends_with(".safetensors") && (name.starts_with("model") || name.starts_with("adapter_model"));
}

void verify(const fs::path& file, const io::FileSum& expected, const char* fix) {
  const auto refuse = [&](const std::string& given, const std::string& wanted) {
    throw CheckpointError({.where = file.string(), .given = given, .expected = wanted, .fix = fix});
  };
  const std::string bytes = counted(expected.bytes, "byte");
  if (!fs::is_regular_file(file)) refuse("no such file", "a file of " + bytes);
  const auto size = static_cast<int64_t>(fs::file_size(file));
  if (size != expected.bytes) refuse(counted(size, "byte"), bytes);
  const io::FileSum found = io::sum_of_file(file);
  if (found == expected) return;
  refuse("damaged data, with the checksum " + hexadecimal(found.xxh3),
         "the checksum " + hexadecimal(expected.xxh3) + " of " + kManifestFile);
}

StampedCheckpoint stamped(const fs::path& checkpoint, const FileSums& sums) {
  StampedCheckpoint result{.folder = fs::absolute(checkpoint), .stamps = {}};
  for (const auto& [name, sum] : sums) result.stamps.push_back(io::FileStamp::of((checkpoint / name).string()));
  result.stamps.push_back(io::FileStamp::of((checkpoint / kManifestFile).string()));
  return result;
}

}  // namespace

std::shared_ptr<ValidCheckpoint> new_valid_checkpoint() { return std::make_shared<ValidCheckpoint>(); }

void ValidCheckpoint::set(StampedCheckpoint checkpoint) {
  const std::lock_guard lock(lock_);
  checkpoint_ = std::move(checkpoint);
}

bool ValidCheckpoint::is(const StampedCheckpoint& checkpoint) const {
  const std::lock_guard lock(lock_);
  return checkpoint == checkpoint_;
}

std::string text_of_sums(const FileSums& sums) {
  auto files = nlohmann::ordered_json::array();
  for (const auto& [name, sum] : sums) {
    files.push_back({{"name", name}, {"bytes", sum.bytes}, {"xxh3", hexadecimal(sum.xxh3)}});
  }
  return nlohmann::ordered_json{{"format", kManifestFormat}, {"files", files}}.dump(2) + "\n";
}

FileSums sums_in(const std::string& text, const std::string& where) {
  const auto refuse = [&](const std::string& given, const std::string& expected) {
    throw CheckpointError({.where = where, .given = given, .expected = expected, .fix = kFix});
  };
  const io::JsonObject manifest = io::JsonObject::parse(text, where);
  manifest.get_int("format", {kManifestFormat, kManifestFormat});
  FileSums sums;
  for (const io::JsonObject& file : manifest.get_objects("files")) {
    const std::string name = file.get_string("name"), digits = file.get_string("xxh3");
    if (!stays_inside(name)) refuse("the file " + in_quotes(name), "a file name in this folder");
    sums[name] = {.bytes = file.get_int("bytes", {.least = 0}), .xxh3 = std::strtoull(digits.c_str(), nullptr, 16)};
  }
  if (text_of_sums(sums) != text) refuse("damaged data", "the text as it was written");
  return sums;
}

void write_manifest(const fs::path& folder, FileSums sums) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (entry.is_regular_file() && !sums.contains(name)) sums.emplace(name, io::sum_of_file(entry.path()));
  }
  io::write_file(folder / kManifestFile, text_of_sums(sums));
}

void verify_manifest(const fs::path& checkpoint, ValidCheckpoint* last) {
  const FileSums sums = read_manifest(checkpoint);
  StampedCheckpoint before = stamped(checkpoint, sums);
  if (last != nullptr && last->is(before)) return;
  for (const auto& [name, sum] : sums) verify(checkpoint / name, sum, kFix);
  if (last != nullptr) last->set(std::move(before));
}

void verify_weights(const fs::path& model, const ValidCheckpoint* last) {
  if (!fs::exists(model / kManifestFile)) return;
  const FileSums sums = read_manifest(model);
  if (last != nullptr && last->is(stamped(model, sums))) return;
  for (const auto& [name, sum] : sums) {
    if (is_weight_file(name)) verify(model / name, sum, kFixOfWeights);
  }
}

}  // namespace portatune::hub
