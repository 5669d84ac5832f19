#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "io/temporary_folder.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Variables = std::map<std::string, std::string>;

/// Environment variables with these values; the destructor restores the earlier ones.
class Environment {
 public:
  explicit Environment(const Variables& variables) {
    for (const auto& [name, value] : variables) {
      const char* earlier = std::getenv(name.c_str());
      if (earlier != nullptr) earlier_[name] = earlier;
      names_.push_back(name);
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Environment() {
    for (const std::string& name : names_) {
      if (earlier_.contains(name)) setenv(name.c_str(), earlier_[name].c_str(), 1);
      if (!earlier_.contains(name)) unsetenv(name.c_str());
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::vector<std::string> names_;
  Variables earlier_;
};

json report(int exit_code = 0) {
  const Finished finished = portatune({"doctor", "--json"});
  EXPECT_EQ(finished.exit_code, exit_code) << finished.err;
  return json::parse(finished.out);
}

TEST(Doctor, ReportsAUsableMachine) {
  const json facts = report();
  EXPECT_TRUE(facts["usable"]);
  EXPECT_EQ(facts["devices"]["cpu"]["platform"], "cpu");
  EXPECT_EQ(facts["devices"]["tpu"]["error"], "no plugin");
  EXPECT_GT(facts["memory"]["total_bytes"], 0);
  EXPECT_GT(facts["disk"]["current_folder_free_bytes"], 0);
  EXPECT_EQ(facts["plugins"].size(), 4u);
  EXPECT_TRUE(facts["caches"]["programs"]["trusted"]);
  const Finished text = portatune({"doctor"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("\nmemory\n  total "), HasSubstr("GiB\n"), HasSubstr("  cuda13\n"),
                              HasSubstr("Portatune can be used.\n")));
}

TEST(Doctor, SaysHowToGetAMissingPlugin) {
  const Environment environment(Variables{{"PORTATUNE_CPU_PLUGIN", "/absent/xla_cpu_pjrt.so"}});
  const json facts = report(1);
  EXPECT_FALSE(facts["usable"]);
  EXPECT_THAT(facts["problems"][0]["problem"], HasSubstr("/absent/xla_cpu_pjrt.so"));
  EXPECT_EQ(facts["problems"][0]["fix"], "portatune plugin install cpu");
  EXPECT_THAT(portatune({"doctor"}).out,
              AllOf(HasSubstr("fix       portatune plugin install cpu\n"), HasSubstr("No device can be used.\n")));
}

TEST(Doctor, ReportsAPluginThatCannotBeLoaded) {
  const Environment environment(Variables{{"PORTATUNE_CPU_PLUGIN", NOT_A_PLUGIN}});
  const json facts = report(1);
  EXPECT_EQ(facts["devices"]["cpu"]["error"], "a shared library without GetPjrtApi");
  EXPECT_EQ(facts["problems"][0]["problem"], "cpu: a shared library without GetPjrtApi");
}

TEST(Doctor, ReportsAPluginThatCrashes) {
  const Environment environment(Variables{{"PORTATUNE_CPU_PLUGIN", CRASHING_PLUGIN}});
  const json facts = report(1);
  EXPECT_EQ(facts["devices"]["cpu"]["error"], "the plugin crashed: signal 6");
  EXPECT_EQ(facts["problems"][0]["fix"], "see portatune devices --device cpu");
}

// timeout(1) waits for a second in place of the minute that it is asked for.
TEST(Doctor, ReportsAPluginThatHangs) {
  const TemporaryFolder programs;
  write_text(programs / "timeout", "#!/bin/sh\nshift 2\nexec /usr/bin/timeout --kill-after=5 1 \"$@\"\n");
  fs::permissions(programs / "timeout", fs::perms::owner_all);
  const Environment environment(Variables{{"PORTATUNE_CPU_PLUGIN", HANGING_PLUGIN},
                                          {"PATH", programs.path().string() + ":" + std::getenv("PATH")}});
  EXPECT_EQ(report(1)["devices"]["cpu"]["error"], "no answer within 60 seconds");
}

TEST(Doctor, SaysHowToTrustACache) {
  const TemporaryFolder caches;
  const Environment environment(Variables{{"XDG_CACHE_HOME", caches.path().string()}});
  const fs::path programs = caches / "portatune/executables";
  fs::create_directories(programs);
  fs::permissions(programs, fs::perms::others_write, fs::perm_options::add);
  const json facts = report();
  EXPECT_FALSE(facts["caches"]["programs"]["trusted"]);
  const std::string problems = facts["problems"].dump();
  EXPECT_THAT(problems, AllOf(HasSubstr("executables is writable by every user"), HasSubstr("chmod -R o-w")));
}

TEST(Doctor, ReadsTheDevicesAmongOtherLines) {
  const Environment environment(Variables{{"LD_PRELOAD", "/absent/{}.so"}});  // the loader complains on stderr
  const json facts = report();
  EXPECT_EQ(facts["devices"]["cpu"]["platform"], "cpu");
}

TEST(Doctor, ABundleShortensOnlyPathsBelowTheHomeFolder) {
  const TemporaryFolder folder;
  const std::string home = folder / "ann", bundle = folder / "report.tar.gz";
  const Environment environment(Variables{{"HOME", home}, {"XLA_FLAGS", "--xla_dump_to=" + home + "a/dump"}});
  portatune({"doctor", "--bundle", bundle});
  ASSERT_EQ(std::system(("tar -xzf '" + bundle + "' -C '" + folder.path().string() + "'").c_str()), 0);
  EXPECT_THAT(read(folder / "doctor.txt"), HasSubstr(home + "a/dump"));
}

TEST(Doctor, WritesABundleWithoutSecrets) {
  const TemporaryFolder home, target;
  fs::create_directories(home / "hub");
  write_text(home / ".netrc", "machine huggingface.co login me password fake-secret-netrc\n");
  write_text(home / "token", "hf_fake-secret-file");
  const Environment environment(Variables{{"HOME", home.path().string()},
                                          {"HF_HOME", home.path().string()},
                                          {"HF_ENDPOINT", "https://me:fake-secret-endpoint@hub.example"},
                                          {"https_proxy", "me:fake-secret-proxy@proxy.example:3128"},
                                          {"http_proxy", "http://me:fake-secret-proxy@proxy.example:3128"},
                                          {"AWS_SECRET_ACCESS_KEY", "fake-secret-aws"},
                                          {"HUGGING_FACE_HUB_TOKEN", "fake-secret-variable"},
                                          {"PIP_INDEX_URL", "https://me:fake-secret-index@index.example"},
                                          {"XLA_FLAGS", "--xla_dump_to=" + (home / "dump").string()}});
  const std::string bundle = (target / "report.tar.gz").string();
  const Finished finished = portatune({"doctor", "--bundle", bundle});
  EXPECT_THAT(finished.out, AllOf(HasSubstr("...@hub.example"), Not(HasSubstr("fake-secret"))));
  ASSERT_EQ(std::system(("tar -xzf '" + bundle + "' -C '" + target.path().string() + "'").c_str()), 0);
  EXPECT_THAT(names_in(target.path()), testing::ElementsAre("doctor.json", "doctor.txt", "report.tar.gz"));
  for (const char* name : {"doctor.json", "doctor.txt"}) {
    const std::string text = read(target / name);
    EXPECT_THAT(text, AllOf(Not(HasSubstr("fake-secret")), Not(HasSubstr(home.path().string())))) << name;
    EXPECT_THAT(text, AllOf(HasSubstr("...@proxy.example:3128"), HasSubstr("~/dump"))) << name;
  }
  EXPECT_TRUE(json::parse(read(target / "doctor.json"))["network"]["hub_token"]);
}

}  // namespace
}  // namespace portatune::cli
