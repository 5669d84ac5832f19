#include "portatune/tasks/rows/row_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "io/http_server.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::tasks {
namespace {

namespace fs = std::filesystem;
using data::Example;
using testing::HasSubstr;
using testing::Not;

const fs::path kPictures = fs::path(PORTATUNE_TEST_DATA) / "image" / "decode";

std::string text_in(const RowFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Example row_of(const fs::path& table, int64_t number) {
  return Example(data::Origin{std::make_shared<const std::string>(table.string()), number});
}

TEST(ImageOfARow, IsTheColumnsBytesIfTheyAreAnImage) {
  for (const char* name : {"420.jpg", "rgb.png", "lossy.webp"}) {
    const std::string bytes = text_of(kPictures / name);
    const Example row = row_of("images.tfrecord", 3).set("image", bytes);
    const RowFile file(row, "image", kImageFile);
    EXPECT_EQ(text_in(file), bytes);
    EXPECT_EQ(file.name(), "images.tfrecord:3");
    EXPECT_EQ(file_name(row, "image", kImageFile), "images.tfrecord:3");
  }
}

TEST(ImageOfARow, IsAFileBesideTheTable) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "pictures");
  fs::copy_file(kPictures / "rgb.png", folder / "pictures/a.png");
  const Example row = row_of(folder / "train.csv", 2).set("image", "pictures/a.png");
  const RowFile file(row, "image", kImageFile);
  EXPECT_EQ(text_in(file), text_of(kPictures / "rgb.png"));
  EXPECT_EQ(file.name(), (folder / "pictures/a.png").string());
  EXPECT_EQ(file_name(row, "image", kImageFile), "pictures/a.png");
}

TEST(ImageOfARow, MayHaveAnAbsolutePath) {
  const std::string path = (kPictures / "rgb.png").string();
  EXPECT_EQ(RowFile(row_of("/nowhere/train.csv", 2).set("image", path), "image", kImageFile).name(), path);
  EXPECT_EQ(RowFile(Example().set("image", path), "image", kImageFile).name(), path);
}

// In a folder of images each file is a row with its complete path.
TEST(ImageOfARow, OfAFolderOfImagesIsTheFileItself) {
  const fs::path path = kPictures / "rgb.png";
  EXPECT_EQ(RowFile(row_of(path, -1).set("image", path.string()), "image", kImageFile).name(), path.string());
}

TEST(ImageOfARow, ErrorNamesAMissingImage) {
  const TemporaryFolder folder;
  const Example row = row_of(folder / "train.csv", 2).set("image", "none.png");
  EXPECT_NE(message_of<NotFoundError>([&] { RowFile(row, "image", kImageFile); }).find((folder / "none.png").string()),
            std::string::npos);
  EXPECT_THROW(RowFile(row, "picture", kImageFile), DataError);
  EXPECT_THROW(RowFile(row_of(folder / "train.csv", 2).set("image", ""), "image", kImageFile), Error);
}

class ImageByUrl : public testing::Test {
 protected:
  void SetUp() override { setenv("NETRC", "/dev/null", 1); }

