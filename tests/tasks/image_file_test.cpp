#include "portatune/tasks/image_file.h"

#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::tasks {
namespace {

namespace fs = std::filesystem;
using data::Example;

const fs::path kPictures = fs::path(PORTATUNE_TEST_DATA) / "image" / "decode";

std::string text_in(const ImageFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Example row_of(const fs::path& table, int64_t number) {
  return Example(data::Origin{std::make_shared<const std::string>(table.string()), number});
}

TEST(ImageOfARow, IsTheColumnItselfWhereThatIsOne) {
  for (const char* name : {"420.jpg", "rgb.png", "lossy.webp"}) {
    const std::string bytes = text_of(kPictures / name);
    const Example row = row_of("images.tfrecord", 3).set("image", bytes);
    const ImageFile file(row, "image");
    EXPECT_EQ(text_in(file), bytes);
    EXPECT_EQ(file.name(), "images.tfrecord:3");
    EXPECT_EQ(image_name(row, "image"), "images.tfrecord:3");
  }
}

TEST(ImageOfARow, IsAFileBesideTheTable) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "pictures");
  fs::copy_file(kPictures / "rgb.png", folder / "pictures/a.png");
  const Example row = row_of(folder / "train.csv", 2).set("image", "pictures/a.png");
  const ImageFile file(row, "image");
  EXPECT_EQ(text_in(file), text_of(kPictures / "rgb.png"));
  EXPECT_EQ(file.name(), (folder / "pictures/a.png").string());
  EXPECT_EQ(image_name(row, "image"), "pictures/a.png");
}

TEST(ImageOfARow, MayBeNamedByAWholePath) {
  const std::string path = (kPictures / "rgb.png").string();
  EXPECT_EQ(ImageFile(row_of("/nowhere/train.csv", 2).set("image", path), "image").name(), path);
  EXPECT_EQ(ImageFile(Example().set("image", path), "image").name(), path);
}

// In a folder of images each file is a row, whose path is complete.
TEST(ImageOfARow, OfAFolderOfImagesIsTheFileItself) {
  const fs::path path = kPictures / "rgb.png";
  EXPECT_EQ(ImageFile(row_of(path, -1).set("image", path.string()), "image").name(), path.string());
}

TEST(ImageOfARow, ThatIsMissingIsNamed) {
  const TemporaryFolder folder;
  const Example row = row_of(folder / "train.csv", 2).set("image", "none.png");
  EXPECT_NE(message_of<NotFoundError>([&] { ImageFile(row, "image"); }).find((folder / "none.png").string()),
            std::string::npos);
  EXPECT_THROW(ImageFile(row, "picture"), DataError);
  EXPECT_THROW(ImageFile(row_of(folder / "train.csv", 2).set("image", ""), "image"), Error);
}

}  // namespace
}  // namespace portatune::tasks
