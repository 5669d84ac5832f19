#include "portatune/run/launch/events_at_once.h"

#include <gmock/gmock.h>

#include "portatune/run/launch/events_of_run.h"

namespace portatune::run {
namespace {

using testing::ElementsAre;

// Notes everything as lines.
class Lines final : public Events {
 public:
  void notice(const std::string& text) override { lines.push_back(text); }
  void warning(const std::string& text) override { lines.push_back("warning: " + text); }
  void stopped(int64_t step, const std::filesystem::path& checkpoint) override {
    lines.push_back(checkpoint.string() + " of step " + std::to_string(step));
  }
  void resumable(const std::filesystem::path&, const std::string& reason) override {
    lines.push_back("resumable: " + reason);
  }
  std::unique_ptr<RowProgress> progress(const std::string& activity, const std::string& unit) override {
    return std::make_unique<Bar>(*this, activity + " in " + unit);
  }

  std::vector<std::string> lines;

 private:
  class Bar final : public RowProgress {
   public:
    Bar(Lines& lines, const std::string& text) : lines_(lines) { lines_.lines.push_back(text); }
    ~Bar() override { lines_.lines.push_back("end after " + std::to_string(rows())); }
    void hide() override { lines_.lines.push_back("hidden"); }

   private:
    Lines& lines_;
  };
};

TEST(EventsAtOnce, CountsStepsInABarThatOtherLinesHide) {
  Lines lines;
  EventsAtOnce events(lines);
  events.notice("a");
  events.add_step();
  events.add_step();
  events.notice("b");
  events.end_steps();
  events.notice("c");
  EXPECT_THAT(lines.lines, ElementsAre("a", "training in steps", "hidden", "b", "end after 2", "c"));
}

TEST(EventsAtOnce, PassesASharedWarningOnOnce) {
  Lines lines;
  EventsAtOnce events(lines);
  for (const char* text : {"disk", "disk", "cache"}) events.warning(text);
  events.warning_of_run("fold 1", "rows");
  events.warning_of_run("fold 2", "rows");
  EXPECT_THAT(lines.lines, ElementsAre("warning: disk", "warning: cache", "warning: fold 1: rows"));
}

TEST(EventsAtOnce, PassesTheSameWarningOfEachRunAloneOn) {
  Lines lines;
  EventsAtOnce events(lines);
  events.warning_of_run_alone("rows");
  events.warning_of_run_alone("rows");
  EXPECT_EQ(lines.lines.size(), 2u);
}

TEST(EventsAtOnce, ReportsOneStopWhenAllHaveStopped) {
  Lines lines;
  EventsAtOnce events(lines);
  events.stopped(3, "one");
  events.stopped(4, "two");
  EXPECT_TRUE(lines.lines.empty());
  events.report_stop();
  EXPECT_THAT(lines.lines, ElementsAre("one of step 3"));
}

TEST(EventsAtOnce, ReportsAStopBetweenTwoRuns) {
  Lines lines;
  EventsAtOnce(lines).report_stop();
  EXPECT_THAT(lines.lines, ElementsAre("resumable: stopped before the first step of a run"));
}

TEST(EventsOfRun, NameTheLinesOfARunBesideOthers) {
  Lines lines;
  EventsAtOnce events(lines);
  DeviceOfRuns device({}, events);
  for (const bool is_alone : {false, true}) {
    EventsOfRun run(events, {.device = device, .stop = {}, .is_alone = is_alone, .has_stepped = [] {}}, "fold 2", true);
    run.notice("a");
    run.warning("b");
    run.stopped(5, "checkpoint-5");  // reported only if the run does not continue later
  }
  EXPECT_THAT(lines.lines, ElementsAre("fold 2: a", "warning: fold 2: b", "a", "warning: b"));
}

}  // namespace
}  // namespace portatune::run
