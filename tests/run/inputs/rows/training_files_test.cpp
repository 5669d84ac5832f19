#include "portatune/run/inputs/rows/training_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

// The file whose change a run of this model notices after a change of `file`; empty if there is none.
std::string noticed_change(const fs::path& model, const fs::path& file, OnNonFinite policy) {
  RunOptions options;
  options.model.folder = model;
  options.training.on_non_finite = policy;
  const std::shared_ptr<io::WatchedFiles> watched = watch_files(options);
  write_text(file, text_of(file) + "more");
  const std::optional<io::FileChange> change = watched->first_change();
  return change ? change->file : "";
}

class WatchFiles : public testing::Test {
 protected:
  WatchFiles() {
    fs::create_directory(model());
    write_text(model() / "config.json", "{}");
    write_text(model() / "vocab.txt", "a\n");
  }
  fs::path model() const { return folder_ / "model"; }

  const TemporaryFolder folder_;
};

TEST_F(WatchFiles, HasTheWeightsThatARewindReadsAgain) {
  const fs::path weights = model() / "model.safetensors", pickle = model() / "pytorch_model.bin";
  write_text(weights, "weights");
  write_text(pickle, "weights");
  EXPECT_EQ(noticed_change(model(), weights, OnNonFinite::kRewind), weights);
  EXPECT_EQ(noticed_change(model(), weights, OnNonFinite::kStop), "");
  EXPECT_EQ(noticed_change(model(), pickle, OnNonFinite::kRewind), "");                 // not used
  EXPECT_EQ(noticed_change(model(), model() / "vocab.txt", OnNonFinite::kRewind), "");  // in memory
}

TEST_F(WatchFiles, HasPicklesWhereTheseAreTheWeights) {
  const fs::path pickle = model() / "pytorch_model-00001-of-00001.bin";
  write_text(pickle, "weights");
  write_text(model() / "pytorch_model.bin.index.json", "{}");
  EXPECT_EQ(noticed_change(model(), pickle, OnNonFinite::kRewind), pickle);
}

TEST_F(WatchFiles, HasTheWeightsOfTheModelOfAnAdapter) {
  const fs::path weights = model() / "model.safetensors", adapter = folder_ / "adapter";
  write_text(weights, "weights");
  fs::create_directory(adapter);
  write_text(adapter / "adapter_config.json", R"({"base_model_name_or_path": "../model"})");
  write_text(adapter / "adapter_model.safetensors", "weights");
  for (const fs::path& file : {weights, adapter / "adapter_model.safetensors"}) {
    EXPECT_EQ(fs::weakly_canonical(noticed_change(adapter, file, OnNonFinite::kRewind)), fs::weakly_canonical(file));
  }
}

}  // namespace
}  // namespace portatune::run
