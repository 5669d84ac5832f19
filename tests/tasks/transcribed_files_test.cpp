#include "portatune/tasks/files/transcribed_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "io/temporary_folder.h"
#include "media/audio/tone.h"
#include "portatune/error.h"
#include "portatune/media/audio/wav_file.h"
#include "portatune/tasks/rows/row_file.h"

namespace portatune::tasks {
namespace {

namespace fs = std::filesystem;
using data::Example;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Example> rows_in(const data::Dataset& dataset) {
  std::vector<Example> rows;
  for (const Example& row : dataset.iterate()) rows.push_back(row);
  return rows;
}

class TranscribedFiles : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "clips");
    write_text(folder_ / "clips/b.wav", kWav);
  }
  std::vector<Example> read(const std::string& name, const std::string& text_column = "text",
                            data::TableOptions table = {}) const {
    return rows_in(read_transcribed_files({(folder_ / name).string()}, "audio", text_column, std::move(table)));
  }
  static std::string file_of(const Example& row, const std::string& column = "audio") {
    const RowFile file(row, column, kAudioFile);
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
  }

  const std::string kWav = audio::wav_file(audio::tone(440, 100));
  TemporaryFolder folder_;
};

TEST_F(TranscribedFiles, AreTablesWithPathsFromTheirFolder) {
  write_text(folder_ / "train.csv", "id,text,audio\n1,one two,clips/b.wav\n");
  const std::vector<Example> rows = read("train.csv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text("text"), "one two");
  EXPECT_EQ(file_of(rows[0]), kWav);
  EXPECT_FALSE(read("train.csv", "")[0].has("text"));
}

TEST_F(TranscribedFiles, AreFoldersWithMetadata) {
  for (const char* column : {"text", "transcription"}) {
    write_text(folder_ / "metadata.csv", std::string("file_name,") + column + "\nclips/b.wav,one two\n");
    const std::vector<Example> rows = read("");
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].text("text"), "one two");
    EXPECT_EQ(file_of(rows[0]), kWav);
  }
  fs::remove(folder_ / "metadata.csv");
  write_text(folder_ / "metadata.jsonl", R"({"file_name": "clips/b.wav", "transcription": "three"})");
  EXPECT_EQ(read("")[0].text("text"), "three");
  EXPECT_EQ(file_of(read("", "")[0]), kWav);
}

TEST_F(TranscribedFiles, NeedNoMetadataWithoutTexts) {
  EXPECT_EQ(file_of(read("", "")[0]), kWav);
  EXPECT_THAT(message_of<NotFoundError>([&] { read(""); }), HasSubstr("metadata.jsonl"));
}

TEST_F(TranscribedFiles, NameColumnsOfTheUser) {
  write_text(folder_ / "train.jsonl", R"({"path": "clips/b.wav", "sentence": "one"})");
  const std::vector<Example> rows = read("train.jsonl", "text", {.rename = {{"path", "audio"}, {"sentence", "text"}}});
  EXPECT_EQ(rows[0].text("text"), "one");
  EXPECT_THAT(message_of<DataError>([&] { read("train.jsonl"); }), HasSubstr("audio"));
}

TEST_F(TranscribedFiles, AreFeaturesOfTfrecords) {
  data::TfrecordWriter writer((folder_ / "train.tfrecord").string());
  writer.write(Example().set("audio", kWav).set("text", std::string("one two")));
  writer.commit();
  const std::vector<Example> rows = read("train.tfrecord");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(file_of(rows[0]), kWav);
  EXPECT_EQ(rows[0].text("text"), "one two");
}

TEST_F(TranscribedFiles, AreFilesOfWebDatasets) {
  write_text(folder_ / "clips/b.txt", "one two");
  const std::string clips = (folder_ / "clips").string();
  ASSERT_EQ(std::system(("tar -cf '" + (folder_ / "train.tar").string() + "' -C '" + clips + "' b.wav b.txt").c_str()),
            0);
  const std::vector<Example> rows =
      rows_in(read_transcribed_files({(folder_ / "train.tar").string()}, "wav", "txt", {}));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(file_of(rows[0], "wav"), kWav);
  EXPECT_EQ(rows[0].text("txt"), "one two");
}

TEST_F(TranscribedFiles, AreTheAudioOfDatasetsInParquet) {
  if (!fs::exists(PORTATUNE_ARROW_PLUGIN_FILE)) GTEST_SKIP() << "no plug-in for Arrow";
  setenv("PORTATUNE_ARROW_PLUGIN", PORTATUNE_ARROW_PLUGIN_FILE, 1);
  fs::copy_file(fs::path(PORTATUNE_TEST_DATA) / "arrow/speech.parquet", folder_ / "speech.parquet");
  const std::vector<Example> rows = read("speech.parquet");
  ASSERT_EQ(rows.size(), 2u);
  std::vector<int16_t> counted;
  for (int16_t i = 1; i <= 500; ++i) counted.push_back(i);
  EXPECT_EQ(file_of(rows[0]), audio::wav_file(counted));
  EXPECT_EQ(rows[0].text("text"), "One two.");
  EXPECT_EQ(file_of(rows[1]), kWav);  // a path alone
  EXPECT_EQ(rows[1].text("text"), "three");
}

}  // namespace
}  // namespace portatune::tasks
