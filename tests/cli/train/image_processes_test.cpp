// Training on images in several processes, each of which decodes its own rows alone.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/image_toy.h"
#include "cli/program.h"
#include "cli/toy.h"
#include "runtime/pjrt/variable.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kProcesses = 2;

class ImageProcesses : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(PORTATUNE_COMMAND).parent_path() / "libportatune_gloo.so")) {
      GTEST_SKIP() << "built without Gloo";
    }
    toy_.add_pictures("train", 10);
    toy_.add_pictures("dev", 5);
  }

  // With random crops, flips and colours.
  Words fit(const std::string& output, const std::string& batch_size, const Words& more = {}) const {
    Words words = toy_.fit(toy_.file("train"), {"--validation", toy_.file("dev"), "--color-jitter", "0.4"});
    *std::next(std::ranges::find(words, "--output")) = toy_.file(output);
    *std::next(std::ranges::find(words, "--learning-rate")) = "1e-3";
    return with_batch_size(words, batch_size) + more;
  }
  static Finished together(const Words& words, const Words& of_second = {}) {
    return portatune(words, {.processes = kProcesses, .by = By::kEnvironment, .last = of_second});
  }
  // The words of a process with copies of the validation images of its own.
  Words with_own_images(Words words) const {
    fs::copy(toy_.file("dev"), toy_.file("copies"), fs::copy_options::recursive);
    *std::ranges::find(words, toy_.file("dev")) = toy_.file("copies");
    return words;
  }
  void damage(const std::string& image) const {
    write(toy_.file(image), std::string(fs::file_size(toy_.file(image)), '\0'));
  }
  std::string weights(const std::string& output) const { return read(toy_.file(output) + "/model.safetensors"); }
  void remove(const std::string& output) const { fs::remove_all(toy_.file(output)); }

  const ImageToy toy_;
};

json result_of(const Finished& run) {
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.exit_code == 0 ? json::parse(run.out) : json();
}

void expect_near(const json& found, const json& wanted) {
  EXPECT_EQ(found["steps"], wanted["steps"]);
  EXPECT_NEAR(found["train_loss"].get<double>(), wanted["train_loss"].get<double>(), 1e-5);
  EXPECT_NEAR(found["after"]["loss"].get<double>(), wanted["after"]["loss"].get<double>(), 1e-5);
  EXPECT_EQ(found["after"]["accuracy"], wanted["after"]["accuracy"]);
}

// 30 rows in steps of 12, so that the last has none of the second process.
TEST_F(ImageProcesses, TrainToWhatOneTrainsTo) {
  const Words two_epochs = {"--epochs", "2"};
  const json wanted = result_of(portatune(fit("alone", "12", two_epochs)));
  for (const auto& [batch_size, more] :
       {std::pair<const char*, Words>{"6", {}},
        {"12", {"--mesh", "tensor=2"}},
        {"2", {"--mesh", "fsdp=2", "--gradient-accumulation-steps", "3", "--eval-batch-size", "3"}}}) {
    expect_near(result_of(together(fit("run", batch_size, two_epochs + more))), wanted);
    remove("run");
  }
}

TEST_F(ImageProcesses, DoNotOpenTheImagesOfOthers) {
  // In batches of 4 on each: 0 to 3 and 8 to 11 are those of process 0, the others those of process 1.
  const Words words = fit("run", "4", {"--epochs", "1"}), of_second = with_own_images(words);
  const json wanted = result_of(together(words));
  remove("run");
  for (const char* image : {"blue/0", "blue/1", "blue/2", "blue/3", "green/3", "green/4", "red/0", "red/1"}) {
    damage(std::string("copies/") + image + ".png");
  }
  const json found = result_of(together(words, of_second));
  EXPECT_EQ(found["after"], wanted["after"]);
  EXPECT_EQ(found["train_loss"], wanted["train_loss"]);
  remove("run");

  damage("copies/blue/4.png");
  const Finished failed = together(words, of_second);
  EXPECT_EQ(failed.exit_code, 65) << failed.err;
  EXPECT_THAT(failed.err, AllOf(HasSubstr("process 1 of 2"), HasSubstr("copies/blue/4.png")));
}

