#include "portatune/io/tar/tar_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "portatune/base/text/number.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

constexpr int64_t kBlock = 512;
constexpr int64_t kMaxContent = int64_t{1} << 30;
constexpr int64_t kMaxNames = 1 << 20;  // of a member with a long name
constexpr char kPax = 'x', kGnuName = 'L';

using Block = std::array<char, kBlock>;

std::string_view field(const Block& block, size_t at, size_t size) {
  const std::string_view all(block.data() + at, size);
  return all.substr(0, std::min(all.find('\0'), size));
}

// A number in octal digits, or, with the first bit set, in binary.
std::optional<int64_t> number(const Block& block, size_t at, size_t size) {
  uint64_t value = 0;
  const auto first = static_cast<uint8_t>(block[at]);
  if ((first & 0x80) != 0) {
    value = first & 0x7F;
    for (size_t i = 1; i < size; ++i) {
      if (value >> 54 != 0) return std::nullopt;
      value = value << 8 | static_cast<uint8_t>(block[at + i]);
    }
    return static_cast<int64_t>(value);
  }
  bool has_digits = false;
  for (const char c : field(block, at, size)) {
    if (c == ' ') continue;
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3 | static_cast<uint64_t>(c - '0');
    has_digits = true;
  }
  return has_digits || size > 8 ? std::optional(static_cast<int64_t>(value)) : std::nullopt;
}

// The sum of all bytes, with blanks in place of itself.
bool has_valid_checksum(const Block& block) {
  constexpr size_t kAt = 148, kSize = 8;
  int64_t sum = kSize * ' ';
  for (size_t i = 0; i < block.size(); ++i) sum += i >= kAt && i < kAt + kSize ? 0 : static_cast<uint8_t>(block[i]);
  return number(block, kAt, kSize) == sum;
}

int64_t padded(int64_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

// The value of a key in pax records, "LENGTH KEY=VALUE\n" each.
std::optional<std::string> pax_value(std::string_view records, std::string_view key) {
  std::optional<std::string> found;
  while (!records.empty()) {
    const size_t blank = records.find(' ');
    const auto length = number_in<size_t>(records.substr(0, blank));
    if (blank == std::string_view::npos || !length || *length <= blank + 1 || *length > records.size()) return found;
    const std::string_view record = records.substr(blank + 1, *length - blank - 2);
    const size_t equals = record.find('=');
    if (equals != std::string_view::npos && record.substr(0, equals) == key) found = record.substr(equals + 1);
    records.remove_prefix(*length);
  }
  return found;
}

bool is_zero(std::span<const char> bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == '\0'; });
}

}  // namespace

struct TarReader::Header {
  std::string name;
  char type;
  int64_t begin, size;
};

TarReader::TarReader(const std::string& path) : path_(path), file_(open_random_access(path, Access::kSequential)) {}

std::string TarReader::content(int64_t begin, int64_t size) const {
  std::string bytes(static_cast<size_t>(size), '\0');
  if (file_->read_at(begin, bytes) == bytes.size()) return bytes;
  throw DataError({.where = path_ + ", byte " + std::to_string(begin),
                   .given = "the end of the file, which was longer when it was opened",
                   .expected = "a file that no other program changes while it is read"});
}

std::string TarReader::read(const TarMember& member) const {
  if (member.size > kMaxContent) {
    throw DataError({.where = path_ + ", " + member.name,
                     .given = std::to_string(member.size) + " bytes",
                     .expected = "a file of at most " + std::to_string(kMaxContent)});
  }
  return content(member.begin, member.size);
}

bool TarReader::has_only_zeros_from(int64_t position) const {
  std::string bytes(1 << 16, '\0');
  for (; position < file_->size(); position += std::ssize(bytes)) {
    bytes.resize(file_->read_at(position, bytes));
    if (bytes.empty() || !is_zero(bytes)) return bytes.empty();
  }
  return true;
}

// Nothing at the end: two blocks of zeros, of which writers may omit one or both.
std::optional<TarReader::Header> TarReader::read_header() {
  const auto fail = [&](const std::string& given) {
    return DataError({.where = path_ + ", byte " + std::to_string(position_),
                      .given = given,
                      .expected = "the header of a member of a tar archive"});
  };
  Block block{};
  if (position_ == file_->size()) return std::nullopt;
  if (file_->size() - position_ < kBlock) throw fail("the end of the file");
  if (file_->read_at(position_, block) < block.size()) throw fail("the end of the file");
  if (is_zero(block)) {
    if (!has_only_zeros_from(position_)) throw fail("bytes behind the end mark");
    return std::nullopt;
  }
  if (!has_valid_checksum(block)) throw fail("bytes with another checksum");
  const auto size = number(block, 124, 12);
  const int64_t begin = position_ + kBlock;
  if (!size || *size > file_->size() - begin) throw fail("a member that is longer than the rest of the file");
  const std::string_view name = field(block, 0, 100), prefix = field(block, 345, 155);
  const bool has_prefix = field(block, 257, 6) == "ustar" && !prefix.empty();
  return Header{has_prefix ? std::string(prefix) + "/" + std::string(name) : std::string(name), block[156], begin,
                *size};
}

void TarReader::take_long_name(const Header& header, std::string& name, std::optional<int64_t>& size) const {
  const std::string records = content(header.begin, std::min(header.size, kMaxNames));
  if (header.type == kGnuName) {
    name = records.substr(0, records.find('\0'));
    return;
  }
  name = pax_value(records, "path").value_or(name);
  if (const auto given = pax_value(records, "size")) size = number_in<int64_t>(*given);
}

std::optional<TarMember> TarReader::next() {
  const int64_t first = position_;
  std::string long_name;
  std::optional<int64_t> long_size;
  while (const auto header = read_header()) {
    if (header->type == kPax || header->type == kGnuName) {
      take_long_name(*header, long_name, long_size);
      position_ = header->begin + padded(header->size);
      continue;
    }
    const int64_t size = long_size.value_or(header->size);
    if (size < 0 || size > file_->size() - header->begin) {
      throw DataError({.where = path_ + ", byte " + std::to_string(position_),
                       .given = "a member that is longer than the rest of the file",
                       .expected = "a complete archive"});
    }
    const int64_t start = long_name.empty() ? position_ : first;
    position_ = header->begin + padded(size);
    if (header->type == '0' || header->type == '\0') {
      return TarMember{long_name.empty() ? header->name : long_name, start, header->begin, size};
    }
    long_name.clear();
    long_size.reset();
  }
  return std::nullopt;
}

}  // namespace portatune::io
