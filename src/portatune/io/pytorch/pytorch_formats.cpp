#include "portatune/io/pytorch/pytorch_formats.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/compress/zip_directory.h"
#include "portatune/io/file/git_lfs.h"

namespace portatune::io {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kZipStart = "PK";
// The pickle of the number 0x1950a86a20f9469cfc6c.
constexpr std::string_view kOldStart("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
constexpr int64_t kOldVersion = 1001;

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The archive has the entries TOP/data.pkl, TOP/byteorder and TOP/data/KEY, where TOP is any name.
class ZipFormat {
 public:
  ZipFormat(Bytes file, const std::string& where)
      : where_(where), zip_(read_zip_directory(file, where)), top_(zip_.first.substr(0, zip_.first.find('/') + 1)) {}

  std::vector<NamedStridedTensor> read() const {
    require_little_endian();
    const Pickle pickle = read_tensor_pickle(entry("data.pkl"), where_);
    Storages storages;
    for (const auto& [key, type] : storages_of(pickle, where_)) storages[key] = storage(key, type);
    return read_state_dict(pickle, storages, where_);
  }

 private:
  Bytes entry(const std::string& name) const {
    const auto found = zip_.entries.find(top_ + name);
    if (found == zip_.entries.end())
      refuse_file(where_, "no entry " + in_quotes(top_ + name), "a file of torch.save()");
    return found->second;
  }
  Bytes storage(std::string_view key, const StorageType& type) const {
    const Bytes bytes = entry("data/" + std::string(key));
    if (std::ssize(bytes) == type.bytes()) return bytes;
    refuse_file(where_ + ": storage " + in_quotes(key), counted(std::ssize(bytes), "byte"),
                counted(type.bytes(), "byte"));
  }
  // Files from before version 2.1 do not state their byte order.
  void require_little_endian() const {
    if (!zip_.entries.contains(top_ + "byteorder") || text_of(entry("byteorder")) == "little") return;
    refuse_file(where_, "the byte order " + in_quotes(text_of(entry("byteorder"))), "little");
  }

  const std::string& where_;
  const ZipDirectory zip_;
  const std::string top_;
};

// Five pickles follow each other: a magic number, the version of the format, facts about the system, the state dict and
// the list of the keys of its storages. Then each storage has its number of elements in 8 bytes, and its elements.
class OldFormat {
 public:
  OldFormat(Bytes file, const std::string& where) : where_(where), rest_(file.subspan(kOldStart.size())) {}

  std::vector<NamedStridedTensor> read() {
    const PickleValue version = next_pickle().root;
    if (!std::holds_alternative<int64_t>(version) || std::get<int64_t>(version) != kOldVersion)
      refuse_file(where_, "a version other than 1001", "version 1001");
    next_pickle();
    const Pickle state_dict = next_pickle();
    const Storages storages = read_storages(storages_of(state_dict, where_), next_pickle());
    return read_state_dict(state_dict, storages, where_);
  }

 private:
  Pickle next_pickle() {
    Pickle pickle = read_tensor_pickle(rest_, where_);
    rest_ = rest_.subspan(pickle.bytes);
    return pickle;
  }
  Bytes take(int64_t count, const std::string& where) {
    if (count > std::ssize(rest_)) refuse_file(where, "the end of the file", "elements of the storage");
    const Bytes taken = rest_.first(static_cast<size_t>(count));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  Storages read_storages(const std::map<std::string_view, StorageType>& types, const Pickle& keys) {
    Storages storages;
    for (const PickleValue& key : keys_in(keys)) {
      const auto* text = std::get_if<std::string_view>(&key);
      const auto type = text == nullptr ? types.end() : types.find(*text);
      if (type == types.end()) refuse_file(where_, "a storage that no tensor has", "only storages of tensors");
      storages[*text] = storage(*text, type->second);
    }
    for (const auto& [key, type] : types) {
      if (!storages.contains(key)) refuse_file(where_, "no storage " + in_quotes(key), "every storage of a tensor");
    }
    return storages;
  }
  std::span<const PickleValue> keys_in(const Pickle& pickle) const {
    const auto* list = std::get_if<PickleObject*>(&pickle.root);
    if (list == nullptr || (*list)->kind != PickleObject::Kind::kList) {
      refuse_file(where_, describe(pickle.root) + " of storage keys", "a list");
    }
    return (*list)->parts;
  }
  Bytes storage(std::string_view key, const StorageType& type) {
    const std::string where = where_ + ": storage " + in_quotes(key);
    int64_t elements;
    std::memcpy(&elements, take(sizeof elements, where).data(), sizeof elements);
    if (elements != type.elements) refuse_file(where, counted(elements, "element"), counted(type.elements, "element"));
    return take(type.bytes(), where);
  }

  const std::string& where_;
  Bytes rest_;  // bytes after those that were read
};

}  // namespace

std::vector<NamedStridedTensor> read_pytorch_tensors(std::span<const std::byte> file, const std::string& where) {
  if (text_of(file).starts_with(kZipStart)) return ZipFormat(file, where).read();
  if (text_of(file).starts_with(kOldStart)) return OldFormat(file, where).read();
  refuse_git_lfs_pointer<CheckpointError>(text_of(file), where);
  refuse_file(where, "neither a zip archive nor PyTorch's format before it", "a file of torch.save()");
}

}  // namespace portatune::io
