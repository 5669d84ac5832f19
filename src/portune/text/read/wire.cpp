#include "portune/text/read/wire.h"

#include <bit>
#include <cstring>
#include <string>

#include "portune/error.h"

namespace portune::text {
namespace {

[[noreturn]] void refuse(const std::string& given) {
  throw UsageError({.where = "protocol buffer", .given = given, .expected = "fields that end where the message does"});
}

}  // namespace

bool WireReader::next() {
  if (rest_.empty()) return false;
  const uint64_t tag = take_varint();
  if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) refuse("field number " + std::to_string(tag >> 3));
  field_ = static_cast<int>(tag >> 3);
  type_ = static_cast<Type>(tag & 7);
  switch (type_) {
    case Type::kVarint:
      varint_ = take_varint();
      return true;
    case Type::kFixed64:
      bytes_ = take(8);
      return true;
    case Type::kBytes:
      bytes_ = take(take_varint());
      return true;
    case Type::kFixed32:
      bytes_ = take(4);
      return true;
  }
  refuse("wire type " + std::to_string(tag & 7));
}

uint64_t WireReader::take_varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  refuse("a number of more than 64 bits");
}

std::string_view WireReader::take(uint64_t size) {
  if (size > rest_.size())
    refuse("a field of " + std::to_string(size) + " bytes where there are " + std::to_string(rest_.size()));
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

void WireReader::require(Type type) const {
  if (type_ != type) refuse("field " + std::to_string(field_) + " of another type");
}

uint64_t WireReader::varint() const {
  require(Type::kVarint);
  return varint_;
}

float WireReader::fixed32() const {
  require(Type::kFixed32);
  uint32_t bits = 0;
  std::memcpy(&bits, bytes_.data(), sizeof(bits));
  return std::bit_cast<float>(bits);
}

std::string_view WireReader::bytes() const {
  require(Type::kBytes);
  return bytes_;
}

}  // namespace portune::text
