#include "portatune/run/inputs/task/adapter.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "cli/toy.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::run {
namespace {

using testing::HasSubstr;

// The name would be wrong in the saved adapter.
TEST(AdaptersOf, RefusesAModelWhosePathIsNotUtf8) {
  const TemporaryFolder folder;
  const std::filesystem::path model = folder / "mod\xe8le";
  std::filesystem::copy(cli::tiny_bert(), model);
  RunOptions options;
  options.adapter = true;
  options.model.folder = model;
  EXPECT_THAT(message_of<UsageError>([&] { adapters_of(options, model); }), HasSubstr("not UTF-8"));
  options.model.folder = cli::tiny_bert();
  EXPECT_TRUE(adapters_of(options, cli::tiny_bert()));
}

}  // namespace
}  // namespace portatune::run
