// The events are read back by the reader of TFRecords; run_records_test.cpp has them read by TensorBoard.
#include "portatune/run/records/event_file.h"

#include <gmock/gmock.h>

#include <map>

#include "cli/program.h"
#include "io/temporary_folder.h"
#include "portatune/base/wire.h"
#include "portatune/io/tfrecord/tfrecord_reader.h"

namespace portatune::run {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;
using testing::Pair;

// The fields of a message, of each number the last.
struct Fields {
  std::map<int, std::string> bytes;
  std::map<int, uint64_t> varints;
  std::map<int, float> floats;
};

Fields fields_of(std::string_view message) {
  Fields fields;
  for (WireReader reader(message); reader.next();) {
    if (reader.type() == WireReader::Type::kBytes) fields.bytes[reader.field()] = reader.bytes();
    if (reader.type() == WireReader::Type::kVarint) fields.varints[reader.field()] = reader.varint();
    if (reader.type() == WireReader::Type::kFixed32) fields.floats[reader.field()] = reader.fixed32();
  }
  return fields;
}

std::vector<Fields> events_in(const std::filesystem::path& folder) {
  std::vector<Fields> events;
  io::TfrecordReader reader(folder / cli::names_in(folder).at(0));
  while (const auto record = reader.next()) events.push_back(fields_of(*record));
  return events;
}

TEST(EventFile, HasTheNameThatTensorBoardLooksFor) {
  const TemporaryFolder folder;
  const EventFile file(folder / "runs", std::nullopt);
  EXPECT_THAT(cli::names_in(folder / "runs"),
              ElementsAre(MatchesRegex("events\\.out\\.tfevents\\.[0-9]{10}\\..+\\.[0-9]+")));
}

TEST(EventFile, BeginsWithTheVersionOfTheFormat) {
  const TemporaryFolder folder;
  const EventFile file(folder / "runs", std::nullopt);
  const std::vector<Fields> events = events_in(folder / "runs");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].bytes.at(3), "brain.Event:2");
}

TEST(EventFile, HasTheNumbersOfALineUnderTheTagsOfTransformers) {
  const TemporaryFolder folder;
  EventFile file(folder / "runs", std::nullopt);
  file.add({{"step", 300}, {"eval_f1", 0.5}, {"grad_norm", nullptr}});
  file.add({{"step", 310}, {"loss", 0.25}});
  const std::vector<Fields> events = events_in(folder / "runs");
  ASSERT_EQ(events.size(), 3u);
  const auto value_in = [](const Fields& event) { return fields_of(fields_of(event.bytes.at(5)).bytes.at(1)); };
  EXPECT_EQ(events[1].varints.at(2), 300u);
  EXPECT_EQ(value_in(events[1]).bytes.at(1), "eval/f1");
  EXPECT_EQ(value_in(events[1]).floats.at(2), 0.5F);
  EXPECT_EQ(events[2].varints.at(2), 310u);
  EXPECT_EQ(value_in(events[2]).bytes.at(1), "train/loss");
}

TEST(EventFile, HasTextsAndTheEndOfTheRunForThePluginsOfTensorBoard) {
  const TemporaryFolder folder;
  EventFile file(folder / "runs", std::nullopt);
  file.add_text("args", "{}");
  file.add_end();
  const std::vector<Fields> events = events_in(folder / "runs");
  ASSERT_EQ(events.size(), 3u);
  const auto value_in = [](const Fields& event) { return fields_of(fields_of(event.bytes.at(5)).bytes.at(1)); };
  const auto plugin_of = [](const Fields& value) { return fields_of(fields_of(value.bytes.at(9)).bytes.at(1)); };
  const Fields text = value_in(events[1]), tensor = fields_of(text.bytes.at(8));
  EXPECT_EQ(text.bytes.at(1), "args/text_summary");
  EXPECT_EQ(plugin_of(text).bytes.at(1), "text");
  EXPECT_EQ(tensor.varints.at(1), 7u) << "DT_STRING";
  EXPECT_EQ(tensor.bytes.at(8), "{}");
  const Fields end = value_in(events[2]);
  EXPECT_EQ(end.bytes.at(1), "_hparams_/session_end_info");
  const Fields content = fields_of(fields_of(plugin_of(end).bytes.at(2)).bytes.at(4));
  EXPECT_EQ(content.varints.at(1), 1u) << "STATUS_SUCCESS";
}

// SessionLog.START purges the events of its step and of later steps from older files.
TEST(EventFile, OfAResumedRunPurgesTheStepsThatAreRepeated) {
  const TemporaryFolder folder;
  const EventFile file(folder / "runs", 100);
  const std::vector<Fields> events = events_in(folder / "runs");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].varints.at(2), 101u);
  EXPECT_THAT(fields_of(events[1].bytes.at(7)).varints, ElementsAre(Pair(1, 1u)));
}

TEST(EventFile, RemovesThoseOfAnEarlierRunAlone) {
  const TemporaryFolder folder;
  { const EventFile file(folder / "runs", std::nullopt); }
  cli::write(folder / "runs" / "notes.txt", "mine");
  remove_event_files(folder / "runs");
  EXPECT_THAT(cli::names_in(folder / "runs"), ElementsAre("notes.txt"));
}

}  // namespace
}  // namespace portatune::run