  static std::string image() { return text_of(kPictures / "rgb.png") + std::string(200'000, 'x'); }
  static HttpResponse answer(const HttpRequest& request) { return ranged(request, image(), "\"1\""); }
};

TEST_F(ImageByUrl, IsDownloaded) {
  const HttpServer server(answer);
  const Example row = row_of("/nowhere/train.csv", 2).set("image", server.url("/a.png"));
  const RowFile file(row, "image", kImageFile);
  EXPECT_EQ(text_in(file), image());
  EXPECT_EQ(file.name(), server.url("/a.png"));
  EXPECT_EQ(file_name(row, "image", kImageFile), server.url("/a.png"));
}

TEST_F(ImageByUrl, MayBeRelativeToATableOfTheSameServer) {
  const HttpServer server(answer);
  const Example row = row_of(server.url("/data/train.csv?sig=a/b"), 2).set("image", "cats/1.png");
  EXPECT_EQ(RowFile(row, "image", kImageFile).name(), server.url("/data/cats/1.png"));
  EXPECT_EQ(server.requests().front().target, "/data/cats/1.png");
}

TEST_F(ImageByUrl, RetriesAfterATemporaryFault) {
  int asked = 0;
  const HttpServer server(
      [&](const HttpRequest& request) { return ++asked == 1 ? HttpResponse{.status = 503} : answer(request); });
  const Example row = Example().set("image", server.url("/a.png"));
  EXPECT_EQ(text_in(RowFile(row, "image", kImageFile)), image());
}

TEST_F(ImageByUrl, ErrorNamesAMissingImageWithoutSecrets) {
  const HttpServer server([](const HttpRequest&) { return HttpResponse{.status = 404}; });
  const Example row = row_of("train.csv", 2).set("image", server.url("/none.png?sig=secret-of-the-test"));
  const std::string message = message_of<NotFoundError>([&] { RowFile(row, "image", kImageFile); });
  EXPECT_THAT(message, HasSubstr(server.url("/none.png")));
  EXPECT_THAT(message, HasSubstr("404"));
  EXPECT_THAT(message, Not(HasSubstr("secret-of-the-test")));
}

// The error belongs to the row, so that --bad-rows may skip it.
TEST_F(ImageByUrl, OfAnUnknownSchemeIsBadData) {
  for (const char* url : {"ftp://host/a.png", "http://host.example/a.png"}) {
    EXPECT_THAT(message_of<DataError>([&] { RowFile(Example().set("image", url), "image", kImageFile); }),
                HasSubstr("https://"));
  }
}

TEST_F(ImageByUrl, IsRecognisedAtTheStartOfTheText) {
  const Example gif = row_of("train.tfrecord", 2).set("image", "GIF89a \1 http://ns.adobe.com/xap/1.0/");
  EXPECT_THAT(message_of<DataError>([&] { RowFile(gif, "image", kImageFile); }), HasSubstr("train.tfrecord:2"));
}

// Each request fails until all rows have been requested: one download at a time would never succeed.
TEST_F(ImageByUrl, DownloadsInParallel) {
  constexpr size_t kRows = 20;
  std::set<std::string> asked;
  const HttpServer server([&](const HttpRequest& request) {
    asked.insert(request.path());
    return asked.size() < kRows ? HttpResponse{.status = 503} : answer(request);
  });
  std::vector<Example> rows;
  for (size_t i = 0; i < kRows; ++i) rows.push_back(Example().set("image", server.url("/" + std::to_string(i))));
  const data::Dataset dataset = data::from_examples(std::move(rows));
  ASSERT_TRUE(names_urls(dataset, "image", kImageFile));
  size_t count = 0;
  for (const Example& row : download_files(dataset, "image", kImageFile, {.size = 1}).iterate()) {
    EXPECT_EQ(file_name(row, "image", kImageFile), server.url("/" + std::to_string(count++)));
    EXPECT_EQ(text_in(RowFile(row, "image", kImageFile)), image());
  }
  EXPECT_EQ(count, kRows);
}

TEST_F(ImageByUrl, DownloadsOnlyLocalRows) {
  const HttpServer server(answer);
  std::vector<Example> rows;
  for (const char* name : {"/0", "/1", "/2", "/3"}) rows.push_back(Example().set("image", server.url(name)));
  const data::LocalRows second_half = {.size = 4, .share = {.parts = 2, .begin = 1, .end = 2}};
  std::vector<bool> downloaded;
  for (const Example& row : download_files(data::from_examples(rows), "image", kImageFile, second_half).iterate()) {
    downloaded.push_back(row.has(kDownloadedFile));
  }
  EXPECT_EQ(downloaded, (std::vector{false, false, true, true}));
}

TEST(NamesUrls, LooksAtTheFirstGoodRow) {
  const auto named = [](const std::vector<std::string>& images) {
    std::vector<Example> rows;
    for (const std::string& image : images) rows.push_back(Example().set("image", image));
    return names_urls(data::from_examples(rows), "image", kImageFile);
  };
  EXPECT_TRUE(named({"https://host/a.png"}));
  EXPECT_TRUE(named({"s3://bucket/a.png", "b.png"}));
  EXPECT_FALSE(named({"a.png", "https://host/a.png"}));
  EXPECT_FALSE(named({text_of(kPictures / "rgb.png")}));
  EXPECT_FALSE(named({}));
}

}  // namespace
}  // namespace portatune::tasks
