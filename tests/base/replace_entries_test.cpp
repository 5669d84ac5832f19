#include "portatune/base/files/replace_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
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

std::set<std::string> name_set_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

// A folder with files a, b and stale, and their replacements new/a, new/b and new/c.
class ExampleFolder {
 public:
  ExampleFolder() {
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
    return name_set_in(path()) == std::set<std::string>{"a", "b", "new", "other", "stale"} &&
           name_set_in(*this / "new") == std::set<std::string>{"a", "b", "c"} && text_of(*this / "a") == "old" &&
           text_of(*this / "b") == "old" && text_of(*this / "stale") == "old";
  }
  bool is_new() const {
    return name_set_in(path()) == std::set<std::string>{"a", "b", "c", "new", "other"} && fs::is_empty(*this / "new") &&
           text_of(*this / "a") == "new" && text_of(*this / "b") == "new" && text_of(*this / "c") == "new" &&
           text_of(*this / "other") == "old";
  }

 private:
  TemporaryFolder folder_;
};

// Runs `action` in a child process that ends at its system call `call`. Returns whether the call was reached.
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

TEST(ReplaceEntries, ReplacesAllAndLeavesNoOtherEntries) {
  const ExampleFolder example;
  example.replace();
  EXPECT_TRUE(example.is_new());
}

TEST(ReplaceEntries, ReplacesFoldersToo) {
  const ExampleFolder example;
  fs::create_directories(example / "logs/sub");
  fs::create_directory(example / "new/logs");
  replace_entries(example.path(), {{example / "new/logs", example / "logs"}});
  EXPECT_TRUE(fs::is_empty(example / "logs"));
}

TEST(ReplaceEntries, AFailureAtAnyCallChangesNothing) {
  for (int call = 0;; ++call) {
    const ExampleFolder example;
    test::plan_fault(Fault::kFails, call);
    try {
      example.replace();
    } catch (const IoError&) {
      EXPECT_TRUE(example.is_old()) << "call " << call;
      continue;
    }
    const bool has_met = test::has_met_fault();  // false if the fault was planned beyond the last call
    test::plan_fault(Fault::kNone, 0);
    finish_replacements(example.path());
    EXPECT_TRUE(example.is_new()) << "call " << call;
    if (!has_met) break;
    EXPECT_GT(call, 0);
  }
}

TEST(ReplaceEntries, AReplacementThatCannotBeUndoneIsFinishedLater) {
  bool is_met = false;
  for (int call = 0; call < 30; ++call) {
    const ExampleFolder example;
    test::plan_fault(Fault::kFailsForEver, call);
    try {
      example.replace();
    } catch (const UnfinishedReplacement&) {
      is_met = true;
    } catch (const IoError&) {
    }
    test::plan_fault(Fault::kNone, 0);
    finish_replacements(example.path());
    EXPECT_TRUE(example.is_new() || (call == 0 && example.is_old())) << "call " << call;
  }
  EXPECT_TRUE(is_met);
}

// A caller that gets another error than UnfinishedReplacement removes the sources.
TEST(ReplaceEntries, AReplacementThatIsUndoneIsNotMadeLater) {
  int undone = 0;
  for (int call = 0; call < 30; ++call) {
    const ExampleFolder example;
    bool is_undone = false;
    test::plan_fault(Fault::kFailsForEver, call);
    try {
      example.replace();
    } catch (const UnfinishedReplacement&) {
    } catch (const IoError&) {
      is_undone = true;
    }
    test::plan_fault(Fault::kNone, 0);
    if (!is_undone) continue;
    fs::remove_all(example / "new");
    finish_replacements(example.path());
    EXPECT_EQ(name_set_in(example.path()), (std::set<std::string>{"a", "b", "other", "stale"})) << "call " << call;
    ++undone;
  }
  EXPECT_GT(undone, 0);
}

TEST(ReplaceEntries, ADeathAtAnyCallIsFinishedLater) {
  int call = 0;
  for (;; ++call) {
    const ExampleFolder example;
    const bool died = dies_while(call, [&] { example.replace(); });
    finish_replacements(example.path());
    EXPECT_TRUE(example.is_new() || (call == 0 && example.is_old())) << "call " << call;
    if (!died) break;
  }
  EXPECT_GT(call, 5);
}

TEST(ReplaceEntries, ADeathWhileFinishingIsFinishedByTheNextCall) {
  for (int call = 1; call < 8; ++call) {
    for (int later = 0; later < 8; ++later) {
      const ExampleFolder example;
      if (!dies_while(call, [&] { example.replace(); })) continue;
      dies_while(later, [&] { finish_replacements(example.path()); });
      finish_replacements(example.path());
      EXPECT_TRUE(example.is_new()) << call << ", " << later;
    }
  }
}

bool has_finished_journal(const fs::path& folder) {
  return std::ranges::any_of(name_set_in(folder),
                             [](const std::string& name) { return name.starts_with(".portatune-done."); });
}

