#include "portatune/io/tfrecord/packed_varints.h"

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include "portatune/error.h"

#ifdef __BMI2__
#include <immintrin.h>
#endif

namespace portatune::io {
namespace {

constexpr uint64_t kEnds = 0x8080808080808080;  // the high bits, which are clear in the last byte of each number

[[noreturn]] void refuse_packed(const std::string& given, const std::string& expected) {
  throw UsageError({.where = "packed integers", .given = given, .expected = expected});
}

uint64_t eight_bytes(const void* at) {
  uint64_t eight;
  std::memcpy(&eight, at, sizeof eight);
  return eight;
}

template <class T>
T narrowed(int64_t value) {
  if (value == static_cast<T>(value)) return static_cast<T>(value);
  refuse_packed(std::to_string(value), "integers that 32 bits can hold");
}

// Decodes one number. count_packed() has checked that it ends.
int64_t take_number(const unsigned char*& at) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const unsigned char byte = *at++;
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return static_cast<int64_t>(value);
  }
  refuse_packed("a number of more than 64 bits", "a list of int64");
}

#ifdef __BMI2__
// Decodes the numbers that end within these eight bytes, at the bits of `ends`. Always writes four numbers: nearly all
// groups of token ids have at most four, and a loop of variable length would be mispredicted. `out` has room for eight.
template <class T>
void take_numbers(uint64_t eight, uint64_t ends, int count, T* out) {
  uint64_t before = 0;
  const auto take = [&] {
    const uint64_t up_to = ends ^ (ends - 1);
    const auto value = static_cast<int64_t>(_pext_u64(eight, up_to & ~before & ~kEnds));
    before = up_to;
    ends &= ends - 1;
    return value;
  };
  for (int i = 0; i < 4; ++i) {
    const int64_t value = take();
    if constexpr (sizeof(T) == sizeof value) {
      out[i] = value;  // the next call overwrites numbers beyond the count
    } else {
      out[i] = i < count ? narrowed<T>(value) : T{};
    }
  }
  for (int i = 4; i < count; ++i) out[i] = narrowed<T>(take());
}
#endif

using EightBytes = unsigned char __attribute__((vector_size(8)));
using EightInt64 = int64_t __attribute__((vector_size(64)));
using EightInt32 = int32_t __attribute__((vector_size(32)));

// Converts eight bytes to eight numbers in few instructions.
template <class T>
void widen(uint64_t eight, T* out) {
  using Numbers = std::conditional_t<sizeof(T) == 8, EightInt64, EightInt32>;
  const auto numbers = __builtin_convertvector(std::bit_cast<EightBytes>(eight), Numbers);
  std::memcpy(out, &numbers, sizeof numbers);
}

// Decodes eight bytes at a time while enough bytes and enough room for their numbers remain.
template <class T>
size_t unpack_as(std::string_view numbers, std::span<T> out) {
  const auto* at = reinterpret_cast<const unsigned char*>(numbers.data());
  const auto* const end = at + numbers.size();
  T* next = out.data();
  T* const last = next + out.size();
  while (end - at >= 8 && last - next >= 8) {
    const uint64_t eight = eight_bytes(at);
    const uint64_t ends = ~eight & kEnds;
    if (ends == kEnds) {
      widen(eight, next);
      at += 8;
      next += 8;
      continue;
    }
#ifdef __BMI2__
    if (ends != 0) {
      const int count = std::popcount(ends);
      take_numbers(eight, ends, count, next);
      next += count;
      at += 8 - std::countl_zero(ends) / 8;
      continue;
    }
#endif
    *next++ = narrowed<T>(take_number(at));
  }
  while (at != end) *next++ = narrowed<T>(take_number(at));
  return static_cast<size_t>(next - out.data());
}

}  // namespace

int64_t count_packed(std::string_view numbers) {
  if (numbers.empty()) return 0;
  if (static_cast<unsigned char>(numbers.back()) >= 0x80)
    refuse_packed("a number that is cut short", "a list of int64");
  int64_t continued = 0;
  size_t at = 0;
  for (; at + 8 <= numbers.size(); at += 8) continued += std::popcount(eight_bytes(numbers.data() + at) & kEnds);
  for (; at < numbers.size(); ++at) continued += static_cast<unsigned char>(numbers[at]) >= 0x80;
  return std::ssize(numbers) - continued;
}

size_t unpack(std::string_view numbers, std::span<int64_t> out) { return unpack_as(numbers, out); }
size_t unpack(std::string_view numbers, std::span<int32_t> out) { return unpack_as(numbers, out); }

}  // namespace portatune::io
