// --remat: the same training in less memory.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// With the dropout of the model.
TEST(Remat, TrainsToTheSameNumbers) {
  const Toy toy;
  const auto result_of = [&](const std::string& policy) {
    const Finished run = portatune(toy.fit({"--epochs", "2", "--json", "--remat", policy}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    std::filesystem::remove_all(toy.output());
    return json::parse(run.out);
  };
  const json wanted = result_of("none");
  for (const char* policy : {"layers", "dots"}) {
    const json found = result_of(policy);
    EXPECT_EQ(found["train_loss"], wanted["train_loss"]) << policy;
    EXPECT_EQ(found["after"]["loss"], wanted["after"]["loss"]) << policy;
  }
}

TEST(Remat, ARunIsResumedWithAnotherPolicy) {
  const Toy toy;
  Program first(toy.fit({"--epochs", "400"}));
  ASSERT_TRUE(first.says("epoch 2/"));
  first.signal(SIGINT);
  ASSERT_EQ(first.wait().exit_code, 75);
  Program second(toy.fit({"--epochs", "400", "--resume", "--remat", "layers"}));
  ASSERT_TRUE(second.says("epoch "));
  second.signal(SIGINT);
  EXPECT_EQ(second.wait().exit_code, 75);
}

TEST(Remat, RefusesAnUnknownPolicy) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--remat", "everything"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--remat"));
}

}  // namespace
}  // namespace portatune::cli
