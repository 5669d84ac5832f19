#include "portatune/hub/checkpoint_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"

namespace portatune::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::map<std::string, std::string> kFiles = {
    {"config.json", "{}"}, {"model.safetensors", "weights"}, {"tokenizer/vocab.txt", "a\nb\n"}, {"empty", ""}};

void write_files(const fs::path& folder) {
  fs::create_directories(folder / "tokenizer");
  for (const auto& [name, text] : kFiles) write_text(folder / name, text);
}

std::string fault_in(const fs::path& folder) {
  return message_of<CheckpointError>([&] { hub::verify_manifest(folder); });
}

TEST(CheckpointManifest, HasTheSumsOfAllFiles) {
  const TemporaryFolder folder;
  write_files(folder.path());
  hub::write_manifest(folder.path(), {});
  hub::verify_manifest(folder.path());
  const hub::FileSums sums = hub::sums_in(text_of(folder / hub::kManifestFile), "");
  ASSERT_EQ(sums.size(), kFiles.size());
  for (const auto& [name, sum] : sums) EXPECT_EQ(sum, io::sum_of_file(folder / name)) << name;
}

TEST(CheckpointManifest, UsesSumsComputedDuringWriting) {
  const TemporaryFolder folder;
  write_files(folder.path());
  hub::write_manifest(folder.path(), {{"config.json", {.bytes = 2, .xxh3 = 7}}});
  EXPECT_THAT(fault_in(folder.path()), AllOf(HasSubstr((folder / "config.json").string()), HasSubstr("damaged data"),
                                             HasSubstr("the checksum 0000000000000007")));
}

TEST(CheckpointManifest, NoticesEachFlippedBit) {
  const TemporaryFolder folder;
  write_files(folder.path());
  hub::write_manifest(folder.path(), {});
  for (const char* name : {"config.json", "model.safetensors", "tokenizer/vocab.txt", hub::kManifestFile}) {
    const std::string whole = text_of(folder / name);
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      write_text(folder / name, damaged);
      EXPECT_THROW(hub::verify_manifest(folder.path()), CheckpointError) << name << ", bit " << bit;
    }
    write_text(folder / name, whole);
  }
  hub::verify_manifest(folder.path());
}

TEST(CheckpointManifest, IsReadOnceUntilAFileChanges) {
  const TemporaryFolder folder, other;
  for (const TemporaryFolder* checkpoint : {&folder, &other}) {
    write_files(checkpoint->path());
    hub::write_manifest(checkpoint->path(), {});
  }
  const fs::path weights = folder / "model.safetensors";
  const fs::file_time_type time = fs::last_write_time(weights);
  hub::ValidCheckpoint last, of_another_run;
  hub::verify_manifest(folder.path(), &last);
  write_text(weights, "Weights");
  fs::last_write_time(weights, time);  // the change has left no trace
  hub::verify_manifest(folder.path(), &last);
  hub::verify_weights(folder.path(), &last);
  EXPECT_THAT(fault_in(folder.path()), HasSubstr("damaged data"));
  EXPECT_THROW(hub::verify_manifest(folder.path(), &of_another_run), CheckpointError);
  EXPECT_THROW(hub::verify_weights(folder.path(), &of_another_run), CheckpointError);
  fs::last_write_time(weights, time + std::chrono::seconds(1));
  EXPECT_THROW(hub::verify_manifest(folder.path(), &last), CheckpointError);
  fs::last_write_time(weights, time);
  hub::verify_manifest(other.path(), &last);
  EXPECT_THROW(hub::verify_manifest(folder.path(), &last), CheckpointError);  // the last valid one is another
}

TEST(CheckpointManifest, NamesMissingAndTruncatedFiles) {
  const TemporaryFolder folder;
  write_files(folder.path());
  hub::write_manifest(folder.path(), {});
  fs::resize_file(folder / "model.safetensors", 3);
  EXPECT_THAT(fault_in(folder.path()), AllOf(HasSubstr((folder / "model.safetensors").string()),
                                             HasSubstr("given     3 bytes"), HasSubstr("expected  7 bytes")));
  fs::remove(folder / "model.safetensors");
  EXPECT_THAT(fault_in(folder.path()), AllOf(HasSubstr("model.safetensors"), HasSubstr("no such file")));
  fs::remove(folder / hub::kManifestFile);
  EXPECT_THAT(fault_in(folder.path()), AllOf(HasSubstr("no checkpoint_manifest.json"), HasSubstr("older versions")));
}

TEST(CheckpointManifest, IgnoresOtherFiles) {
  const TemporaryFolder folder;
  write_files(folder.path());
  hub::write_manifest(folder.path(), {});
  write_text(folder / "notes.txt", "mine");
  hub::verify_manifest(folder.path());
}

TEST(CheckpointManifest, VerifiesTheWeightsAlone) {
  const TemporaryFolder folder;
  write_files(folder.path());
  hub::verify_weights(folder.path());  // no checkpoint
  hub::write_manifest(folder.path(), {});
  write_text(folder / "config.json", "{ }");
  write_text(folder / "model.safetensors", "Weights");
  EXPECT_THAT(message_of<CheckpointError>([&] { hub::verify_weights(folder.path()); }),
              AllOf(HasSubstr((folder / "model.safetensors").string()), HasSubstr("damaged data"),
                    HasSubstr("remove checkpoint_manifest.json")));
  write_text(folder / "model.safetensors", "weights");
  hub::verify_weights(folder.path());
}

TEST(CheckpointManifest, RejectsNamesOutsideTheFolder) {
  const TemporaryFolder folder;
  for (const char* name : {"../secret", "/etc/passwd", "a/../../b", ""}) {
    const std::string text = hub::text_of_sums({{name, {}}});
    EXPECT_THAT(message_of<CheckpointError>([&] { hub::sums_in(text, "manifest"); }),
                AllOf(HasSubstr("manifest"), HasSubstr("a file name in this folder")))
        << name;
  }
}

}  // namespace
}  // namespace portatune::test
