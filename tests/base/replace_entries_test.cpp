#include "portatune/base/replace_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/faulty_calls.h"
#include "io/temporary_folder.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using test::Fault;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

// A folder whose files a, b and stale are to give way to new/a, new/b and new/c.
class Place {
 public:
  Place() {
    fs::create_directory(folder_ / "new");
    for (const char* name : {"a", "b", "stale", "other"}) write_text(folder_ / name, "old");
    for (const char* name : {"new/a", "new/b", "new/c"}) write_text(folder_ / name, "new");
  }

  const fs::path& path() const { return folder_.path(); }
  fs::path operator/(std::string_view name) const { return folder_ / name; }

  void replace() const {
    replace_entries(path(), {{{}, *this / "a"},
                             {{}, *this / "stale"},
                             {*this / "new/b", *this / "b"},
                             {*this / "new/c", *this / "c"},
                             {*this / "new/a", *this / "a"}});
  }
  bool is_old() const {
    return names_in(path()) == std::set<std::string>{"a", "b", "new", "other", "stale"} &&
           names_in(*this / "new") == std::set<std::string>{"a", "b", "c"} && text_of(*this / "a") == "old" &&
           text_of(*this / "b") == "old" && text_of(*this / "stale") == "old";
  }
  bool is_new() const {
    return names_in(path()) == std::set<std::string>{"a", "b", "c", "new", "other"} && fs::is_empty(*this / "new") &&
           text_of(*this / "a") == "new" && text_of(*this / "b") == "new" && text_of(*this / "c") == "new" &&
           text_of(*this / "other") == "old";
  }

 private:
  TemporaryFolder folder_;
};

// In a child process, whose `call`-th system call ends it. Whether it was reached.
bool dies_while(int call, const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    test::plan_fault(Fault::kEndsProcess, call);
    action();
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ReplaceEntries, ReplacesAllAndLeavesNothingElse) {
  const Place place;
  place.replace();
  EXPECT_TRUE(place.is_new());
}

TEST(ReplaceEntries, ReplacesFoldersToo) {
  const Place place;
  fs::create_directories(place / "logs/sub");
  fs::create_directory(place / "new/logs");
  replace_entries(place.path(), {{place / "new/logs", place / "logs"}});
  EXPECT_TRUE(fs::is_empty(place / "logs"));
}

TEST(ReplaceEntries, AFailureAtAnyCallLeavesAllAsItWas) {
  for (int call = 0;; ++call) {
    const Place place;
    test::plan_fault(Fault::kFails, call);
    try {
      place.replace();
    } catch (const IoError&) {
      EXPECT_TRUE(place.is_old()) << "call " << call;
      continue;
    }
    const bool has_met = test::has_met_fault();  // a call that may fail
    test::plan_fault(Fault::kNone, 0);
    finish_replacements(place.path());
    EXPECT_TRUE(place.is_new()) << "call " << call;
    if (!has_met) break;
    EXPECT_GT(call, 0);
  }
}

TEST(ReplaceEntries, WhatCanNeitherBeDoneNorUndoneIsFinishedLater) {
  bool is_met = false;
  for (int call = 0; call < 30; ++call) {
    const Place place;
    test::plan_fault(Fault::kFailsForEver, call);
    try {
      place.replace();
    } catch (const UnfinishedReplacement&) {
      is_met = true;
    } catch (const IoError&) {
    }
    test::plan_fault(Fault::kNone, 0);
    finish_replacements(place.path());
    EXPECT_TRUE(place.is_new() || (call == 0 && place.is_old())) << "call " << call;
  }
  EXPECT_TRUE(is_met);
}

TEST(ReplaceEntries, ADeathAtAnyCallIsFinishedLater) {
  int call = 0;
  for (;; ++call) {
    const Place place;
    const bool died = dies_while(call, [&] { place.replace(); });
    finish_replacements(place.path());
    EXPECT_TRUE(place.is_new() || (call == 0 && place.is_old())) << "call " << call;
    if (!died) break;
  }
  EXPECT_GT(call, 5);
}

TEST(ReplaceEntries, ADeathWhileFinishingIsFinishedLaterStill) {
  for (int call = 1; call < 8; ++call) {
    for (int later = 0; later < 8; ++later) {
      const Place place;
      if (!dies_while(call, [&] { place.replace(); })) continue;
      dies_while(later, [&] { finish_replacements(place.path()); });
      finish_replacements(place.path());
      EXPECT_TRUE(place.is_new()) << call << ", " << later;
    }
  }
}

bool has_finished_journal(const fs::path& folder) {
  return std::ranges::any_of(names_in(folder),
                             [](const std::string& name) { return name.starts_with(".portatune-done."); });
}

TEST(FinishReplacements, DoesNotTouchAFileThatHasComeSince) {
  bool is_met = false;
  for (int call = 0;; ++call) {
    const Place place;
    if (!dies_while(call, [&] { place.replace(); })) break;
    if (!has_finished_journal(place.path())) continue;
    is_met = true;
    write_text(place / "stale", "mine");
    finish_replacements(place.path());
    EXPECT_EQ(text_of(place / "stale"), "mine");
    EXPECT_FALSE(has_finished_journal(place.path()));
  }
  EXPECT_TRUE(is_met);
}

TEST(FinishReplacements, NeedsNoFolderOfSourcesWhereAllIsInPlace) {
  bool is_met = false;
  for (int call = 1; call < 30; ++call) {
    const Place place;
    test::plan_fault(Fault::kFails, call);
    try {
      place.replace();
    } catch (const IoError&) {
    }
    test::plan_fault(Fault::kNone, 0);
    const size_t names = names_in(place.path()).size();
    if (!fs::is_empty(place / "new")) continue;
    fs::remove(place / "new");
    finish_replacements(place.path());
    EXPECT_EQ(names_in(place.path()), (std::set<std::string>{"a", "b", "c", "other"})) << "call " << call;
    is_met = is_met || names > 5;  // the journal was still there
  }
  EXPECT_TRUE(is_met);
}

TEST(FinishReplacements, RemovesAJournalThatIsNotWhole) {
  const TemporaryFolder folder;
  write_text(folder / "a", "old");
  write_text(folder / ".portatune-commit.0123456789abcdef", std::string("\0a\0old.a\0", 9));
  finish_replacements(folder.path());
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"a"});
  EXPECT_EQ(text_of(folder / "a"), "old");
}

}  // namespace
}  // namespace portatune