TEST(FinishReplacements, KeepsANewerFileWithTheNameOfATarget) {
  bool is_met = false;
  for (int call = 0;; ++call) {
    const ExampleFolder example;
    if (!dies_while(call, [&] { example.replace(); })) break;
    if (!has_finished_journal(example.path())) continue;
    is_met = true;
    write_text(example / "stale", "mine");
    finish_replacements(example.path());
    EXPECT_EQ(text_of(example / "stale"), "mine");
    EXPECT_FALSE(has_finished_journal(example.path()));
  }
  EXPECT_TRUE(is_met);
}

TEST(FinishReplacements, NeedsNoSourceFolderAfterAllMoves) {
  bool is_met = false;
  for (int call = 1; call < 30; ++call) {
    const ExampleFolder example;
    test::plan_fault(Fault::kFails, call);
    try {
      example.replace();
    } catch (const IoError&) {
    }
    test::plan_fault(Fault::kNone, 0);
    const size_t names = name_set_in(example.path()).size();
    if (!fs::is_empty(example / "new")) continue;
    fs::remove(example / "new");
    finish_replacements(example.path());
    EXPECT_EQ(name_set_in(example.path()), (std::set<std::string>{"a", "b", "c", "other"})) << "call " << call;
    is_met = is_met || names > 5;  // more than 5 names: the journal still existed
  }
  EXPECT_TRUE(is_met);
}

TEST(FinishReplacements, RemovesAnIncompleteJournal) {
  const TemporaryFolder folder;
  write_text(folder / "a", "old");
  write_text(folder / ".portatune-commit.0123456789abcdef", std::string("\0a\0old.a\0", 9));
  finish_replacements(folder.path());
  EXPECT_EQ(name_set_in(folder.path()), std::set<std::string>{"a"});
  EXPECT_EQ(text_of(folder / "a"), "old");
}

// Fields of a journal of one step without an older target.
std::string journal_of(const std::string& source, const std::string& target, const std::string& old) {
  std::string text;
  for (const std::string& field : {source, target, old, std::string("0"), std::string("end")}) text += field + '\0';
  return text;
}

// A folder that somebody else has made may contain a journal.
TEST(FinishReplacements, RefusesAJournalThatNamesOtherFolders) {
  const std::string id = ".0123456789abcdef";
  for (const char* name : {".portatune-commit", ".portatune-done", "tmp..portatune-commit.0123456789abcdef"}) {
    const TemporaryFolder folder;
    const fs::path model = folder / "model", victim = folder / "victim";
    fs::create_directory(model);
    write_text(victim, "mine");
    write_text(model / "payload", "theirs");
    fs::create_directory_symlink(folder.path(), model / "link");
    const std::string absolute = victim.string();
    for (const std::string& text :
         {journal_of("payload", absolute, (folder / ("old.victim" + id)).string()),
          journal_of("payload", "../victim", "../old.victim" + id),
          journal_of("payload", "link/victim", "link/old.victim" + id),
          journal_of("../victim", "taken", "old.taken" + id), journal_of(std::string(300, 'x'), "x", "old.x" + id),
          journal_of("", "x", "../victim"), journal_of("", "x", "payload"), journal_of("", "", "old." + id)}) {
      write_text(model / (name + id), text);
      EXPECT_THROW(finish_replacements(model), DataError) << name << ": " << text;
      EXPECT_EQ(text_of(victim), "mine") << name << ": " << text;
      EXPECT_EQ(text_of(model / "payload"), "theirs") << name << ": " << text;
    }
  }
}

// Each path is inside the folder until an earlier step moves a link that leads out of it.
TEST(FinishReplacements, RefusesAJournalThatMovesALinkIntoItsOwnPaths) {
  const std::string id = ".0123456789abcdef";
  const auto step = [&](const std::string& source, const std::string& target, const std::string& old) {
    return source + '\0' + target + '\0' + old + id + '\0' + "0" + '\0';
  };
  const TemporaryFolder folder;
  const fs::path model = folder / "model", victim = folder / "victim";
  fs::create_directory(model);
  write_text(victim, "mine");
  write_text(folder / ("old.x" + id), "mine");
  write_text(model / "payload", "theirs");
  fs::create_directory_symlink(folder.path(), model / "link");
  const std::string move_link = step("link", "sub", "old.sub");
  for (const std::string& later : {step("payload", "sub/victim", "sub/old.victim"),
                                   step("sub/victim", "taken", "old.taken"), step("", "sub/x", "sub/old.x")}) {
    write_text(model / (".portatune-commit" + id), move_link + later + "end" + '\0');
    EXPECT_THROW(finish_replacements(model), DataError) << later;
    EXPECT_EQ(text_of(victim), "mine") << later;
    EXPECT_EQ(text_of(folder / ("old.x" + id)), "mine") << later;
    EXPECT_EQ(text_of(model / "payload"), "theirs") << later;
    fs::rename(model / "sub", model / "link");
  }
}

TEST(FinishReplacements, RefusesAJournalThatIsNoFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / ".portatune-commit.0123456789abcdef").c_str(), 0600), 0);
  EXPECT_THROW(finish_replacements(folder.path()), DataError);
}

}  // namespace
}  // namespace portatune
