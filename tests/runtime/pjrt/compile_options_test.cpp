#include "portatune/runtime/pjrt/compile_options.h"

#include <gtest/gtest.h>

namespace portatune::pjrt {
namespace {

// Expected values are those of protoc --encode=xla.CompileOptionsProto for the text in each comment.

TEST(CompileOptions, OneDevice) {
  // executable_build_options { num_replicas: 1 num_partitions: 1 }
  EXPECT_EQ(serialize({}), std::string("\x1a\x04\x20\x01\x28\x01", 6));
}

TEST(CompileOptions, Partitions) {
  // ... num_partitions: 8 use_spmd_partitioning: true use_shardy_partitioner: true
  EXPECT_EQ(serialize({.partitions = 8}), std::string("\x1a\x09\x20\x01\x28\x08\x30\x01\x98\x01\x01", 11));
}

TEST(CompileOptions, ManyReplicas) {
  // num_replicas: 300 takes two bytes
  EXPECT_EQ(serialize({.replicas = 300}), std::string("\x1a\x05\x20\xac\x02\x28\x01", 7));
}

TEST(CompileOptions, DevicesOfReplicas) {
  // num_replicas: 2 num_partitions: 1
  // device_assignment { replica_count: 2 computation_count: 1 computation_devices { replica_device_ids: [3, 1] } }
  EXPECT_EQ(serialize({.replicas = 2, .device_ids = {3, 1}}),
            std::string("\x1a\x10\x20\x02\x28\x01\x4a\x0a\x08\x02\x10\x01\x1a\x04\x08\x03\x08\x01", 18));
}

TEST(CompileOptions, Overrides) {
  // env_option_overrides { key: "a" value { bool_field: false } }
  // env_option_overrides { key: "b" value { int_field: -1 } }
  // env_option_overrides { key: "c" value { double_field: 1 } }
  // env_option_overrides { key: "d" value { string_field: "s" } }
  const std::string serialized =
      serialize({.xla_options = {{"a", false}, {"b", int64_t{-1}}, {"c", 1.0}, {"d", std::string("s")}}});
  EXPECT_EQ(serialized.substr(6), std::string("\x3a\x07\x0a\x01"
                                              "a\x12\x02\x10\x00"
                                              "\x3a\x10\x0a\x01"
                                              "b\x12\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                              "\x3a\x0e\x0a\x01"
                                              "c\x12\x09\x21\x00\x00\x00\x00\x00\x00\xf0\x3f"
                                              "\x3a\x08\x0a\x01"
                                              "d\x12\x03\x0a\x01s",
                                              9 + 18 + 16 + 10));
}

}  // namespace
}  // namespace portatune::pjrt
