// --hang-timeout: a run that does not get on ends.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "cli/program.h"
#include "cli/toy.h"
#include "io/http_server.h"

namespace portatune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(HangTimeout, EndsARunWhoseDataDoNotComeAndKeepsItsCheckpoint) {
  const Toy toy;
  const std::string rows = read(toy.file("train.csv"));
  std::atomic<bool> hangs = false;
  const HttpServer server([&](const HttpRequest& request) {
    if (hangs) return HttpResponse{.hangs = true};
    return ranged(request, rows, "1");
  });
  Words words = toy.fit({"--epochs", "100000", "--checkpoint-every", "5", "--hang-timeout", "10"});
  std::ranges::replace(words, toy.file("train.csv"), server.url("/train.csv"));
  Program run(words);
  ASSERT_TRUE(run.makes(toy.output(), "checkpoint-"));
  hangs = true;
  const Finished ended = run.wait();
  EXPECT_EQ(ended.exit_code, 71) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("ended by --hang-timeout: no step, batch or exchange within 10 s"),
                               HasSubstr("(portatune)\n"), HasSubstr("libc.so"),
                               HasSubstr("the newest checkpoint is " + toy.output() + "/checkpoint-"),
                               HasSubstr("resume with  portatune fit")));
  EXPECT_THAT(names_in(toy.output()), testing::Contains(StartsWith("checkpoint-")));
}

TEST(HangTimeout, EndsAnEvaluationWhoseDataDoNotCome) {
  const Toy toy;
  const HttpServer server([](const HttpRequest&) { return HttpResponse{.hangs = true}; });
  ASSERT_EQ(portatune(toy.fit({"--max-steps", "1"})).exit_code, 0);
  const Finished ended =
      portatune({"evaluate", "--model", toy.output(), "--hang-timeout", "5", "--data", server.url("/validation.csv")});
  EXPECT_EQ(ended.exit_code, 71) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("ended by --hang-timeout"), HasSubstr("libc.so"),
                               testing::Not(HasSubstr("checkpoint is"))));
}

// The other process is stopped, as on a machine that is swapping or behind a broken network.
TEST(HangTimeout, EndsProcessesThatWaitForOne) {
  if (!std::filesystem::exists(std::filesystem::path(PORTATUNE_COMMAND).parent_path() / "libportatune_gloo.so")) {
    GTEST_SKIP() << "built without Gloo";
  }
  const Toy toy;
  const Words words = toy.fit({"--epochs", "100000", "--hang-timeout", "10"});
  Program run(with_batch_size(words, "4"), {.processes = 2, .by = By::kEnvironment});
  ASSERT_TRUE(run.says("epoch 2/"));
  ASSERT_EQ(run.processes().size(), 2);
  const pid_t second = run.processes()[1];
  kill(second, SIGSTOP);
  EXPECT_TRUE(run.says("process 0: ended by --hang-timeout"));
  EXPECT_TRUE(run.says("process 0 of 2: ended by --hang-timeout"));
  kill(second, SIGCONT);
  const Finished ended = run.wait();
  EXPECT_EQ(ended.exit_codes.front(), 71) << ended.err;
  EXPECT_NE(ended.exit_codes.back(), 0);
}

}  // namespace
}  // namespace portatune::cli
