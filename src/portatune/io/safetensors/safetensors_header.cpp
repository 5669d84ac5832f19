#include "portatune/io/safetensors/safetensors_header.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/git_lfs.h"

namespace portatune::io {
namespace {

namespace json = simdjson::ondemand;

// Limits far above those of any genuine file. The first is part of the format.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kMaxTensors = 1'000'000;
constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kMaxRank = 16;

constexpr uint64_t kLengthBytes = 8;  // size of the header's length, at the start of the file
constexpr std::string_view kMetadataKey = "__metadata__";

constexpr std::array<std::pair<std::string_view, DType>, 12> kDTypes{{{"BOOL", DType::kBool},
                                                                      {"I8", DType::kInt8},
                                                                      {"U8", DType::kUInt8},
                                                                      {"I16", DType::kInt16},
                                                                      {"I32", DType::kInt32},
                                                                      {"U32", DType::kUInt32},
                                                                      {"I64", DType::kInt64},
                                                                      {"U64", DType::kUInt64},
                                                                      {"F16", DType::kFloat16},
                                                                      {"BF16", DType::kBFloat16},
                                                                      {"F32", DType::kFloat32},
                                                                      {"F64", DType::kFloat64}}};

std::string bytes_text(uint64_t count) { return std::to_string(count) + " bytes"; }

// An entry as in the header, with offsets from the end of the header.
struct RawEntry {
  std::optional<DType> dtype;
  std::optional<std::vector<uint64_t>> shape;
  std::optional<std::array<uint64_t, 2>> data_offsets;
};

struct PlacedEntry {
  SafetensorsEntry entry;
  uint64_t begin, end;
};

class HeaderParser {
 public:
  HeaderParser(std::span<const std::byte> file, const std::string& where) : file_(file), where_(where) {}

  SafetensorsHeader parse() {
    const simdjson::padded_string text = header_text();
    try {
      json::document document = parser_.iterate(text);
      read_header(document);
    } catch (const simdjson::simdjson_error& error) {
      fail(std::string("a header that cannot be read: ") + error.what(),
           tensor_.empty() ? "a JSON object" : "an object with dtype, shape and data_offsets");
    }
    place_entries();
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(std::string given, std::string expected, std::string fix = {}) const {
    throw CheckpointError({.where = tensor_.empty() ? where_ : where_ + ": tensor " + in_quotes(tensor_),
                           .given = std::move(given),
                           .expected = std::move(expected),
                           .fix = std::move(fix)});
  }

  uint64_t data_bytes() const { return file_.size() - kLengthBytes - header_bytes_; }

  // Copies the header, because simdjson reads some bytes beyond its end.
  simdjson::padded_string header_text() {
    refuse_git_lfs_pointer<CheckpointError>({reinterpret_cast<const char*>(file_.data()), file_.size()}, where_);
    if (file_.size() < kLengthBytes) {
      fail("a file of " + bytes_text(file_.size()), "the length of the header in the first 8 bytes");
    }
    std::memcpy(&header_bytes_, file_.data(), kLengthBytes);
    const uint64_t rest = file_.size() - kLengthBytes;
    if (header_bytes_ > kMaxHeaderBytes) {
      fail("a header of " + bytes_text(header_bytes_) + " in a file of " + bytes_text(file_.size()),
           "a header of at most " + bytes_text(kMaxHeaderBytes), "check that this is a safetensors file");
    }
    if (header_bytes_ > rest) {
      fail("a file of " + bytes_text(file_.size()),
           "at least " + bytes_text(kLengthBytes + header_bytes_) + ", as the header's length promises",
           "copy or download the file again");
    }
    const std::string_view text(reinterpret_cast<const char*>(file_.data()) + kLengthBytes, header_bytes_);
    if (!text.starts_with('{')) fail("a header that does not start with {", "a JSON object in the header");
    return simdjson::padded_string(text);
  }

  void read_header(json::document& document) {
    bool has_metadata = false;
    for (auto field : document.get_object()) {
      const std::string_view name = field.unescaped_key();
      if (name == kMetadataKey) {
        if (std::exchange(has_metadata, true)) fail("__metadata__ twice", "each name once");
        read_metadata(field.value());
        continue;
      }
      tensor_ = name;
      if (name.size() > kMaxNameBytes) {
        fail("a name of " + bytes_text(name.size()), "at most " + bytes_text(kMaxNameBytes));
      }
      if (placed_.size() == kMaxTensors) {
        fail("more than " + std::to_string(kMaxTensors) + " tensors", "at most that many");
      }
      placed_.push_back(placed(std::string(name), read_entry(field.value())));
      tensor_ = {};
    }
    // simdjson returns OUT_OF_BOUNDS at the end of the document.
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
      fail("more text after the header's JSON object", "only spaces");
    }
  }

  void read_metadata(json::value value) {
    for (auto field : value.get_object()) {
      std::string key(field.unescaped_key().value());
      std::string text(field.value().get_string().value());
      if (!header_.metadata.emplace(key, std::move(text)).second) {
        fail("the key " + in_quotes(key) + " twice in __metadata__", "each key once");
      }
    }
  }

