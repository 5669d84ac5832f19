// Training and evaluation on remote files, through the real command and servers of the test's own: the same numbers as
// with local ones.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "cli/program.h"
#include "cli/toy.h"
#include "io/fake_hub.h"
#include "io/object_store.h"

namespace portatune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A toy whose data are on a server, under the scheme of the test.
class Remote : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    setenv("NETRC", "/dev/null", 1);
    const bool has_arrow =
        std::filesystem::exists(std::filesystem::path(PORTATUNE_COMMAND).parent_path() / "libportatune_arrow.so");
    if (!has_arrow && std::string(GetParam()) != "http") GTEST_SKIP() << "no plug-in for Arrow";
    store_.put("b/train.csv", toy_csv(64));
    store_.put("b/validation.csv", toy_csv(37));
  }

  std::string url(const std::string& name) const {
    const std::string scheme = GetParam();
    return scheme == "http" ? store_.server().url("/b/" + name) : scheme + "://b/" + name;
  }
  Words fit(const Toy& toy, const Words& more) const {
    Words words = toy.fit(more);
    std::ranges::replace(words, toy.file("train.csv"), url("train.csv"));
    std::ranges::replace(words, toy.file("validation.csv"), url("validation.csv"));
    return words;
  }

  ObjectStore store_;
};

const Words kResumable = {"--epochs", "40", "--checkpoint-every", "7", "--resume"};

TEST_P(Remote, TrainsAndEvaluatesAsOnLocalFiles) {
  const Toy local, remote;
  const Words words = {"--epochs", "3", "--json"};
  const Finished by_file = portatune(local.fit(words)), by_url = portatune(fit(remote, words));
  ASSERT_EQ(by_file.exit_code, 0) << by_file.err;
  ASSERT_EQ(by_url.exit_code, 0) << by_url.err;
  EXPECT_EQ(weights_in(remote.output()), weights_in(local.output()));
  const auto evaluated = [&](const std::string& data) {
    const Finished run =
        portatune({"evaluate", "--model", remote.output(), "--data", data, "--max-length", "16", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return scores_in(run.out);
  };
  EXPECT_EQ(evaluated(url("validation.csv")), evaluated(local.file("validation.csv")));
}

TEST_P(Remote, KilledAndResumedItGivesTheSameBitsAsAnUnbrokenLocalRun) {
  const Toy unbroken, broken;
  ASSERT_EQ(portatune(unbroken.fit(kResumable)).exit_code, 0);
  {
    Program run(fit(broken, kResumable));
    ASSERT_TRUE(run.says("epoch 5/"));
    run.signal(SIGKILL);
    EXPECT_EQ(run.wait().exit_code, 128 + SIGKILL);
  }
  const Finished rest = portatune(fit(broken, kResumable));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("resuming from"));
  EXPECT_EQ(weights_in(broken.output()), weights_in(unbroken.output()));
}

TEST_P(Remote, ResumedWithAnExchangedFileItIsRefused) {
  const Toy toy;
  {
    Program run(fit(toy, kResumable));
    ASSERT_TRUE(run.says("epoch 5/"));
    run.signal(SIGKILL);
    run.wait();
  }
  store_.put("b/train.csv", toy_csv(64));
  const Finished rest = portatune(fit(toy, kResumable));
  EXPECT_EQ(rest.exit_code, 2) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("given     " + url("train.csv") + " fingerprint "));
}

TEST_P(Remote, ASignalEndsAWaitForTheServerAndSavesACheckpoint) {
  const Toy toy;
  Program run(fit(toy, {"--epochs", "4000"}));
  ASSERT_TRUE(run.says("epoch 3/"));
  store_.fail_always({.status = 503});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // so that it waits, which it need not for the test
  run.signal(SIGINT);
  const Finished stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped by SIGINT after step "));
  EXPECT_THAT(names_in(toy.output()), testing::Contains(testing::StartsWith("checkpoint-")));
}

