// --mesh: training on several devices, which are virtual here.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json result_of(const Toy& toy, const std::string& batch_size, const Words& options) {
  const Finished run = portune(with_batch_size(toy.fit(Words{"--epochs", "2", "--json"} + options), batch_size));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return json::parse(run.out);
}

TEST(MeshOption, MakesABatchOfEachDevicesRows) {
  const Toy one, four;
  const json wanted = result_of(one, "8", {});
  const json found = result_of(four, "2", {"--mesh", "data=2,fsdp=2"});
  EXPECT_EQ(found["steps"], wanted["steps"]);
  // Other masks of dropout.
  EXPECT_NEAR(found["after"]["loss"].get<double>(), wanted["after"]["loss"].get<double>(), 0.1);
}

TEST(MeshOption, IsOfTheRunThatIsResumed) {
  const Toy toy;
  Program first(with_batch_size(toy.fit({"--epochs", "400", "--mesh", "fsdp=2"}), "4"));
  ASSERT_TRUE(first.says("epoch 2/"));
  first.signal(SIGINT);
  const Finished stopped = first.wait();
  ASSERT_EQ(stopped.exit_code, 75);
  EXPECT_THAT(stopped.err, HasSubstr("--mesh fsdp=2"));
  const Finished refused = portune(with_batch_size(toy.fit({"--epochs", "400", "--resume"}), "4"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("devices_of_a_batch 2"));
  // As many devices, which hold the weights in another way.
  Program second(with_batch_size(toy.fit({"--epochs", "400", "--resume", "--mesh", "data=2"}), "4"));
  ASSERT_TRUE(second.says("epoch "));
  second.signal(SIGINT);
  EXPECT_EQ(second.wait().exit_code, 75);
}

TEST(MeshOption, RefusesWhatIsNoMeshAndWhatCannotBeDivided) {
  const Toy toy;
  const auto error_of = [&](const Words& options) {
    const Finished run = portune(toy.fit(options));
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(toy.output()));
    return run.err;
  };
  EXPECT_THAT(error_of({"--mesh", "replicas=8"}), HasSubstr("data=4,fsdp=2"));
  EXPECT_THAT(error_of({"--mesh", "data=2", "--task", "masked-lm", "--next-sentence"}), HasSubstr("no --mesh"));
}

}  // namespace
}  // namespace portune::cli