  RawEntry read_entry(json::value value) const {
    RawEntry raw;
    for (auto field : value.get_object()) {
      const std::string_view key = field.unescaped_key();
      bool is_new = true;
      if (key == "dtype") {
        is_new = !std::exchange(raw.dtype, read_dtype(field.value())).has_value();
      } else if (key == "shape") {
        is_new = !std::exchange(raw.shape, read_shape(field.value())).has_value();
      } else if (key == "data_offsets") {
        is_new = !std::exchange(raw.data_offsets, read_offsets(field.value())).has_value();
      } else {
        fail("the key " + in_quotes(key), "dtype, shape and data_offsets");
      }
      if (!is_new) fail(std::string(key) + " twice", "each key once");
    }
    if (!raw.dtype || !raw.shape || !raw.data_offsets) {
      fail(std::string("no ") + (!raw.dtype   ? "dtype"
                                 : !raw.shape ? "shape"
                                              : "data_offsets"),
           "dtype, shape and data_offsets");
    }
    return raw;
  }

  DType read_dtype(json::value value) const {
    const std::string_view name = value.get_string();
    for (const auto& [known, dtype] : kDTypes) {
      if (name == known) return dtype;
    }
    fail("dtype " + in_quotes(name), "BOOL, I8, U8, I16, I32, U32, I64, U64, F16, BF16, F32 or F64");
  }

  std::vector<uint64_t> read_shape(json::value value) const {
    std::vector<uint64_t> shape;
    for (auto size : value.get_array()) {
      if (shape.size() == kMaxRank) {
        fail("more than " + std::to_string(kMaxRank) + " dimensions", "at most that many");
      }
      shape.push_back(size.get_uint64());
    }
    return shape;
  }

  std::array<uint64_t, 2> read_offsets(json::value value) const {
    std::array<uint64_t, 2> offsets{};
    size_t count = 0;
    for (auto offset : value.get_array()) {
      if (count == 2) fail("more than two data_offsets", "begin and end");
      offsets[count++] = offset.get_uint64();
    }
    if (count < 2) fail("fewer than two data_offsets", "begin and end");
    return offsets;
  }

  PlacedEntry placed(std::string name, RawEntry raw) const {
    const auto [begin, end] = *raw.data_offsets;
    const std::string range = "data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "]";
    if (begin > end) fail(range, "a begin at or before the end");
    const uint64_t bytes = checked_bytes(*raw.dtype, *raw.shape);
    if (end - begin != bytes) {
      fail(range + ", " + bytes_text(end - begin), bytes_text(bytes) + ", as dtype and shape require");
    }
    if (end > data_bytes()) {
      fail(range + " in a file of " + bytes_text(file_.size()),
           "at least " + bytes_text(kLengthBytes + header_bytes_) + " of header and " + bytes_text(end) + " of data, " +
               bytes_text(kLengthBytes + header_bytes_ + end) + " in all",
           "copy or download the file again: it is cut short");
    }
    const Shape shape(std::vector<int64_t>(raw.shape->begin(), raw.shape->end()));
    const int64_t offset = static_cast<int64_t>(kLengthBytes + header_bytes_ + begin);
    return {{std::move(name), {*raw.dtype, shape}, offset}, begin, end};
  }

  // Number of bytes of a tensor. Checks each multiplication, because the sizes come from the file.
  uint64_t checked_bytes(DType dtype, const std::vector<uint64_t>& shape) const {
    constexpr uint64_t kMaxBytes = std::numeric_limits<int64_t>::max();
    uint64_t bytes = static_cast<uint64_t>(size_of(dtype));
    for (const uint64_t size : shape) {
      if (size > kMaxBytes || __builtin_mul_overflow(bytes, size, &bytes) || bytes > kMaxBytes) {
        fail("a shape with too many elements", "fewer than 2^63 bytes");
      }
    }
    return bytes;
  }

  // Sorts the tensors by offset and requires that they fill the data without gaps or overlaps, because bytes outside
  // all tensors could hide another file format.
  void place_entries() {
    std::sort(placed_.begin(), placed_.end(), [](const PlacedEntry& a, const PlacedEntry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    uint64_t position = 0;
    for (PlacedEntry& each : placed_) {
      tensor_ = each.entry.name;
      if (each.begin != position) {
        fail("data from byte " + std::to_string(each.begin) + " of the data section",
             "data from byte " + std::to_string(position) + ", the end of the previous tensor");
      }
      position = each.end;
      header_.entries.push_back(std::move(each.entry));
    }
    tensor_ = {};
    if (position != data_bytes()) {
      fail("a file of " + bytes_text(file_.size()),
           bytes_text(kLengthBytes + header_bytes_ + position) + ", as the header promises");
    }
    refuse_duplicate_names();
  }

  void refuse_duplicate_names() {
    std::vector<std::string_view> names;
    for (const SafetensorsEntry& entry : header_.entries) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    const auto twin = std::adjacent_find(names.begin(), names.end());
    if (twin == names.end()) return;
    tensor_ = *twin;
    fail("two tensors of this name", "each name once");
  }

  std::span<const std::byte> file_;
  const std::string& where_;
  uint64_t header_bytes_ = 0;
  json::parser parser_;      // owns the unescaped names
  std::string_view tensor_;  // name of the current tensor, for errors
  std::vector<PlacedEntry> placed_;
  SafetensorsHeader header_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file, const std::string& where) {
  return HeaderParser(file, where).parse();
}

std::string_view safetensors_name_of(DType dtype) {
  for (const auto& [name, known] : kDTypes) {
    if (known == dtype) return name;
  }
  return {};
}

}  // namespace portatune::io
