#include "portune/pjrt/wire_writer.h"

namespace portune::pjrt {
namespace {

constexpr int kVarint = 0;
constexpr int kFixed64 = 1;
constexpr int kLengthDelimited = 2;

}  // namespace

void WireWriter::varint(int field, uint64_t value) {
  tag(field, kVarint);
  raw_varint(value);
}

void WireWriter::fixed64(int field, uint64_t value) {
  tag(field, kFixed64);
  for (int shift = 0; shift < 64; shift += 8) message_ += static_cast<char>(value >> shift);
}

void WireWriter::bytes(int field, std::string_view value) {
  tag(field, kLengthDelimited);
  raw_varint(value.size());
  message_ += value;
}

void WireWriter::raw_varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) message_ += static_cast<char>(value | 0x80);
  message_ += static_cast<char>(value);
}

void WireWriter::tag(int field, int wire_type) { raw_varint(static_cast<uint64_t>(field) << 3 | wire_type); }

}  // namespace portune::pjrt
