#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

std::string stored(const std::string& name) { return std::string(PORTATUNE_TEST_DATA) + "/models/" + name; }

TEST(Parity, ATableEndsWithTheVerdict) {
  const Finished run = portatune({"parity", "--case", stored("bert_qa")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("output         start_logits "));
  EXPECT_THAT(run.out, HasSubstr("gradient       qa_outputs.weight "));
  EXPECT_THAT(run.out, HasSubstr(" tensors agree\n"));
}

TEST(Parity, WhatDisagreesFailsByName) {
  TemporaryFolder folder;
  const fs::path changed = folder.path() / "case";
  fs::copy(stored("bert_regression"), changed);
  fs::copy_file(stored("bert_sigmoid") + "/expected.safetensors", changed / "expected.safetensors",
                fs::copy_options::overwrite_existing);
  const Finished run = portatune({"parity", "--case", changed.string(), "--json"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["passed"], false);
  EXPECT_EQ(result["architecture"], "BertForSequenceClassification");
  for (const json& tensor : result["tensors"]) {
    EXPECT_EQ(tensor["passed"], tensor["kind"] != "output") << tensor;
    if (tensor["tensor"] == "logits") {
      EXPECT_EQ(tensor["shape"], json({3, 1}));
    }
  }
}

TEST(Parity, WhatIsDumpedAgreesWithTheCase) {
  TemporaryFolder folder;
  const fs::path dump = folder.path() / "dump", copied = folder.path() / "case";
  const Finished run = portatune({"parity", "--case", stored("bert_softmax"), "--dump", dump.string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(names_in(dump),
            (std::vector<std::string>{"after5.safetensors", "expected.safetensors", "grads.safetensors"}));
  fs::copy(stored("bert_softmax"), copied);
  fs::copy(dump, copied, fs::copy_options::overwrite_existing);
  EXPECT_EQ(portatune({"parity", "--case", copied.string()}).exit_code, 0);
}

TEST(Parity, DumpsOnlyWhereNothingElseIs) {
  TemporaryFolder folder;
  const fs::path case_folder = folder.path() / "case", dump = folder.path() / "dump";
  fs::copy(stored("bert_sigmoid"), case_folder);
  const std::vector<std::string> files = names_in(case_folder);
  const Finished over = portatune({"parity", "--case", case_folder.string(), "--dump", case_folder.string()});
  EXPECT_EQ(over.exit_code, 2) << over.err;
  EXPECT_THAT(over.err, HasSubstr("which would be lost"));
  EXPECT_EQ(over.out, "");
  EXPECT_EQ(names_in(case_folder), files);
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(portatune({"parity", "--case", case_folder.string(), "--dump", dump.string()}).exit_code, 0);
  }
}

TEST(Parity, ACaseWithNothingToCompareFails) {
  TemporaryFolder folder;
  const fs::path copied = folder.path() / "case";
  fs::copy(stored("bert_regression"), copied);
  for (const char* file : {"expected.safetensors", "grads.safetensors"}) fs::remove(copied / file);
  const Finished run = portatune({"parity", "--case", copied.string()});
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("no tensor to compare"));
}

TEST(Parity, AFolderThatIsNotThereIsNoInput) {
  const Finished run = portatune({"parity", "--case", "/nowhere"});
  EXPECT_EQ(run.exit_code, 66);
  EXPECT_THAT(run.err, HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace portatune::cli
