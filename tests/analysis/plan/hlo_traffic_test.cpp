#include "portatune/analysis/plan/hlo_traffic.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "portatune/base/wire.h"
#include "portatune/error.h"

namespace portatune::plan {
namespace {

constexpr uint64_t kF32 = 11, kBf16 = 16, kTuple = 13;

std::string shape(uint64_t type, std::initializer_list<uint64_t> dimensions, uint64_t memory_space = 0) {
  WireWriter message, layout;
  message.varint(2, type);
  std::string packed;
  for (const uint64_t size : dimensions) packed += static_cast<char>(size);  // below 128: a byte each
  message.bytes(3, packed);
  layout.varint(8, memory_space);
  message.bytes(5, layout.message());
  return message.message();
}

std::string tuple(std::initializer_list<std::string> shapes) {
  WireWriter message;
  message.varint(2, kTuple);
  for (const std::string& each : shapes) message.bytes(4, each);
  return message.message();
}

struct Computation {
  WireWriter message;
  Computation& add(uint64_t id, const std::string& opcode, const std::string& type,
                   std::initializer_list<uint64_t> operands, std::initializer_list<uint64_t> called = {}) {
    WireWriter instruction;
    instruction.bytes(2, opcode);
    instruction.bytes(3, type);
    instruction.varint(35, id);
    for (const uint64_t operand : operands) instruction.varint(36, operand);
    for (const uint64_t computation : called) instruction.varint(38, computation);
    message.bytes(2, instruction.message());
    return *this;
  }
};

// Adds another computation, with number 7, beside the entry; it counts only in a loop.
std::string module(Computation entry) {
  Computation fused;
  fused.add(1, "add", shape(kF32, {100, 100}), {});
  fused.message.varint(5, 7);
  entry.message.varint(5, 9);
  WireWriter message;
  message.bytes(3, fused.message.message());
  message.bytes(3, entry.message.message());
  message.varint(6, 9);
  return message.message();
}

TEST(HloTraffic, CountsOperandsAndResults) {
  Computation entry;
  entry.add(1, "parameter", shape(kF32, {8, 16}), {})
      .add(2, "parameter", shape(kBf16, {16, 4}), {})
      .add(3, "fusion", shape(kF32, {8, 4}), {1, 2})
      .add(4, "bitcast", shape(kF32, {32}), {3})
      .add(5, "negate", shape(kF32, {32}), {4})
      .add(6, "tuple", tuple({shape(kF32, {32})}), {5});
  EXPECT_EQ(hlo_traffic(module(entry)), (4 * 8 * 16 + 2 * 16 * 4 + 4 * 8 * 4) + 2 * 4 * 32);
}

TEST(HloTraffic, TuplesCountAsTheirElements) {
  Computation entry;
  entry.add(1, "custom-call", tuple({shape(kF32, {8}), shape(kBf16, {3})}), {})
      .add(2, "get-tuple-element", shape(kBf16, {3}), {1})
      .add(3, "negate", shape(kBf16, {3}), {2});
  EXPECT_EQ(hlo_traffic(module(entry)), 32 + 6 + 6 + 6);
}

TEST(HloTraffic, MemoryOnTheChipIsFree) {
  Computation entry;
  entry.add(1, "parameter", shape(kF32, {64}), {})
      .add(2, "copy-start", tuple({shape(kF32, {64}, 1), shape(kF32, {64}), shape(8, {})}), {1})
      .add(3, "copy-done", shape(kF32, {64}, 1), {2})
      .add(4, "fusion", shape(kF32, {64}, 1), {3});
  EXPECT_EQ(hlo_traffic(module(entry)), 256 + 4);  // read once; the scalar is its semaphore
}

TEST(HloTraffic, CountsOnlyTheSlicedOrUpdatedPart) {
  Computation entry;
  entry.add(1, "parameter", shape(kF32, {100, 4}), {})
      .add(2, "parameter", shape(4, {5}), {})
      .add(3, "gather", shape(kF32, {5, 4}), {1, 2})
      .add(4, "dynamic-update-slice", shape(kF32, {100, 4}), {1, 3, 2});
  EXPECT_EQ(hlo_traffic(module(entry)), (20 + 2 * 80) + 2 * 80);
}

// A loop over the other computation, with the constants of its condition, computation 8.
std::string loop(std::initializer_list<uint64_t> constants, const std::string& backend_config = "") {
  Computation condition, entry;
  for (const uint64_t constant : constants) {
    WireWriter literal, instruction;
    literal.bytes(4, std::string(1, static_cast<char>(constant)));
    instruction.bytes(2, "constant");
    instruction.bytes(3, shape(4, {}));
    instruction.bytes(8, literal.message());
    condition.message.bytes(2, instruction.message());
  }
  condition.message.varint(5, 8);
  WireWriter loop;
  loop.bytes(2, "while");
  loop.bytes(3, tuple({shape(kF32, {8})}));
  loop.varint(35, 2);
  loop.varint(38, 7);
  loop.varint(38, 8);
  loop.bytes(43, backend_config);
  entry.add(1, "parameter", shape(kF32, {8}), {});
  entry.message.bytes(2, loop.message());
  entry.add(3, "get-tuple-element", shape(kF32, {8}), {2}).add(4, "negate", shape(kF32, {8}), {3});
  WireWriter with_condition;
  with_condition.bytes(3, condition.message.message());
  return module(entry) + with_condition.message();
}

TEST(HloTraffic, LoopsCountInEachIteration) {
  constexpr double kOnce = 2 * 32, kIteration = 4 * 100 * 100;  // traffic of the other computation
  EXPECT_EQ(hlo_traffic(loop({})), kOnce + kIteration) << "an unknown number of iterations";
  EXPECT_EQ(hlo_traffic(loop({5})), kOnce + 5 * kIteration);
  EXPECT_EQ(hlo_traffic(loop({5, 6})), kOnce + kIteration) << "two constants";
  EXPECT_EQ(hlo_traffic(loop({}, R"({"known_trip_count":{"n":"12"},"known_init_step":{}})")), kOnce + 12 * kIteration);
}

TEST(HloTraffic, RejectsOtherMessages) { EXPECT_THROW(hlo_traffic("\x1A\x7F"), UsageError); }

}  // namespace
}  // namespace portatune::plan
