// tests/oracle/models/make_pytorch_cases.py makes tests/data/pytorch with the results of torch.load(weights_only=True).
#include "portatune/io/pytorch/pytorch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::filesystem::path kCases = std::filesystem::path(PORTATUNE_TEST_DATA) / "pytorch";

struct Values {
  TensorType type;
  std::string bytes;

  bool operator==(const Values&) const = default;
};
void PrintTo(const Values& values, std::ostream* out) { *out << to_string(values.type); }

Values values_of(const TensorView& view) {
  return {view.type, {reinterpret_cast<const char*>(view.data), static_cast<size_t>(view.type.bytes())}};
}

std::map<std::string, Values> tensors_of(const PytorchFile& file) {
  std::map<std::string, Values> tensors;
  for (const NamedTensorView& tensor : file.tensors()) tensors.emplace(tensor.name, values_of(tensor.view));
  return tensors;
}

std::map<std::string, Values> tensors_of(const SafetensorsFile& file) {
  std::map<std::string, Values> tensors;
  for (const SafetensorsEntry& entry : file.entries()) tensors.emplace(entry.name, values_of(file.view(entry)));
  return tensors;
}

void expect_values_of_torch(const std::string& name) {
  SCOPED_TRACE(name);
  const PytorchFile file = PytorchFile::open(kCases / (name + ".bin"));
  EXPECT_EQ(tensors_of(file), tensors_of(SafetensorsFile::open(kCases / (name + ".safetensors"))));
  file.require_whole();
}

// A file with these bytes.
struct MadeFile : TemporaryFolder {
  explicit MadeFile(const std::string& bytes) { write_text(file(), bytes); }
  std::filesystem::path file() const { return *this / "made.bin"; }
  std::string refusal() const {
    return message_of<CheckpointError>([&] { PytorchFile::open(file()); });
  }
};

std::string refusal_of(const std::string& bytes) { return MadeFile(bytes).refusal(); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(PytorchFile, HasTheTensorsOfTorch) {
  for (const char* name : {"dtypes", "views", "parameters"}) {
    for (const char* format : {"_zip", "_old"}) expect_values_of_torch(std::string(name) + format);
  }
}

TEST(PytorchFile, ReadsFilesOfPython2) { expect_values_of_torch("python2_old"); }

TEST(PytorchFile, ReadsViewsOfStorages) { expect_values_of_torch("storage_view_old"); }

TEST(PytorchFile, ReadsStoragesOfGpus) { expect_values_of_torch("gpu_old"); }

TEST(PytorchFile, ReadsTheFirstConstructorOfTensors) { expect_values_of_torch("first_constructor_old"); }

TEST(PytorchFile, KeepsTheOrderOfTheDict) {
  std::vector<std::string> names;
  const PytorchFile file = PytorchFile::open(kCases / "python2_old.bin");
  for (const NamedTensorView& tensor : file.tensors()) names.push_back(tensor.name);
  EXPECT_THAT(names, ::testing::ElementsAre("weight", "bias"));
}

TEST(PytorchFile, EveryTruncationIsRefused) {
  for (const char* name : {"parameters_zip.bin", "parameters_old.bin", "storage_view_old.bin"}) {
    const std::string whole = text_of(kCases / name);
    const TemporaryFolder folder;
    for (size_t size = 0; size < whole.size(); ++size) {
      const std::filesystem::path file = folder / std::to_string(size);
      write_text(file, whole.substr(0, size));
      EXPECT_THROW(PytorchFile::open(file), CheckpointError) << name << " " << size;
      std::filesystem::remove(file);
    }
  }
}

TEST(PytorchFile, AChangedByteIsRefusedOrKeepsTensorsWithinTheFile) {
  int64_t sum = 0;
  for (const char* name : {"parameters_zip.bin", "parameters_old.bin"}) {
    const std::string whole = text_of(kCases / name);
    const TemporaryFolder folder;
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
      const std::filesystem::path path = folder / std::to_string(at);
      write_text(path, changed);
      try {
        for (const auto& [key, values] : tensors_of(PytorchFile::open(path))) {
          for (const char byte : values.bytes) sum += byte;
        }
      } catch (const CheckpointError&) {
      }
      std::filesystem::remove(path);
    }
  }
  EXPECT_NE(sum, 0);
}

TEST(PytorchFile, RefusesAnotherFormat) {
  EXPECT_THAT(refusal_of(""), HasSubstr("torch.save()"));
  EXPECT_THAT(refusal_of("\x80\x02}q\x01."), HasSubstr("neither a zip archive"));
  EXPECT_THAT(refusal_of("PK\x03\x04 and then nothing"), HasSubstr("not a whole zip archive"));
  EXPECT_THAT(refusal_of("version https://git-lfs.github.com/spec/v1\n"), HasSubstr("git lfs pull"));
}

