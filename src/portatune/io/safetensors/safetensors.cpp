#include "portatune/io/safetensors/safetensors.h"

#include <simdjson.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors_header.h"

namespace portatune::io {

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path, FileAccess access) {
  return SafetensorsFile(path, MappedFile::open(path, access));
}

SafetensorsFile::SafetensorsFile(std::filesystem::path path, MappedFile file)
    : path_(std::move(path)), file_(std::move(file)) {
  SafetensorsHeader header = parse_safetensors_header(file_.bytes(), path_.string());
  entries_ = std::move(header.entries);
  metadata_ = std::move(header.metadata);
  for (size_t i = 0; i < entries_.size(); ++i) index_.emplace(entries_[i].name, i);
}

std::optional<TensorView> SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return view(entries_[found->second]);
}

namespace {

constexpr int64_t kAlignment = 64;          // PJRT's CPU plugin takes memory with this alignment without a copy
constexpr size_t kHashedPiece = 256 << 10;  // fits into the cache of a core, so that memory is read once

void require_utf8(std::string_view text) {
  if (simdjson::validate_utf8(text)) return;
  throw UsageError({.where = "write_safetensors", .given = "text that is not UTF-8", .expected = "UTF-8"});
}

void require_writable_text(std::span<const NamedTensorType> tensors, const SafetensorsMetadata& metadata) {
  std::set<std::string_view> names{"__metadata__"};
  for (const NamedTensorType& tensor : tensors) {
    require_utf8(tensor.name);
    if (names.insert(tensor.name).second) continue;
    throw UsageError({.where = "write_safetensors",
                      .given = "the name '" + tensor.name + "' twice",
                      .expected = "unique names other than __metadata__"});
  }
  for (const auto& [key, value] : metadata) {
    require_utf8(key);
    require_utf8(value);
  }
}

int64_t bytes_of(std::span<const NamedTensorType> tensors) {
  int64_t bytes = 0;
  for (const NamedTensorType& tensor : tensors) bytes += tensor.type.bytes();
  return bytes;
}

// The header's length and its JSON, padded with spaces to a multiple of kAlignment.
std::string header_bytes(std::span<const NamedTensorType> tensors, const SafetensorsMetadata& metadata) {
  nlohmann::ordered_json::object_t header;
  if (!metadata.empty()) header.emplace_back("__metadata__", metadata);
  int64_t end = 0;
  for (const auto& [name, type] : tensors) {
    const int64_t begin = std::exchange(end, end + type.bytes());
    header.emplace_back(name, nlohmann::ordered_json{{"dtype", safetensors_name_of(type.dtype)},
                                                     {"shape", type.shape.sizes()},
                                                     {"data_offsets", {begin, end}}});
  }
  std::string text = nlohmann::ordered_json(std::move(header)).dump();
  uint64_t length = sizeof(uint64_t) + text.size();
  length = (length + kAlignment - 1) / kAlignment * kAlignment - sizeof length;
  text.resize(length, ' ');
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

// The error for a tensor that the header does not announce. The header is already written, so the tensor would make the
// file invalid.
UsageError not_as_announced(const std::vector<NamedTensorType>& tensors, size_t written, std::string given) {
  const bool is_over = written == tensors.size();
  return UsageError({.where = "SafetensorsWriter",
                     .given = std::move(given) + " after " + std::to_string(written) + " tensors",
                     .expected = is_over ? "only the tensors in the header"
                                         : tensors[written].name + " " + to_string(tensors[written].type)});
}

}  // namespace

bool lies_before(const NamedTensorType& a, const NamedTensorType& b) {
  const auto key = [](const NamedTensorType& tensor) {
    return std::tuple(tensor.type.bytes() % kAlignment != 0, -size_of(tensor.type.dtype),
                      std::string_view(tensor.name));
  };
  return key(a) < key(b);
}

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, std::span<const NamedTensorType> tensors,
                                     const SafetensorsMetadata& metadata)
    : file_(path), tensors_(tensors.begin(), tensors.end()) {
  require_writable_text(tensors, metadata);
  const std::string header = header_bytes(tensors, metadata);
  file_.reserve(std::ssize(header) + bytes_of(tensors));
  put(std::as_bytes(std::span(header)));
}

void SafetensorsWriter::write(const TensorView& tensor) {
  const bool is_next = written_ < tensors_.size() && tensors_[written_].type == tensor.type;
  if (!is_next) throw not_as_announced(tensors_, written_, to_string(tensor.type));
  put(std::span(tensor.data, static_cast<size_t>(tensor.type.bytes())));
  ++written_;
}

void SafetensorsWriter::put(std::span<const std::byte> bytes) {
  bytes_ += std::ssize(bytes);
  while (!bytes.empty()) {
    const std::span<const std::byte> piece = bytes.first(std::min(bytes.size(), kHashedPiece));
    hash_.add(piece);
    file_.write(piece);
    bytes = bytes.subspan(piece.size());
  }
}

FileSum SafetensorsWriter::finish() {
  if (written_ < tensors_.size()) throw not_as_announced(tensors_, written_, "the end");
  file_.finish();
  return {.bytes = bytes_, .xxh3 = hash_.value()};
}

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensorView> tensors,
                       const SafetensorsMetadata& metadata) {
  const auto type_of = [](const NamedTensorView& tensor) { return NamedTensorType{tensor.name, tensor.view.type}; };
  std::vector<NamedTensorView> in_order(tensors.begin(), tensors.end());
  std::ranges::sort(in_order, lies_before, type_of);
  std::vector<NamedTensorType> types;
  for (const NamedTensorView& tensor : in_order) types.push_back(type_of(tensor));

  SafetensorsWriter file(path, types, metadata);
  for (const NamedTensorView& tensor : in_order) file.write(tensor.view);
  file.finish();
}

}  // namespace portatune::io
