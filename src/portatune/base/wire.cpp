#include "portatune/base/wire.h"

#include <bit>
#include <cstring>

#include "portatune/error.h"

namespace portatune {
namespace {

[[noreturn]] void refuse(const std::string& given) {
  throw UsageError({.where = "protocol buffer", .given = given, .expected = "fields that end with the message"});
}

}  // namespace

void WireReader::read_number() {
  switch (type_) {
    case Type::kVarint:
      varint_ = take_varint();
      return;
    case Type::kFixed64:
      bytes_ = take(8);
      return;
    case Type::kFixed32:
      bytes_ = take(4);
      return;
    case Type::kBytes:
      break;
  }
  refuse("wire type " + std::to_string(static_cast<int>(type_)));
}

uint64_t WireReader::take_long_varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  refuse("a number of more than 64 bits");
}

void WireReader::refuse_size(uint64_t size) const {
  refuse("a field of " + std::to_string(size) + " bytes, with only " + std::to_string(end_ - at_) + " left");
}

void WireReader::refuse_type() const { refuse("field " + std::to_string(field_) + " with an unexpected wire type"); }

void WireReader::refuse_field(uint64_t number) { refuse("field number " + std::to_string(number)); }

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

void WireWriter::varint(int field, uint64_t value) {
  tag(field, WireReader::Type::kVarint);
  raw_varint(value);
}

void WireWriter::fixed64(int field, uint64_t value) {
  tag(field, WireReader::Type::kFixed64);
  for (int shift = 0; shift < 64; shift += 8) message_ += static_cast<char>(value >> shift);
}

void WireWriter::fixed32(int field, float value) {
  tag(field, WireReader::Type::kFixed32);
  const auto bits = std::bit_cast<uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) message_ += static_cast<char>(bits >> shift);
}

void WireWriter::bytes(int field, std::string_view value) {
  tag(field, WireReader::Type::kBytes);
  raw_varint(value.size());
  message_ += value;
}

void WireWriter::raw_varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) message_ += static_cast<char>(value | 0x80);
  message_ += static_cast<char>(value);
}

void WireWriter::tag(int field, WireReader::Type type) {
  raw_varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type));
}

}  // namespace portatune
