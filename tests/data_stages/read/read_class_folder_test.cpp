#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

namespace fs = std::filesystem;

class ReadImageFolder : public testing::Test {
 protected:
  void add(const std::string& name) const {
    fs::create_directories((folder_ / name).parent_path());
    write_text(folder_ / name, "");
  }
  Dataset read(ImageFolderOptions options = {}) const { return read_image_folder(folder_.path(), options); }
  // "label path" of each row, with the path relative to the folder.
  std::vector<std::string> rows(const Dataset& dataset) const {
    std::vector<std::string> rows;
    for (const Example& row : dataset.iterate()) {
      const std::string path = fs::path(row.text("image")).lexically_relative(folder_.path());
      rows.push_back(row.has("label") ? row.text("label") + " " + path : path);
    }
    return rows;
  }

  TemporaryFolder folder_;
};

using LabelledFiles = std::vector<std::string>;

TEST_F(ReadImageFolder, ClassesAreTheNamesOfFolders) {
  for (const char* name : {"dog/b.JPG", "dog/a.png", "cat/deep/c.webp", "cat/.hidden.png", "cat/notes.txt",
                           ".cache/x.png", "labels.csv"}) {
    add(name);
  }
  EXPECT_EQ(rows(read()), (LabelledFiles{"cat cat/deep/c.webp", "dog dog/a.png", "dog dog/b.JPG"}));
}

TEST_F(ReadImageFolder, WithoutLabelsImagesMayBeAnywhere) {
  for (const char* name : {"b.jpg", "a/c.png"}) add(name);
  EXPECT_EQ(rows(read({.label_column = ""})), (LabelledFiles{"a/c.png", "b.jpg"}));
}

TEST_F(ReadImageFolder, ErrorsNameTheFile) {
  add("cat/a.png");
  Cursor cursor = read().iterate();
  EXPECT_EQ(to_string(cursor.next()->origin()), (folder_ / "cat/a.png").string());
}

TEST_F(ReadImageFolder, SkipsWithoutReading) {
  for (const char* name : {"c/1.png", "c/2.png", "c/3.png"}) add(name);
  Cursor cursor = read().iterate();
  EXPECT_EQ(cursor.skip(2), 2);
  EXPECT_EQ(fs::path(cursor.next()->text("image")).filename(), "3.png");
  EXPECT_EQ(cursor.skip(2), 0);
}

TEST_F(ReadImageFolder, APassOutlivesItsDataset) {
  add("c/1.png");
  Cursor cursor = read().iterate();
  EXPECT_EQ(cursor.next()->text("label"), "c");
}

TEST_F(ReadImageFolder, ImagesWithoutAClassAndFoldersWithoutImagesAreErrors) {
  EXPECT_NE(message_of<DataError>([&] { read(); }).find("no images"), std::string::npos);
  add("dog/a.png");
  add("stray.png");
  const std::string message = message_of<DataError>([&] { read(); });
  EXPECT_NE(message.find("stray.png"), message.npos);
  EXPECT_NE(message.find("outside the folders of the classes"), message.npos);
  EXPECT_THROW(read_image_folder((folder_ / "missing").string()), NotFoundError);
}

TEST_F(ReadImageFolder, RecordingsAreReadInTheSameWay) {
  for (const char* name : {"yes/b.WAV", "yes/a.flac", "no/c.opus", "no/picture.png", "no/.hidden.wav"}) add(name);
  std::vector<std::string> found;
  for (const Example& row : read_audio_folder(folder_.path(), {.audio_column = "sound"}).iterate()) {
    found.push_back(row.text("label") + " " + fs::path(row.text("sound")).filename().string());
  }
  EXPECT_EQ(found, (LabelledFiles{"no c.opus", "yes a.flac", "yes b.WAV"}));
  add("stray.mp3");
  const std::string message = message_of<DataError>([&] { read_audio_folder(folder_.path()); });
  EXPECT_NE(message.find("a recording outside the folders of the classes"), message.npos) << message;
}

}  // namespace
}  // namespace portatune::data