// By whichever of the two has it among its rows.
TEST_F(ImageProcesses, SaveWhatTheyHaveWhereAnImageOfOneCannotBeDecoded) {
  const Words words = fit("run", "4", {"--epochs", "2", "--no-eval-on-start"});
  const json wanted = result_of(together(words));
  const std::string whole = weights("run");
  for (const auto& [image, checkpoint] :
       {std::pair("train/red/7.png", "checkpoint-"), {"dev/red/4.png", "checkpoint-4"}}) {
    remove("run");
    const std::string kept = read(toy_.file(image));
    damage(image);
    const Finished failed = together(words);
    EXPECT_THAT(failed.exit_codes, ElementsAre(65, 65)) << failed.err;
    EXPECT_THAT(failed.err, HasSubstr(image));
    ASSERT_THAT(names_without_records(toy_.file("run")), ElementsAre(testing::StartsWith(checkpoint))) << failed.err;
    write(toy_.file(image), kept);
    EXPECT_EQ(result_of(together(words + Words{"--resume"}))["after"], wanted["after"]);
    EXPECT_EQ(weights("run"), whole);
  }
}

TEST_F(ImageProcesses, RefuseOtherImagesThanThoseOfTheFirst) {
  const Words words = fit("run", "4", {"--epochs", "1"}), of_second = with_own_images(words);
  fs::rename(toy_.file("copies/red/1.png"), toy_.file("copies/red/9.png"));
  const Finished run = together(words, of_second);
  EXPECT_EQ(run.exit_code, 65) << run.err;
  EXPECT_THAT(run.err, HasSubstr("different batches in process 1"));
}

TEST_F(ImageProcesses, PassOverBadImagesTogether) {
  for (const char* image : {"train/blue/3.png", "train/red/1.png", "dev/green/2.png"}) damage(image);
  const Words options = {"--epochs", "2", "--bad-rows", "skip:3"};
  const json wanted = result_of(portatune(fit("alone", "8", options)));
  EXPECT_EQ(wanted["skipped_rows"], 3);
  const json found = result_of(together(fit("run", "4", options)));
  EXPECT_EQ(found["skipped_rows"], 3);
  expect_near(found, wanted);
}

// Pixels that are not black are infinite.
class InfiniteImage : public ImageProcesses {
 protected:
  InfiniteImage() {
    const fs::path processor = toy_.file("model") + "/preprocessor_config.json";
    json config = json::parse(read(processor));
    config["rescale_factor"] = 1e38;
    write(processor, config.dump());
    for (const char* colour : {"blue", "green", "red"}) {
      fs::create_directories(toy_.file("black") + "/" + colour);
      for (int i = 0; i < 4; ++i) paint(fs::path("black") / colour / (std::to_string(i) + ".png"), 0);
    }
  }
  void paint(const fs::path& picture, uint8_t brightness) const {
    image::Image image({16, 16});
    std::ranges::fill(image.bytes(), brightness);
    image::write_png(toy_.file(picture), image);
  }
  Words fit(const std::string& output, const std::string& batch_size, const Words& more) const {
    Words words = toy_.fit(toy_.file("black"), Words{"--epochs", "2"} + more);
    *std::next(std::ranges::find(words, "--output")) = toy_.file(output);
    return with_batch_size(words, batch_size);
  }
};

// The report of the step whose numbers are not finite, from the number of the step on.
std::string report_in(const std::string& err) {
  const size_t given = err.find("\n  given"), end = err.find("\n  expected");
  if (given == err.npos || end == err.npos) return "no report in: " + err;
  const size_t begin = err.rfind("step ", given);
  return err.substr(begin, end - begin);
}

TEST_F(InfiniteImage, OfOneProcessStopsAll) {
  std::set<bool> is_of_second;
  for (const std::string image : {"red/0.png", "red/1.png", "red/2.png", "red/3.png"}) {
    paint("black/" + image, 255);
    const std::string wanted = report_in(portatune(fit("alone", "4", {})).err);
    const Finished run = together(fit("run", "2", {}));
    EXPECT_THAT(run.exit_codes, ElementsAre(76, 76)) << run.err;
    EXPECT_EQ(report_in(run.err), wanted);
    EXPECT_THAT(wanted, HasSubstr("first non-finite value: \"pixel_values\" of the batch"));
    // Of four rows, between which there are semicolons, the last two are the second process's.
    is_of_second.insert(std::ranges::count(wanted.substr(0, wanted.find(image)), ';') >= 2);
    paint("black/" + image, 0);
    for (const char* output : {"alone", "run"}) remove(output);
  }
  EXPECT_THAT(is_of_second, ElementsAre(false, true));
}

