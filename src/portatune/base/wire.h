// The wire format of protocol buffers, as far as Portatune reads and writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portatune {

/// Reads the fields of a message in order. Checks every size against the end of the message.
/// source    protobuf.dev/programming-guides/encoding; the obsolete groups are errors
class WireReader {
 public:
  enum class Type : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  explicit WireReader(std::string_view message) : at_(message.data()), end_(message.data() + message.size()) {}

  /// Moves to the next field; returns false at the end. UsageError if the message is malformed.
  bool next() {
    if (at_ == end_) return false;
    read_tag();
    read_value();
    return true;
  }

  int field() const { return field_; }
  Type type() const { return type_; }
  // The field's value. UsageError if the field has another wire type.
  uint64_t varint() const;
  float fixed32() const;
  std::string_view bytes() const {
    require(Type::kBytes);
    return bytes_;
  }

 private:
  void read_tag() {
    const uint64_t tag = take_varint();
    if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) refuse_field(tag >> 3);
    field_ = static_cast<int>(tag >> 3);
    type_ = static_cast<Type>(tag & 7);
  }
  void read_value() {
    if (type_ == Type::kBytes) {
      bytes_ = take(take_varint());
    } else {
      read_number();
    }
  }
  void read_number();
  // The first branch is fast: nearly all tags and lengths have one byte.
  uint64_t take_varint() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) return static_cast<unsigned char>(*at_++);
    return take_long_varint();
  }
  uint64_t take_long_varint();
  std::string_view take(uint64_t size) {
    if (size > static_cast<uint64_t>(end_ - at_)) refuse_size(size);
    const std::string_view taken(at_, size);
    at_ += size;
    return taken;
  }
  void require(Type type) const {
    if (type_ != type) refuse_type();
  }
  [[noreturn]] void refuse_size(uint64_t size) const;
  [[noreturn]] void refuse_type() const;
  [[noreturn]] static void refuse_field(uint64_t number);

  const char* at_;
  const char* end_;
  int field_ = 0;
  Type type_ = Type::kVarint;
  uint64_t varint_ = 0;
  std::string_view bytes_;
};

/// Builds a message field by field.
class WireWriter {
 public:
  /// Writes an integer, an enum or a bool.
  void varint(int field, uint64_t value);
  void fixed64(int field, uint64_t value);
  void fixed32(int field, float value);
  /// Writes a string, bytes or a nested message.
  void bytes(int field, std::string_view value);

  const std::string& message() const { return message_; }

 private:
  void raw_varint(uint64_t value);
  void tag(int field, WireReader::Type type);

  std::string message_;
};

}  // namespace portatune