TEST_P(Remote, MissingFilesAndDeniedOnesHaveTheirExitCodes) {
  const Toy toy;
  Words words = fit(toy, {});
  std::ranges::replace(words, url("train.csv"), url("none.csv"));
  const Finished missing = portatune(words);
  EXPECT_EQ(missing.exit_code, 66) << missing.err;
  EXPECT_THAT(missing.err, HasSubstr(url("none.csv")));
  store_.fail_always({.status = 403});
  const Finished denied = portatune(fit(toy, {}));
  EXPECT_EQ(denied.exit_code, 77) << denied.err;
  EXPECT_THAT(denied.err, Not(HasSubstr("secret-of-the-test")));
}

// The toy as a data set of the Hub, whose splits are the files.
TEST(HubDataset, TrainsAndEvaluatesAsLocalFiles) {
  const Toy local, by_name;
  FakeHub hub(io::HubKind::kDataset);
  hub.files["train.csv"] = {toy_csv(64), true};
  hub.files["validation.csv"] = {toy_csv(37)};
  Words words = by_name.fit({"--epochs", "3"});
  std::ranges::replace(words, by_name.file("train.csv"), "hf://datasets/org/tiny");
  std::ranges::replace(words, by_name.file("validation.csv"), "dev=hf:org/tiny");
  const Finished run = portatune(words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("train   train.csv: 64 rows"));
  ASSERT_EQ(portatune(local.fit({"--epochs", "3"})).exit_code, 0);
  EXPECT_EQ(weights_in(by_name.output()), weights_in(local.output()));

  std::ranges::replace(words, "hf://datasets/org/tiny", "hf:org/tiny:none");
  const Finished refused = portatune(words + Words{"--overwrite-output"});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("no split 'none'"), HasSubstr("train, validation")));
}

void expect_no_secret_in(const std::string& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) EXPECT_THAT(read(entry.path()), Not(HasSubstr("-of-the-test"))) << entry.path();
  }
}

TEST(SecretsOfUrls, AreInNoOutputAndNoFile) {
  setenv("NETRC", "/dev/null", 1);
  ObjectStore store;
  store.put("b/train.csv", toy_csv(64));
  store.put("b/validation.csv", toy_csv(8));
  const Toy toy;
  const std::string query = "?token=token-of-the-test&sig=sig-of-the-test";
  Words words = toy.fit({"--epochs", "4000", "--load-best-model-at-end"});
  for (const std::string name : {"train.csv", "validation.csv"}) {
    std::ranges::replace(words, toy.file(name), store.server().url("/b/" + name + query));
  }
  Program run(words);
  ASSERT_TRUE(run.says("epoch 3/"));
  run.signal(SIGINT);
  const Finished stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("/b/train.csv?token=...&sig=...'"));
  EXPECT_THAT(stopped.err, HasSubstr("the secrets of URLs are left out: write them again"));
  EXPECT_THAT(stopped.out + stopped.err, Not(HasSubstr("-of-the-test")));
  expect_no_secret_in(toy.output());
}

TEST(SecretsOfUrls, AreInNoFileOfASweep) {
  setenv("NETRC", "/dev/null", 1);
  ObjectStore store;
  store.put("b/train.csv", toy_csv(16));
  const Toy toy;
  Words words = toy.fit({"--max-steps", "1", "--grid", "weight-decay=0"});
  words.front() = "sweep";
  std::ranges::replace(words, toy.file("train.csv"),
                       store.server().url("/b/train.csv?token=token-of-the-test&sig=sig-of-the-test"));
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out + run.err, Not(HasSubstr("-of-the-test")));
  expect_no_secret_in(toy.output());
}

INSTANTIATE_TEST_SUITE_P(By, Remote, testing::Values("http", "s3", "gs"), [](const auto& of) { return of.param; });

}  // namespace
}  // namespace portatune::cli
