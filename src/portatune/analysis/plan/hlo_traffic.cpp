#include "portatune/analysis/plan/hlo_traffic.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "portatune/base/text/number.h"
#include "portatune/base/wire.h"
#include "portatune/io/tfrecord/packed_varints.h"

namespace portatune::plan {
namespace {

// Field numbers of the messages.
namespace module_field {
constexpr int kComputations = 3;
constexpr int kEntryId = 6;
}  // namespace module_field
namespace computation_field {
constexpr int kInstructions = 2;
constexpr int kId = 5;
}  // namespace computation_field
namespace instruction_field {
constexpr int kOpcode = 2;
constexpr int kShape = 3;
constexpr int kLiteral = 8;
constexpr int kId = 35;
constexpr int kOperands = 36;
constexpr int kCalled = 38;
constexpr int kBackendConfig = 43;
}  // namespace instruction_field
namespace shape_field {
constexpr int kElementType = 2;
constexpr int kDimensions = 3;
constexpr int kTupleShapes = 4;
constexpr int kLayout = 5;
}  // namespace shape_field
constexpr int kMemorySpaceOfLayout = 8;
constexpr int kInt32sOfLiteral = 4;

// Bytes of an element, by PrimitiveType; 0 for tuples, tokens and types without a size.
double element_bytes(uint64_t type) {
  constexpr std::array<double, 26> kBytes = {0, 1, 1, 2, 4, 8,  1, 2, 4,   8,   2, 4, 8,
                                             0, 0, 8, 2, 0, 16, 1, 1, 0.5, 0.5, 1, 1, 1};
  return type < kBytes.size() ? kBytes[type] : 0;
}

// Reads repeated integers, which may be packed or single.
void append_integers(const WireReader& field, std::vector<uint64_t>& values) {
  if (field.type() == WireReader::Type::kVarint) {
    values.push_back(field.varint());
    return;
  }
  const std::string_view packed = field.bytes();
  std::vector<int64_t> numbers(static_cast<size_t>(io::count_packed(packed)));
  io::unpack(packed, numbers);
  values.insert(values.end(), numbers.begin(), numbers.end());
}

// Memory space 0 is main memory; the others of a TPU are on the chip.
bool in_main_memory(std::string_view layout) {
  for (WireReader field(layout); field.next();) {
    if (field.field() == kMemorySpaceOfLayout) return field.varint() == 0;
  }
  return true;
}

double shape_bytes(std::string_view shape) {
  double of_tuple = 0, elements = 1, size = 0;
  std::vector<uint64_t> dimensions;
  bool counts = true;
  for (WireReader field(shape); field.next();) {
    if (field.field() == shape_field::kElementType) size = element_bytes(field.varint());
    if (field.field() == shape_field::kDimensions) append_integers(field, dimensions);
    if (field.field() == shape_field::kTupleShapes) of_tuple += shape_bytes(field.bytes());
    if (field.field() == shape_field::kLayout) counts = in_main_memory(field.bytes());
  }
  for (const uint64_t dimension : dimensions) elements *= static_cast<double>(dimension);
  return of_tuple + (counts ? elements * size : 0);
}

struct Instruction {
  std::string opcode;
  uint64_t id = 0;
  double bytes = 0;
  std::vector<uint64_t> operands, called;
  std::vector<uint64_t> int32s;     // values of a constant
  std::string_view backend_config;  // the compiler's notes, as JSON
};

void read_literal(std::string_view message, std::vector<uint64_t>& int32s) {
  for (WireReader field(message); field.next();) {
    if (field.field() == kInt32sOfLiteral) append_integers(field, int32s);
  }
}

Instruction read_instruction(std::string_view message) {
  Instruction instruction;
  for (WireReader field(message); field.next();) {
    if (field.field() == instruction_field::kOpcode) instruction.opcode = std::string(field.bytes());
    if (field.field() == instruction_field::kShape) instruction.bytes = shape_bytes(field.bytes());
    if (field.field() == instruction_field::kId) instruction.id = field.varint();
    if (field.field() == instruction_field::kOperands) append_integers(field, instruction.operands);
    if (field.field() == instruction_field::kCalled) append_integers(field, instruction.called);
    if (field.field() == instruction_field::kLiteral) read_literal(field.bytes(), instruction.int32s);
    if (field.field() == instruction_field::kBackendConfig) instruction.backend_config = field.bytes();
  }
  return instruction;
}

struct Module {
  uint64_t entry = 0;
  std::unordered_map<uint64_t, std::string_view> computations;
};

Module read_module(std::string_view message) {
  Module module;
  for (WireReader field(message); field.next();) {
    if (field.field() == module_field::kEntryId) module.entry = field.varint();
    if (field.field() != module_field::kComputations) continue;
    for (WireReader part(field.bytes()); part.next();) {
      if (part.field() == computation_field::kId) module.computations[part.varint()] = field.bytes();
    }
  }
  return module;
}

// Operations that only give another name to memory, or to a part of it.
bool moves_nothing(std::string_view opcode) {
  constexpr std::array<std::string_view, 11> kNames = {
      "parameter",  "constant",       "tuple",       "get-tuple-element",   "bitcast", "after-all", "partition-id",
      "replica-id", "add-dependency", "opt-barrier", "optimization-barrier"};
  return std::ranges::find(kNames, opcode) != kNames.end() || opcode.ends_with("-done");
}

double traffic_of(const Instruction& instruction, const std::unordered_map<uint64_t, double>& bytes) {
  if (moves_nothing(instruction.opcode)) return 0;
  const auto operand = [&](size_t i) {
    const auto found = bytes.find(instruction.operands[i]);
    return found == bytes.end() ? 0 : found->second;
  };
  const size_t operands = instruction.operands.size();
  double read = 0;
  for (size_t i = 0; i < operands; ++i) read += operand(i);
  if ((instruction.opcode == "gather" || instruction.opcode == "dynamic-slice") && operands > 0) {
    return read - operand(0) + 2 * instruction.bytes;
  }
  // In place: only the update is read and written.
  if (instruction.opcode == "dynamic-update-slice" && operands > 1) return 2 * operand(1);
  // The results of these name their operands, too, beside what they write.
  if (instruction.opcode == "copy-start" || instruction.opcode == "all-gather-start") return instruction.bytes;
  return read + instruction.bytes;
}

std::vector<Instruction> instructions_of(const Module& module, uint64_t computation) {
  std::vector<Instruction> instructions;
  const auto found = module.computations.find(computation);
  for (WireReader field(found == module.computations.end() ? "" : found->second); field.next();) {
    if (field.field() == computation_field::kInstructions) instructions.push_back(read_instruction(field.bytes()));
  }
  return instructions;
}

// Adds the integers with which a computation compares.
void add_constants(const Module& module, uint64_t computation, std::vector<uint64_t>& constants) {
  for (const Instruction& instruction : instructions_of(module, computation)) {
    constants.insert(constants.end(), instruction.int32s.begin(), instruction.int32s.end());
    for (const uint64_t called : instruction.called) add_constants(module, called, constants);
  }
}

// The number of iterations that the compiler has noted, as in {"known_trip_count":{"n":"5"}}.
std::optional<double> noted_iterations(std::string_view backend_config) {
  constexpr std::string_view kNote = "\"known_trip_count\":{\"n\":\"";
  const size_t found = backend_config.find(kNote);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view rest = backend_config.substr(found + kNote.size());
  return number_in<int64_t>(rest.substr(0, rest.find('"')));
}

// Number of iterations of a loop. Without a note, the condition of a loop over an index has the number as its only
// constant.
double iterations_of(const Module& module, const Instruction& loop) {
  if (const auto noted = noted_iterations(loop.backend_config)) return *noted;
  std::vector<uint64_t> constants;
  if (loop.called.size() == 2) add_constants(module, loop.called[1], constants);  // body and condition
  return constants.size() == 1 ? static_cast<double>(constants[0]) : 1;
}

double traffic_of(const Module& module, uint64_t computation) {
  std::unordered_map<uint64_t, double> bytes;
  double traffic = 0;
  for (const Instruction& instruction : instructions_of(module, computation)) {
    bytes[instruction.id] = instruction.bytes;
    if (instruction.opcode != "while") {
      traffic += traffic_of(instruction, bytes);
      continue;
    }
    double of_iteration = 0;
    for (const uint64_t called : instruction.called) of_iteration += traffic_of(module, called);
    traffic += iterations_of(module, instruction) * of_iteration;
  }
  return traffic;
}

}  // namespace

double hlo_traffic(std::string_view hlo) {
  const Module module = read_module(hlo);
  return traffic_of(module, module.entry);
}

}  // namespace portatune::plan
