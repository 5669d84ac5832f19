#include "portatune/train/checkpoint/array_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/tensor_files.h"
#include "runtime/processes/thread_group.h"

namespace portatune::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Arrays of 64, 128 and 192 bytes and so on; the size of the last is no multiple of 64.
struct Arrays {
  std::vector<Tensor> tensors;
  std::vector<DeviceArray> on_device;

  explicit Arrays(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t size = 16 * (i + 1) + (i + 1 == count ? 1 : 0);
      const std::vector<float> values(static_cast<size_t>(size), static_cast<float>(i));
      tensors.emplace_back(Shape{size}, std::span<const float>(values));
      on_device.push_back(kernels().put(tensors.back().view()));
    }
  }
  static std::string name(size_t i) { return "array_" + std::to_string(i); }
  std::vector<train::NamedArray> named() const {
    std::vector<train::NamedArray> arrays;
    for (size_t i = 0; i < on_device.size(); ++i) arrays.push_back(train::named(name(i), on_device[i]));
    return arrays;
  }
};

void write(const fs::path& target, const Arrays& arrays, int64_t processes, int64_t writers) {
  in_processes(processes, [&](ProcessGroup& group) {
    try {
      SharedDirectory directory(target, &group, writers);
      train::write_arrays(directory, "model", arrays.named());
      directory.commit();
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  });
}

void expect_whole(const fs::path& folder, const Arrays& arrays) {
  const std::vector<io::SafetensorsFile> files = io::open_tensor_files(folder, "model");
  size_t found = 0;
  for (const io::SafetensorsFile& file : files) {
    for (const io::SafetensorsEntry& entry : file.entries()) {
      const auto i = static_cast<size_t>(std::stoi(entry.name.substr(6)));
      EXPECT_THAT(file.view(entry).as<float>(), ::testing::ElementsAreArray(arrays.tensors[i].as<float>()));
      ++found;
    }
  }
  EXPECT_EQ(found, arrays.tensors.size());
}

TEST(ArrayFiles, AreWrittenByAllProcessesInEqualParts) {
  const TemporaryFolder folder;
  const Arrays arrays(12);
  write(folder / "four", arrays, 4, 4);
  expect_whole(folder / "four", arrays);
  for (int64_t i = 0; i < 4; ++i) {
    const fs::path file = folder / "four" / io::tensor_shard_file("model", i, 4);
    // There are 4992 bytes of arrays, and headers of some hundred.
    EXPECT_NEAR(static_cast<double>(fs::file_size(file)), 4992.0 / 4 + 300, 300) << file;
  }
}

TEST(ArrayFiles, AreAsManyAsTheArraysIfTheseAreFewer) {
  const TemporaryFolder folder;
  const Arrays arrays(3);
  write(folder / "three", arrays, 4, 4);
  expect_whole(folder / "three", arrays);
  EXPECT_TRUE(fs::exists(folder / "three" / "model-00003-of-00003.safetensors"));
}

TEST(ArrayFiles, AreOneFileForOneWriter) {
  const TemporaryFolder folder;
  const Arrays arrays(5);
  write(folder / "one", arrays, 3, 1);
  std::vector<NamedTensorView> views;
  for (size_t i = 0; i < arrays.tensors.size(); ++i) views.push_back({Arrays::name(i), arrays.tensors[i].view()});
  io::write_safetensors(folder / "wanted", views);
  EXPECT_EQ(text_of(folder / "one" / "model.safetensors"), text_of(folder / "wanted"));
  EXPECT_FALSE(fs::exists(folder / "one" / "model.safetensors.index.json"));
}

TEST(ArrayFiles, HaveChecksumsOfTheirWriters) {
  const TemporaryFolder folder;
  const Arrays arrays(5);
  std::vector<hub::FileSums> sums(3);
  in_processes(3, [&](ProcessGroup& group) {
    SharedDirectory directory(folder / "target", &group, 2);
    sums[static_cast<size_t>(group.rank())] = train::write_arrays(directory, "model", arrays.named());
    directory.commit();
  });
  for (size_t i = 0; i < 2; ++i) {
    const std::string name = io::tensor_shard_file("model", static_cast<int64_t>(i), 2);
    EXPECT_EQ(sums[i], (hub::FileSums{{name, io::sum_of_file(folder / "target" / name)}}));
  }
  EXPECT_TRUE(sums[2].empty());
}

TEST(ArrayFiles, AreAbsentIfACheckFails) {
  const TemporaryFolder folder;
  const Arrays arrays(5);
  std::vector<std::string> messages(2);
  in_processes(2, [&](ProcessGroup& group) {
    messages[static_cast<size_t>(group.rank())] = message_of<NumericError>([&] {
      SharedDirectory directory(folder / "target", &group, 2);
      train::write_arrays(directory, "model", arrays.named(), [](const NamedTensorView& array) {
        if (array.name == "array_3") throw NumericError({.where = array.name, .given = "", .expected = "", .fix = ""});
      });
      directory.commit();
    });
  });
  EXPECT_THAT(messages, ::testing::Each(HasSubstr("array_3")));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace portatune::test
