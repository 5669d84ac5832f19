#include "portatune/cli/options/runs/resume_command.h"

#include <gtest/gtest.h>

namespace portatune::cli {
namespace {

TEST(ResumeCommand, AddsTheCheckpoint) {
  EXPECT_EQ(resume_command({"fit", "--train", "a.csv"}, "out/checkpoint-7"),
            "portatune fit --train a.csv --resume-from-checkpoint out/checkpoint-7");
}

TEST(ResumeCommand, ReplacesAnOlderCheckpointHoweverItWasGiven) {
  const std::string expected = "portatune fit --seed 1 --resume-from-checkpoint o/checkpoint-9";
  EXPECT_EQ(resume_command({"fit", "--resume-from-checkpoint", "o/checkpoint-7", "--seed", "1"}, "o/checkpoint-9"),
            expected);
  EXPECT_EQ(resume_command({"fit", "--resume_from_checkpoint=o/checkpoint-7", "--seed", "1"}, "o/checkpoint-9"),
            expected);
  EXPECT_EQ(resume_command({"fit", "--resume", "--seed", "1"}, "o/checkpoint-9"), expected);
  EXPECT_EQ(resume_command({"fit", "--overwrite_output_dir", "--seed", "1"}, "o/checkpoint-9"), expected);
}

TEST(ResumeCommand, LeavesTheSecretsOfUrlsOut) {
  const std::vector<std::string> words = {"fit", "--train", "https://h/a.csv?token=abc",
                                          "--validation=s3://k:word@b/v"};
  EXPECT_EQ(resume_command(words, ""),
            "portatune fit --train 'https://h/a.csv?token=...' --validation=s3://...@b/v --resume");
  EXPECT_EQ(note_on_secrets(words), "the secrets of URLs are left out: write them again in place of \"...\"");
  EXPECT_EQ(note_on_secrets({"fit", "--train", "https://h/a.csv?page=2"}), "");
}

TEST(ResumeCommand, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(
      resume_command({"fit", "--train", "it's $5.csv", "--text-pair-column", ""}, "my out/checkpoint-1"),
      "portatune fit --train 'it'\\''s $5.csv' --text-pair-column '' --resume-from-checkpoint 'my out/checkpoint-1'");
}

}  // namespace
}  // namespace portatune::cli