TEST_F(InfiniteImage, OfOneProcessIsSkippedByAllAndCountedOnce) {
  for (const char* image : {"black/red/0.png", "black/red/3.png"}) {
    paint(image, 255);
    const Words skip = {"--on-non-finite", "skip"};
    const json wanted = result_of(portatune(fit("alone", "4", skip))),
               found = result_of(together(fit("run", "2", skip)));
    EXPECT_EQ(wanted["skipped_steps"], 2);  // one of each epoch
    EXPECT_EQ(found["skipped_steps"], 2);
    EXPECT_EQ(found["steps"], wanted["steps"]);
    EXPECT_NEAR(found["train_loss"].get<double>(), wanted["train_loss"].get<double>(), 1e-5);
    paint(image, 0);
    for (const char* output : {"alone", "run"}) remove(output);
  }
}

// Processes with two devices each: tests/runtime/pjrt/cluster_plugin.cpp. There all is to the bit.
class ImageCluster : public ImageProcesses {
 protected:
  const pjrt::Variable plugin_{"PORTATUNE_CUDA_PLUGIN", CLUSTER_PLUGIN};
  const pjrt::Variable gpus_{"CUDA_VISIBLE_DEVICES", "100,101"};
};

TEST_F(ImageCluster, TrainsToWhatOneMachineTrainsTo) {
  for (const auto& [mesh, batch_size] : {std::pair("data=4", "2"), {"fsdp=2,tensor=2", "4"}}) {
    const Words options = {"--epochs", "2", "--mesh", mesh, "--gradient-accumulation-steps", "2"};
    const json wanted = result_of(portatune(fit("alone", batch_size, options + Words{"--device", "cuda:0,1,2,3"})));
    const json found = result_of(together(fit("run", batch_size, options + Words{"--device", "cuda"})));
    EXPECT_EQ(found["train_loss"], wanted["train_loss"]) << mesh;
    EXPECT_EQ(found["before"], wanted["before"]) << mesh;
    EXPECT_EQ(found["after"], wanted["after"]) << mesh;
    EXPECT_TRUE(weights("run") == weights("alone")) << mesh;
    remove("run");
    remove("alone");
  }
}

// Four steps an epoch, of which the last is not full: on from the second step of the second.
TEST_F(ImageCluster, GoesOnInTheMiddleOfAnEpochInAnyNumberOfProcesses) {
  const Words options = {"--mesh", "data=4", "--lr-scheduler-type", "constant"}, three = {"--epochs", "3"};
  result_of(together(fit("whole", "2", options + three + Words{"--device", "cuda"})));
  const Words long_run = {"--epochs", "1000", "--checkpoint-every", "6", "--keep-checkpoints", "1000"};
  Program first(fit("first", "2", options + long_run + Words{"--device", "cuda"}),
                {.processes = kProcesses, .by = By::kEnvironment});
  ASSERT_TRUE(first.says("checkpoint-6"));
  ASSERT_EQ(first.processes().size(), kProcesses);
  fs::copy(toy_.file("first") + "/checkpoint-6", toy_.file("checkpoint"), fs::copy_options::recursive);
  kill(first.processes()[1], SIGKILL);
  first.wait();
  const Words rest = options + three + Words{"--resume-from-checkpoint", toy_.file("checkpoint"), "--device"};
  result_of(together(fit("two", "2", rest + Words{"cuda"})));
  EXPECT_TRUE(weights("two") == weights("whole"));
  result_of(portatune(fit("one", "2", rest + Words{"cuda:0,1,2,3"})));
  EXPECT_TRUE(weights("one") == weights("whole"));
}

}  // namespace
}  // namespace portatune::cli
