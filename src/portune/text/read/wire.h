// Protocol buffers' wire format, as far as SentencePiece's models use it.
#pragma once

#include <cstdint>
#include <string_view>

namespace portune::text {

/// Goes through the fields of a message. Everything is checked against the message's end.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// Goes to the next field; false at the end. UsageError for what is no message.
  bool next();

  int field() const { return field_; }
  // The field's value as ...; UsageError if it is of another wire type.
  uint64_t varint() const;
  float fixed32() const;
  std::string_view bytes() const;

 private:
  enum class Type { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  uint64_t take_varint();
  std::string_view take(uint64_t size);
  void require(Type type) const;

  std::string_view rest_;
  int field_ = 0;
  Type type_ = Type::kVarint;
  uint64_t varint_ = 0;
  std::string_view bytes_;
};

}  // namespace portune::text
