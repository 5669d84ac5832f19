// Any bytes in a journal of replacements change nothing outside the journal's folder.
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "portatune/base/files/replace_entries.h"
#include "portatune/error.h"

namespace {

namespace fs = std::filesystem;

constexpr const char* kId = ".0123456789abcdef";

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream(path).write(text.data(), static_cast<std::streamsize>(text.size()));
}

// The folder `model` has the journal and links to the folder `outside`, which is beside it.
class Folders {
 public:
  Folders() {
    const fs::path parent = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();  // syncs are fast there
    std::string name = (parent / "portatune-fuzz.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    root_ = name;
    fs::create_directories(outside() / "d");
    for (const char* file : {"a", "old.a.0123456789abcdef", "d/a"}) write_text(outside() / file, "mine");
    before_ = files_outside();
  }
  ~Folders() { fs::remove_all(root_); }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;

  fs::path model() const { return root_ / "model"; }

  void make_model() const {
    fs::remove_all(model());
    fs::create_directories(model() / "d");
    for (const char* file : {"a", "b", "d/a"}) write_text(model() / file, "theirs");
    fs::create_directory_symlink("../outside", model() / "l");
    fs::create_directory_symlink("../outside", model() / "d/l");  // leads nowhere until it is moved up
  }

  bool are_as_before() const { return files_outside() == before_; }

 private:
  fs::path outside() const { return root_ / "outside"; }

  // The content of each file by its path.
  std::map<fs::path, std::string> files_outside() const {
    std::map<fs::path, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(outside())) {
      std::ifstream file(entry.path());
      if (entry.is_regular_file()) files[entry.path()] = {std::istreambuf_iterator<char>(file), {}};
    }
    return files;
  }

  fs::path root_;
  std::map<fs::path, std::string> before_;
};

// The bytes with inodes, which cannot be guessed, in place of fields "#path".
std::string with_inodes(std::string_view bytes, const fs::path& model) {
  std::string text;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\0', begin), bytes.size());
    const std::string field(bytes.substr(begin, end - begin));
    struct stat status;
    const bool is_inode = field.starts_with('#') && lstat((model / field.substr(1)).c_str(), &status) == 0;
    text += is_inode ? std::to_string(status.st_ino) : field;
    if (end < bytes.size()) text.push_back('\0');
    begin = end + 1;
  }
  return text;
}

}  // namespace

// The first byte chooses the state of the journal, which is part of its name.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folders folders;
  if (size == 0) return -1;
  constexpr const char* kNames[] = {".portatune-commit", ".portatune-done", "tmp..portatune-commit.0123456789abcdef"};
  folders.make_model();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  write_text(folders.model() / (std::string(kNames[data[0] % std::size(kNames)]) + kId),
             with_inodes(bytes.substr(1), folders.model()));
  try {
    portatune::finish_replacements(folders.model());
  } catch (const portatune::Error&) {
  }
  if (!folders.are_as_before()) std::abort();
  return 0;
}
