// --mesh: training on several devices, which are virtual here.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(MeshOption, TrainsToWhatOneDeviceTrainsTo) {
  const Toy toy;
  const auto result_of = [&](const std::string& batch_size, const Words& more) {
    return json::parse(toy.result_without_dropout(with_batch_size(toy.fit(Words{"--epochs", "2"} + more), batch_size)));
  };
  const json wanted = result_of("8", {});
  for (const auto& [mesh, batch_size] :
       {std::pair("data=2,fsdp=2", "2"), {"data=4", "2"}, {"tensor=2", "8"}, {"data=2,fsdp=2,tensor=2", "2"}}) {
    const json found = result_of(batch_size, {"--mesh", mesh});
    EXPECT_EQ(found["steps"], wanted["steps"]);
    EXPECT_NEAR(found["train_loss"].get<double>(), wanted["train_loss"].get<double>(), 1e-4) << mesh;
    EXPECT_NEAR(found["after"]["loss"].get<double>(), wanted["after"]["loss"].get<double>(), 1e-4) << mesh;
  }
}

TEST(MeshOption, DevicesAlongTensorWorkOnTheSamePackedRows) {
  const Toy toy;
  const auto loss_with = [&](const Words& more) {
    const Words words = toy.fit(Words{"--epochs", "2", "--packing", "exact_examples"} + more);
    return json::parse(toy.result_without_dropout(words))["train_loss"].get<double>();
  };
  EXPECT_NEAR(loss_with({"--mesh", "tensor=2"}), loss_with({}), 1e-4);
}

TEST(MeshOption, DividesCrossValidationToo) {
  const Toy toy;
  const Finished run =
      portatune({"fit", "--model", tiny_bert(), "--train", toy.file("train.csv"), "--folds", "2", "--output",
               toy.output(), "--max-length", "16", "--batch-size", "4", "--epochs", "1", "--mesh", "data=2", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(MeshOption, IsOfTheRunThatIsResumed) {
  const Toy toy;
  Program first(with_batch_size(toy.fit({"--epochs", "400", "--mesh", "fsdp=2"}), "4"));
  ASSERT_TRUE(first.says("epoch 2/"));
  first.signal(SIGINT);
  const Finished stopped = first.wait();
  ASSERT_EQ(stopped.exit_code, 75);
  EXPECT_THAT(stopped.err, HasSubstr("--mesh fsdp=2"));
  const Finished refused = portatune(with_batch_size(toy.fit({"--epochs", "400", "--resume"}), "4"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("devices along data and fsdp 2"));
  // As many devices, which hold the weights in another way.
  Program second(
      with_batch_size(toy.fit({"--epochs", "400", "--resume", "--mesh", "data=2", "--allow-different-bits"}), "4"));
  ASSERT_TRUE(second.says("resuming from"));
  ASSERT_TRUE(second.says("epoch "));
  second.signal(SIGINT);
  EXPECT_EQ(second.wait().exit_code, 75);
}

TEST(MeshOption, RefusesWhatIsNoMeshAndWhatCannotBeDivided) {
  const Toy toy;
  const auto error_of = [&](const Words& options) {
    const Finished run = portatune(toy.fit(options));
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(toy.output()));
    return run.err;
  };
  EXPECT_THAT(error_of({"--mesh", "replicas=8"}), HasSubstr("data=4,fsdp=2"));
  EXPECT_THAT(error_of({"--mesh", "tensor=4"}), HasSubstr("2 attention heads"));
  EXPECT_THAT(error_of({"--mesh", "data=2", "--task", "masked-lm", "--next-sentence"}), HasSubstr("--mesh data=2"));
}

}  // namespace
}  // namespace portatune::cli
