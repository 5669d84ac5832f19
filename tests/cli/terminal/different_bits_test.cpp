// Runs that are resumed where the last bits come out otherwise.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "train/renew_manifest.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// A finished run of two epochs, to be trained further.
class DifferentBits : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(portatune(fit("2")).exit_code, 0); }
  Words fit(const std::string& epochs, const Words& more = {}) const {
    return toy_.fit({"--epochs", epochs, "--lr-scheduler-type", "constant", "--checkpoint-every", "4"}) + more;
  }
  Words resume(const Words& more = {}) const { return fit("3", Words{"--resume", "--json"} + more); }
  json record() const { return json::parse(read(toy_.output() + "/training_run.json")); }
  const Toy toy_;
};

TEST_F(DifferentBits, OfOtherKernelsAreRefusedUnlessAllowedAndThenReported) {
  const Finished refused = portatune(resume({"--no-kernels"}));
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("given     kernels none"), HasSubstr("expected  kernels portatune kernels "),
                                 HasSubstr("--allow-different-bits")));
  const Finished allowed = portatune(resume({"--no-kernels", "--allow-different-bits"}));
  ASSERT_EQ(allowed.exit_code, 0) << allowed.err;
  const auto deviations = ElementsAre(AllOf(HasSubstr("after step 8: kernels none in place of portatune kernels ")));
  EXPECT_THAT(json::parse(allowed.out)["deviations"].get<Words>(), deviations);
  EXPECT_THAT(record()["deviations"].get<Words>(), deviations);
  EXPECT_EQ(record()["machine"]["kernels"], "none");
  EXPECT_THAT(json::parse(read(toy_.output() + "/checkpoint-12/training_state.json"))["deviations"].get<Words>(),
              deviations);
}

TEST_F(DifferentBits, OfOtherFlagsAreRefused) {
  setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=true", 1);
  const Finished refused = portatune(resume());
  unsetenv("XLA_FLAGS");
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("flags XLA_FLAGS=--xla_cpu_enable_fast_math=true"));
}

// Only the record of the run can have another plugin here.
TEST_F(DifferentBits, OfAnotherPluginAreRefused) {
  const std::filesystem::path checkpoint = toy_.output() + "/checkpoint-8";
  json state = json::parse(read(checkpoint / "training_state.json"));
  state["machine"]["plugin"] = "another plugin";
  write(checkpoint / "training_state.json", state.dump());
  test::renew_manifest(checkpoint);
  const Finished refused = portatune(resume());
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("given     plugin "), HasSubstr("expected  plugin another plugin")));
}

TEST_F(DifferentBits, OfAnotherInstructionSetAreRefused) {
  if (record()["machine"]["instruction set"].get<std::string>().find("avx512") == std::string::npos) {
    GTEST_SKIP() << "oneDNN has no AVX-512 to do without here";
  }
  setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  const Finished refused = portatune(resume());
  unsetenv("ONEDNN_MAX_CPU_ISA");
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("instruction set x86-64-v4, avx2,"));
}

TEST_F(DifferentBits, AreNoneWhereNothingDiffers) {
  const Finished run = portatune(resume());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(json::parse(run.out).contains("deviations"));
}

}  // namespace
}  // namespace portatune::cli
