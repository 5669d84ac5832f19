#include "portatune/runtime/pjrt/cache/executable_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/runtime/pjrt/cache/cache_file.h"
#include "portatune/runtime/pjrt/call_error.h"
#include "runtime/pjrt/cpu.h"

namespace portatune::pjrt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ExecutableCacheTest : public testing::Test {
 protected:
  CachedExecutable get(const CompileOptions& options = {}, const std::string& version = "") const {
    return ExecutableCache({.folder = folder_.path(), .version = version}).get_or_compile(cpu_client(), kAdd, options);
  }
  fs::path only_file() const {
    const std::vector<fs::directory_entry> files(fs::directory_iterator(folder_.path()), {});
    EXPECT_EQ(files.size(), 1u);
    return files.front().path();
  }
  TemporaryFolder folder_;
};

float last_of_sum(const LoadedExecutable& add) {
  const Buffer x = cpu_client().move_to_device(Tensor({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}));
  const Buffer* arguments[] = {&x, &x};
  return add.execute_without_donation(arguments)[0].to_host().as<float>()[5];
}

TEST_F(ExecutableCacheTest, CompilesOnce) {
  const CachedExecutable first = get();
  EXPECT_FALSE(first.was_cached);
  EXPECT_EQ(first.fault, "");
  const CachedExecutable second = get();
  EXPECT_TRUE(second.was_cached);
  EXPECT_EQ(last_of_sum(first.executable), 12.f);
  EXPECT_EQ(last_of_sum(second.executable), 12.f);
}

TEST_F(ExecutableCacheTest, CachedProgramStillChecksItsArguments) {
  get();
  const Buffer x = cpu_client().move_to_device(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Buffer* arguments[] = {&x, &x};
  EXPECT_THROW(get().executable.execute_without_donation(arguments), ShapeError);
}

TEST_F(ExecutableCacheTest, KeyDependsOnOptionsAndVersion) {
  get();
  EXPECT_FALSE(get({.xla_options = {{"xla_backend_optimization_level", int64_t{0}}}}).was_cached);
  EXPECT_FALSE(get({}, "kernels 2").was_cached);
  EXPECT_TRUE(get({}, "kernels 2").was_cached);
}

TEST_F(ExecutableCacheTest, KeyDependsOnFlagsOfTheEnvironment) {
  get();
  // The plugin has already read the flags, so that this changes only the key.
  setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=true", 1);
  EXPECT_FALSE(get().was_cached);
  unsetenv("XLA_FLAGS");
  EXPECT_TRUE(get().was_cached);
}

TEST_F(ExecutableCacheTest, ReplacesATruncatedFile) {
  get();
  fs::resize_file(only_file(), fs::file_size(only_file()) / 2);
  const CachedExecutable again = get();
  EXPECT_FALSE(again.was_cached);
  EXPECT_EQ(last_of_sum(again.executable), 12.f);
  EXPECT_TRUE(get().was_cached);
}

TEST_F(ExecutableCacheTest, ReplacesAFileThatThePluginRefuses) {
  get();
  write_cache_file(only_file(), "no executable");
  const CachedExecutable again = get();
  EXPECT_FALSE(again.was_cached);
  EXPECT_EQ(last_of_sum(again.executable), 12.f);
  EXPECT_TRUE(get().was_cached);
}

TEST_F(ExecutableCacheTest, WorksWithAnUnwritableFolder) {
  const CachedExecutable compiled = ExecutableCache({.folder = "/proc/nowhere"}).get_or_compile(cpu_client(), kAdd);
  EXPECT_EQ(last_of_sum(compiled.executable), 12.f);
  EXPECT_THAT(compiled.fault, HasSubstr("/proc/nowhere"));
}

// A program is machine code, and its checksum is not a signature.
TEST_F(ExecutableCacheTest, IgnoresAFolderThatOthersMayWriteTo) {
  get();
  fs::permissions(folder_.path(), fs::perms::others_write, fs::perm_options::add);
  const auto before = fs::last_write_time(only_file());
  const CachedExecutable compiled = get();
  EXPECT_FALSE(compiled.was_cached);
  EXPECT_EQ(last_of_sum(compiled.executable), 12.f);
  EXPECT_THAT(compiled.fault, testing::AllOf(HasSubstr(folder_.path().string()), HasSubstr("chmod -R o-w")));
  EXPECT_EQ(fs::last_write_time(only_file()), before);
  fs::permissions(folder_.path(), fs::perms::others_write, fs::perm_options::remove);
  EXPECT_TRUE(get().was_cached);
}

TEST_F(ExecutableCacheTest, CanBeDisabled) {
  const ExecutableCache off({.folder = folder_.path(), .enabled = false});
  off.get_or_compile(cpu_client(), kAdd);
  EXPECT_FALSE(off.get_or_compile(cpu_client(), kAdd).was_cached);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(ExecutableCacheTest, ThrowsCompileErrors) {
  const ExecutableCache cache({.folder = folder_.path()});
  EXPECT_THROW(cache.get_or_compile(cpu_client(), "func.func public @main() {"), CallError);
}

TEST_F(ExecutableCacheTest, ProcessesMayShareIt) {
  constexpr int kProcesses = 4;
  const std::string command =
      std::string(CACHE_USER) + " " + cpu_plugin().file().string() + " " + folder_.path().string();
  std::array<FILE*, kProcesses> processes;
  for (FILE*& process : processes) process = popen(command.c_str(), "r");
  for (FILE* process : processes) {
    std::array<char, 16> line{};
    EXPECT_NE(std::fgets(line.data(), line.size(), process), nullptr);
    EXPECT_EQ(pclose(process), 0);
  }
  only_file();
  FILE* later = popen(command.c_str(), "r");
  std::array<char, 16> line{};
  EXPECT_STREQ(std::fgets(line.data(), line.size(), later), "cached\n");
  EXPECT_EQ(pclose(later), 0);
}

}  // namespace
}  // namespace portatune::pjrt
