#include "portatune/runtime/pjrt/compile_options.h"

#include <bit>

#include "portatune/base/wire.h"

namespace portatune::pjrt {
namespace {

// Field numbers of xla/pjrt/proto/compile_options.proto.
namespace compile_options {
constexpr int kExecutableBuildOptions = 3;
constexpr int kEnvOptionOverrides = 7;
}  // namespace compile_options
namespace build_options {
constexpr int kNumReplicas = 4;
constexpr int kNumPartitions = 5;
constexpr int kUseSpmdPartitioning = 6;
constexpr int kDeviceAssignment = 9;
constexpr int kUseShardyPartitioner = 19;
}  // namespace build_options
// Field numbers of xla.DeviceAssignmentProto.
namespace device_assignment {
constexpr int kReplicaCount = 1;
constexpr int kComputationCount = 2;
constexpr int kComputationDevices = 3;
constexpr int kReplicaDeviceIds = 1;
}  // namespace device_assignment
namespace map_entry {
constexpr int kKey = 1;
constexpr int kValue = 2;
}  // namespace map_entry

// Writes an OptionOverrideProto, which has one field for each type of value.
struct WriteOverride {
  WireWriter& out;
  void operator()(const std::string& value) const { out.bytes(1, value); }
  void operator()(bool value) const { out.varint(2, value); }
  void operator()(int64_t value) const { out.varint(3, static_cast<uint64_t>(value)); }
  void operator()(double value) const { out.fixed64(4, std::bit_cast<uint64_t>(value)); }
};

std::string device_assignment_of(const std::vector<int64_t>& ids) {
  WireWriter devices;
  for (const int64_t id : ids) devices.varint(device_assignment::kReplicaDeviceIds, static_cast<uint64_t>(id));
  WireWriter out;
  out.varint(device_assignment::kReplicaCount, ids.size());
  out.varint(device_assignment::kComputationCount, 1);
  out.bytes(device_assignment::kComputationDevices, devices.message());
  return out.message();
}

std::string build_options_of(const CompileOptions& options) {
  WireWriter out;
  out.varint(build_options::kNumReplicas, static_cast<uint64_t>(options.replicas));
  out.varint(build_options::kNumPartitions, static_cast<uint64_t>(options.partitions));
  if (options.partitions > 1) {
    out.varint(build_options::kUseSpmdPartitioning, true);
    out.varint(build_options::kUseShardyPartitioner, true);
  }
  if (!options.device_ids.empty()) {
    out.bytes(build_options::kDeviceAssignment, device_assignment_of(options.device_ids));
  }
  return out.message();
}

}  // namespace

std::string serialize(const CompileOptions& options) {
  WireWriter out;
  out.bytes(compile_options::kExecutableBuildOptions, build_options_of(options));
  for (const auto& [name, value] : options.xla_options) {
    WireWriter typed;
    std::visit(WriteOverride{typed}, value);
    WireWriter entry;
    entry.bytes(map_entry::kKey, name);
    entry.bytes(map_entry::kValue, typed.message());
    out.bytes(compile_options::kEnvOptionOverrides, entry.message());
  }
  return out.message();
}

}  // namespace portatune::pjrt
