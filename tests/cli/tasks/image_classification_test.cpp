#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/image_toy.h"
#include "cli/program.h"
#include "cli/toy.h"
#include "io/http_server.h"
#include "portatune/sources.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const fs::path kData = PORTATUNE_TEST_DATA;

TEST(ImageClassificationCommand, LearnsMeasuresAndPredicts) {
  const ImageToy toy;
  toy.add_pictures("train", 14);
  toy.add_pictures("dev", 3);
  const Finished fit = portatune(toy.fit(toy.file("train"), {"--validation", toy.file("dev"), "--epochs", "8"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(json::parse(fit.out)["train_examples"], 42);
  EXPECT_EQ(json::parse(fit.out)["after"]["accuracy"], 1.0) << fit.out;

  const Words task = {"--task", "image-classification", "--model", toy.file("tuned")};
  const Finished evaluate = portatune(Words{"evaluate", "--data", toy.file("dev"), "--json"} + task);
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_EQ(json::parse(evaluate.out)["accuracy"], 1.0);

  const Finished predict = portatune(Words{"predict", "--data", toy.file("dev")} + task);  // classes are not looked at
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  const std::vector<json> lines = json_lines(predict.out);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[4]["image"], toy.file("dev") + "/green/1.png");
  EXPECT_EQ(lines[4]["label"], "green");
  EXPECT_GT(lines[4]["scores"]["green"], 0.5);

  const json config = json::parse(std::ifstream(toy.file("tuned/config.json")));
  EXPECT_EQ(config["architectures"], json::array({"ViTForImageClassification"}));
  EXPECT_EQ(config["id2label"], (json{{"0", "blue"}, {"1", "green"}, {"2", "red"}}));
  EXPECT_TRUE(fs::exists(toy.file("tuned/preprocessor_config.json")));
}

// The expected logits are those of transformers for a picture: tests/oracle/data/make_image_goldens.py.
TEST(ImageClassificationCommand, GivesTheLogitsOfTransformers) {
  const ImageToy toy;
  const json expected = json::parse(std::ifstream(kData / "image" / "logits.json"));
  for (const std::string model : {"vit_softmax", "deit_softmax", "deit_teacher"}) {
    toy.copy_model(model, model == "vit_softmax" ? "vit.json" : "deit.json");
    const Finished predict = portatune({"predict", "--task", "image-classification", "--model", toy.file("model"),
                                        "--data", (kData / "image" / "decode").string()});
    ASSERT_EQ(predict.exit_code, 0) << predict.err;
    const std::vector<json> lines = json_lines(predict.out);
    EXPECT_EQ(lines.size(), expected[model].size());
    for (const json& line : lines) {
      const std::string name = fs::path(line["image"].get<std::string>()).filename();
      ASSERT_EQ(line["logits"].size(), expected[model][name].size());
      for (size_t i = 0; i < line["logits"].size(); ++i) {
        EXPECT_NEAR(line["logits"][i], expected[model][name][i].get<double>(), 2e-5) << model << " " << name;
      }
    }
  }
}

TEST(ImageClassificationCommand, ReadsTablesOfFiles) {
  const ImageToy toy;
  toy.add_pictures("pictures", 4);
  std::string table = "file,label\n";
  for (const std::string colour : {"blue", "green", "red"}) {
    for (int i = 0; i < 4; ++i) table += "pictures/" + colour + "/" + std::to_string(i) + ".png,is " + colour + "\n";
  }
  write(toy.file("train.csv"), table);
  const Finished fit = portatune(toy.fit(toy.file("train.csv"), {"--image-column", "file", "--epochs", "1"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const json config = json::parse(std::ifstream(toy.file("tuned/config.json")));
  EXPECT_EQ(config["id2label"]["1"], "is green");

  write(toy.file("train.csv"), table + "pictures/red/9.png,is red\n");
  const Finished missing = portatune({"evaluate", "--task", "image-classification", "--model", toy.file("tuned"),
                                      "--data", toy.file("train.csv"), "--image-column", "file"});
  EXPECT_EQ(missing.exit_code, 66);
  EXPECT_THAT(missing.err, HasSubstr("pictures/red/9.png"));
  EXPECT_THAT(missing.err, HasSubstr("train.csv:14"));
}

// Serves the pictures of a toy, and remembers what was asked for.
class PictureServer {
 public:
  explicit PictureServer(const ImageToy& toy) : toy_(toy) { setenv("NETRC", "/dev/null", 1); }

  /// "file,label" and a row for each picture.
  std::string table(int count) const {
    std::string rows = "file,label\n";
    for (const std::string colour : {"blue", "green", "red"}) {
      for (int i = 0; i < count; ++i) {
        rows += server_.url("/pictures/" + colour + "/" + std::to_string(i) + ".png") + "," + colour + "\n";
      }
    }
    return rows;
  }
  std::string url(const std::string& path) const { return server_.url(path); }
  void fail_next(int times) { failures_ = times; }

 private:
  HttpResponse answer(const HttpRequest& request) {
    if (failures_ > 0) {
      --failures_;
      return {.status = 503};
    }
    const std::string file = toy_.file(request.path().substr(1));
    return fs::exists(file) ? ranged(request, read(file), "\"1\"") : HttpResponse{.status = 404};
  }

  const ImageToy& toy_;
  std::atomic<int> failures_ = 0;
  HttpServer server_{[this](const HttpRequest& request) { return answer(request); }};
};

TEST(ImageClassificationCommand, ReadsImagesByTheirUrls) {
  const ImageToy toy;
  toy.add_pictures("pictures", 14);
  PictureServer server(toy);
  write(toy.file("train.csv"), server.table(14));
  server.fail_next(3);
  const Words column = {"--image-column", "file"};
  const Finished by_url = portatune(toy.fit(toy.file("train.csv"), column + Words{"--epochs", "2"}));
  ASSERT_EQ(by_url.exit_code, 0) << by_url.err;
  const std::string weights = read(toy.file("tuned/model.safetensors"));

  // The same rows as paths give the same bits.
  std::string local = server.table(14);
  for (size_t at; (at = local.find(server.url("/"))) != std::string::npos;) local.erase(at, server.url("/").size());
  write(toy.file("train.csv"), local);
  fs::remove_all(toy.file("tuned"));
  const Finished by_path = portatune(toy.fit(toy.file("train.csv"), column + Words{"--epochs", "2"}));
  ASSERT_EQ(by_path.exit_code, 0) << by_path.err;
  EXPECT_TRUE(read(toy.file("tuned/model.safetensors")) == weights);

  write(toy.file("dev.csv"), server.table(2));
  const Words data = Words{"--model", toy.file("tuned"), "--data", toy.file("dev.csv")} + column;
  const Finished evaluate = portatune(Words{"evaluate", "--json"} + data);
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  const Finished predict = portatune(Words{"predict"} + data);
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  EXPECT_EQ(json_lines(predict.out).at(0)["image"], server.url("/pictures/blue/0.png"));
}

TEST(ImageClassificationCommand, NamesRowAndUrlOfAnImageThatIsMissing) {
  const ImageToy toy;
  toy.add_pictures("pictures", 4);
  PictureServer server(toy);
  write(toy.file("train.csv"), server.table(4) + server.url("/none.png?sig=secret-of-the-test") + ",red\n");
  const Finished fails = portatune(toy.fit(toy.file("train.csv"), {"--image-column", "file", "--epochs", "1"}));
  EXPECT_EQ(fails.exit_code, 66) << fails.err;
  EXPECT_THAT(fails.err, HasSubstr("train.csv:14"));
  EXPECT_THAT(fails.err, HasSubstr(server.url("/none.png")));
  EXPECT_THAT(fails.err, testing::Not(HasSubstr("secret-of-the-test")));

  const Finished skips =
      portatune(toy.fit(toy.file("train.csv"), {"--image-column", "file", "--epochs", "1", "--bad-rows", "skip:1"}));
  ASSERT_EQ(skips.exit_code, 0) << skips.err;
  EXPECT_EQ(json::parse(skips.out)["skipped_rows"], 1);
  EXPECT_THAT(skips.err, testing::Not(HasSubstr("secret-of-the-test")));
}

TEST(ImageClassificationCommand, WritesImagesOfUrlsAsTfrecords) {
  const ImageToy toy;
  toy.add_pictures("pictures", 2);
  PictureServer server(toy);
  write(toy.file("a.csv"), server.table(2));
  const Finished run = portatune({"tfrecord", "write", "--input", toy.file("a.csv"), "--image-column", "file",
                                  "--output", toy.file("a.tfrecord")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::vector<std::string> images;
  for (const data::Example& row : data::read_tfrecord(toy.file("a.tfrecord")).iterate()) {
    EXPECT_EQ(row.columns().size(), 2u);
    images.push_back(row.text("file"));
  }
  ASSERT_EQ(images.size(), 6u);
  EXPECT_EQ(images[3], read(toy.file("pictures/green/1.png")));
}

// With random crops, mirrored and coloured, a resumed run equals an uninterrupted one.
TEST(ImageClassificationCommand, ResumesBitForBit) {
  const ImageToy unbroken, broken;
  const Words options = {"--epochs", "60", "--color-jitter", "0.4"};
  for (const ImageToy* toy : {&unbroken, &broken}) toy->add_pictures("train", 6);
  ASSERT_EQ(portatune(unbroken.fit(unbroken.file("train"), options)).exit_code, 0);

  Program run(broken.fit(broken.file("train"), options));
  ASSERT_TRUE(run.says("epoch 2/"));
  run.signal(SIGINT);
  ASSERT_EQ(run.wait().exit_code, 75);
  const Finished other = portatune(broken.fit(broken.file("train"), options + Words{"--no-flip", "--resume"}));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("augment"));
  const Finished resumed = portatune(broken.fit(broken.file("train"), options + Words{"--resume"}));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("resuming from"));
  EXPECT_TRUE(read(broken.file("tuned/model.safetensors")) == read(unbroken.file("tuned/model.safetensors")));
}

TEST(ImageClassificationCommand, NamesTheImageThatIsDamaged) {
  const ImageToy toy;
  toy.add_pictures("train", 2);
  fs::copy_file(kData / "image" / "damaged" / "cut_short.jpg", toy.file("train/red/bad.jpg"));
  const Finished fit = portatune(toy.fit(toy.file("train")));
  EXPECT_EQ(fit.exit_code, 65);
  EXPECT_THAT(fit.err, HasSubstr("train/red/bad.jpg"));
  EXPECT_THAT(fit.err, HasSubstr("ends after"));
}

TEST(ImageClassificationCommand, PassesOverImagesThatAreDamagedOrTooLarge) {
  const ImageToy toy;
  toy.add_pictures("train", 4);
  for (const char* name : {"cut_short.jpg", "huge.jpg"}) {
    fs::copy_file(kData / "image" / "damaged" / name, toy.file("train/red") + "/" + name);
  }
  const Finished fit = portatune(toy.fit(toy.file("train"), {"--bad-rows", "skip:2"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(nlohmann::json::parse(fit.out)["skipped_rows"], 2);
  EXPECT_THAT(fit.err, HasSubstr("train/red/cut_short.jpg"));
  EXPECT_THAT(fit.err, HasSubstr("an image of 65500 x 65500 pixels, expected at most 89478485 pixels in all"));
}

TEST(ImageClassificationCommand, RefusesModelsAndProcessorsThatDoNotFit) {
  const ImageToy toy;
  toy.add_pictures("train", 2);
  const Finished text_model = portatune({"fit", "--task", "image-classification", "--model", tiny_bert(), "--train",
                                         toy.file("train"), "--output", toy.file("tuned")});
  EXPECT_EQ(text_model.exit_code, 65);
  EXPECT_THAT(text_model.err, HasSubstr("which is no image model"));

  const Toy texts;
  const Finished image_model = portatune({"fit", "--task", "text-classification", "--model", toy.file("model"),
                                          "--train", texts.file("train.csv"), "--output", toy.file("tuned")});
  EXPECT_EQ(image_model.exit_code, 65);
  EXPECT_THAT(image_model.err, HasSubstr("which is no text model"));

  write(toy.file("model/preprocessor_config.json"), R"({"size": 16})");
  const Finished size = portatune(toy.fit(toy.file("train")));
  EXPECT_EQ(size.exit_code, 65);
  EXPECT_THAT(size.err, HasSubstr("images of 16 x 16 pixels"));
  EXPECT_THAT(size.err, HasSubstr("12 x 12 pixels, the image_size of config.json"));

  fs::remove(toy.file("model/preprocessor_config.json"));
  const Finished none = portatune(toy.fit(toy.file("train")));
  EXPECT_EQ(none.exit_code, 66);
  EXPECT_THAT(none.err, HasSubstr("preprocessor_config.json"));
}

}  // namespace
}  // namespace portatune::cli
