// A run is refused if its model or checkpoints do not fit on the disk.
#include <gmock/gmock.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using testing::HasSubstr;

// A model with one more tensor, which has no place in it and as many bytes as twice the free space: a hole in the file.
void enlarge_beyond_the_disk(const std::filesystem::path& file) {
  const std::string bytes = read(file);
  uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  auto header = nlohmann::json::parse(bytes.substr(sizeof size, size));
  const uint64_t data = bytes.size() - sizeof size - size;
  const uint64_t elements = std::filesystem::space(file).available / 2;
  header["large"] = {{"dtype", "F32"}, {"shape", {elements}}, {"data_offsets", {data, data + 4 * elements}}};
  const std::string text = header.dump();
  size = text.size();
  write(file,
        std::string(reinterpret_cast<const char*>(&size), sizeof size) + text + bytes.substr(bytes.size() - data));
  std::filesystem::resize_file(file, sizeof size + text.size() + data + 4 * elements);
}

TEST(DiskSpace, ARunThatCannotBeSavedIsRefusedBeforeAnyWork) {
  const Toy toy;
  const std::filesystem::path model = toy.copy_of_model();
  enlarge_beyond_the_disk(model / "model.safetensors");
  Words words = toy.fit({"--checkpoint-every", "2"});
  *std::next(std::ranges::find(words, "--model")) = model;
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(run.err, HasSubstr("portatune: --output " + toy.output()));
  EXPECT_THAT(run.err, HasSubstr("of free space on the disk of"));
  EXPECT_THAT(run.err, HasSubstr("and its checkpoints of"));
  EXPECT_THAT(run.err, testing::Not(HasSubstr("measuring")));
  EXPECT_FALSE(std::filesystem::exists(toy.output()));
}

}  // namespace
}  // namespace portatune::cli
