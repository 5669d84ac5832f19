// Protocol Buffers' wire format, writing only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portune::pjrt {

/// A message under construction, field by field.
/// source    protobuf.dev/programming-guides/encoding
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
  void tag(int field, int wire_type);

  std::string message_;
};

}  // namespace portune::pjrt
