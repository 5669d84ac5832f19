// Protocol buffers' wire format, as far as the messages that Portatune reads and writes use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portatune {

/// Goes through the fields of a message. Everything is checked against the message's end.
/// source    protobuf.dev/programming-guides/encoding; groups, which nobody writes any more, are refused
class WireReader {
 public:
  enum class Type : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  explicit WireReader(std::string_view message) : at_(message.data()), end_(message.data() + message.size()) {}

  /// Goes to the next field; false at the end. UsageError for what is no message.
  bool next() {
    if (at_ == end_) return false;
    read_tag();
    read_value();
    return true;
  }

  int field() const { return field_; }
  Type type() const { return type_; }
  // The field's value as ...; UsageError if it is of another wire type.
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
  // Nearly all tags and lengths have one byte.
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

/// A message under construction, field by field.
class WireWriter {
 public:
  /// Integers, enums and bools.
  void varint(int field, uint64_t value);
  void fixed64(int field, uint64_t value);
  /// Strings, bytes and nested messages.
  void bytes(int field, std::string_view value);

  const std::string& message() const { return message_; }

 private:
  void raw_varint(uint64_t value);
  void tag(int field, WireReader::Type type);

  std::string message_;
};

}  // namespace portatune
