#include <gtest/gtest.h>

#include <filesystem>

#include "portatune/runtime/pjrt/plugin/plugin.h"
#include "runtime/pjrt/variable.h"

namespace portatune::pjrt {
namespace {

TEST(Environment, SilencesPlugins) {
  const Variable level("TF_CPP_MIN_LOG_LEVEL", nullptr);
  prepare_environment();
  EXPECT_STREQ(std::getenv("TF_CPP_MIN_LOG_LEVEL"), "3");
}

TEST(Environment, KeepsVariablesOfTheUser) {
  const Variable level("TF_CPP_MIN_LOG_LEVEL", "0");
  const Variable type("TPU_ACCELERATOR_TYPE", "v3-8");
  prepare_environment();
  EXPECT_STREQ(std::getenv("TF_CPP_MIN_LOG_LEVEL"), "0");
  EXPECT_STREQ(std::getenv("TPU_ACCELERATOR_TYPE"), "v3-8");
}

TEST(Environment, DisablesTheMetadataServerWithoutATpu) {
  if (std::filesystem::exists("/dev/accel0") || std::filesystem::exists("/dev/vfio/0")) GTEST_SKIP() << "has a TPU";
  const Variable skip("TPU_SKIP_MDS_QUERY", nullptr);
  prepare_environment();
  EXPECT_STREQ(std::getenv("TPU_SKIP_MDS_QUERY"), "1");
}

}  // namespace
}  // namespace portatune::pjrt