TEST(PytorchFile, RefusesAnArchiveWithoutAStateDict) {
  const std::string file = text_of(kCases / "dtypes_zip.bin");
  std::string renamed = file;
  for (size_t at; (at = renamed.find("/data.pkl")) != std::string::npos;) renamed.replace(at, 9, "/data.pkx");
  EXPECT_THAT(refusal_of(renamed), HasSubstr("data.pkl"));
}

TEST(PytorchFile, RefusesBigEndianElements) {
  std::string file = text_of(kCases / "dtypes_zip.bin");
  EXPECT_THAT(refusal_of(replaced(file, "little", "bigger")), AllOf(HasSubstr("byte order"), HasSubstr("'bigger'")));
}

TEST(PytorchFile, RefusesAnotherVersionOfTheOldFormat) {
  const std::string file = text_of(kCases / "gpu_old.bin");
  EXPECT_THAT(refusal_of(replaced(file, std::string("M\xe9\x03.", 4), std::string("M\xea\x03.", 4))),
              HasSubstr("version"));
}

// Each change concerns one number of storage_view_old.bin, whose tensor has 3 of the 4 elements of a view.
TEST(PytorchFile, RefusesElementsOutsideOfTheStorage) {
  const std::string file = text_of(kCases / "storage_view_old.bin");
  EXPECT_THAT(refusal_of(replaced(file, "K\x04\x87", "K\x05\x87")), HasSubstr("a view beyond the end"));
  EXPECT_THAT(refusal_of(replaced(file, "K\x03\x85", "K\x04\x85")),
              AllOf(HasSubstr("tensor 'part'"), HasSubstr("float32[4]"), HasSubstr("beyond the end")));
  EXPECT_THAT(refusal_of(replaced(file, "K\x03\x85", std::string("J\xff\xff\xff\xff\x85", 6))), HasSubstr("-1"));
  EXPECT_THAT(refusal_of(replaced(file, "K\x03\x85", "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85")),
              HasSubstr("beyond the end"));
}

TEST(PytorchFile, RefusesStoragesOfAnotherSize) {
  const std::string file = text_of(kCases / "storage_view_old.bin");
  const std::string six("\x06\0\0\0\0\0\0\0", 8), seven("\x07\0\0\0\0\0\0\0", 8);
  EXPECT_THAT(refusal_of(replaced(file, six, seven)), AllOf(HasSubstr("storage 'root'"), HasSubstr("7 elements")));
}

// A file of the old format without storages.
std::string file_of(const std::string& state_dict) {
  return text_of(kCases / "gpu_old.bin").substr(0, 15) + std::string("M\xe9\x03.}.", 6) + state_dict + "].";
}

TEST(PytorchFile, RefusesWhatIsNotATensor) {
  EXPECT_TRUE(PytorchFile::open(MadeFile(file_of("}.")).file()).tensors().empty());
  EXPECT_THAT(refusal_of(file_of("}U\x05"
                                 "epochK\x01s.")),
              AllOf(HasSubstr("tensor 'epoch'"), HasSubstr("an int")));
  EXPECT_THAT(refusal_of(file_of("}U\x0astate_dict}s.")), AllOf(HasSubstr("'state_dict'"), HasSubstr("a dict")));
  EXPECT_THAT(refusal_of(file_of("}K\x01Ns.")), AllOf(HasSubstr("a key"), HasSubstr("an int")));
  EXPECT_THAT(refusal_of(file_of("}U\x01\xffNs.")), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal_of(file_of("].")), HasSubstr("a list"));
  EXPECT_THAT(refusal_of(file_of("}U\x01wctorch\nFloatStorage\n)Rs.")), HasSubstr("a call of torch.FloatStorage"));
  EXPECT_THAT(refusal_of(file_of("}U\x01wctorch._utils\n_rebuild_parameter\n)Rs.")), HasSubstr("'w'"));
  EXPECT_THAT(refusal_of(file_of("}U\x01wctorch._utils\n_rebuild_sparse_tensor\n)Rs.")),
              HasSubstr("'torch._utils._rebuild_sparse_tensor'"));
  EXPECT_THAT(refusal_of(file_of("}U\x01w(U\x06module)tQs.")), HasSubstr("persistent id"));
}

// PyTorch stores -x as x with this mark, if x is a view of a complex tensor.
TEST(PytorchFile, RefusesNegatedTensors) {
  const std::string file = text_of(kCases / "storage_view_old.bin");
  EXPECT_THAT(refusal_of(replaced(file, ")Rq\rt", ")Rq\r}U\x03neg\x88st")), HasSubstr("metadata"));
}

TEST(PytorchFile, LimitsCopiesOfTheSameElements) {
  std::string file = text_of(kCases / "views_old.bin");
  // The sizes (2, 3) of "expanded" become (2, 2^40); its stride on this axis is 0.
  file = replaced(file, std::string("K\x02K\x03\x86q", 6), std::string("K\x02\x8a\x06\0\0\0\0\0\x01\x86q", 12));
  EXPECT_THAT(refusal_of(file), HasSubstr("views of more elements"));
}

}  // namespace
}  // namespace portatune::io
