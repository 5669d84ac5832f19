#include "portatune/data/verbs/cache_file.h"

#include <cstring>
#include <vector>

#include "portatune/base/files/output_file.h"
#include "portatune/data/example_bytes.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"

namespace portatune::data {
namespace {

// The digit is the version of the format. Increase it with each change of the format or of example_bytes.
constexpr std::string_view kMagic = "portatune cache 3\n", kMagicOfAny = kMagic.substr(0, kMagic.size() - 2);
constexpr size_t kWriteBytes = 1 << 20;  // size of one write

// The end of the file.
struct Footer {
  uint64_t size;           // number of examples
  uint64_t offsets_begin;  // offset of the list of size + 1 offsets, which ends at made_from_begin
  uint64_t made_from_begin, end_state_begin;
  uint64_t hash;  // hash of the offsets, made_from and the end state
  char magic[8] = {'e', 'n', 'd', ' ', 'o', 'f', ' ', 'c'};
};

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Writes in large blocks and counts bytes.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) : file_(path) {}

  uint64_t offset() const { return written_ + pending_.size(); }
  void write(std::string_view bytes) {
    pending_ += bytes;
    if (pending_.size() >= kWriteBytes) flush();
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(pending_);
    written_ += pending_.size();
    pending_.clear();
  }

  AtomicFile file_;
  std::string pending_;
  uint64_t written_ = 0;
};

}  // namespace

void CacheFile::write(const std::filesystem::path& path, const std::function<std::optional<Example>()>& next,
                      const std::function<std::string()>& end_state, std::string_view made_from) {
  remove_leftovers({&path, 1});
  Writer writer(path);
  writer.write(kMagic);
  std::vector<uint64_t> offsets{writer.offset()};
  std::string bytes;
  while (const auto example = next()) {
    bytes.clear();
    append_bytes(bytes, *example);
    writer.write(bytes);
    writer.write(bytes_of(io::hash_of(bytes)));
    offsets.push_back(writer.offset());
  }
  std::string tail(reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof(uint64_t));
  Footer footer{.size = offsets.size() - 1,
                .offsets_begin = writer.offset(),
                .made_from_begin = writer.offset() + tail.size(),
                .end_state_begin = writer.offset() + tail.size() + made_from.size(),
                .hash = 0};
  tail += made_from;
  tail += end_state();
  footer.hash = io::hash_of(tail);
  writer.write(tail);
  writer.write(bytes_of(footer));
  writer.commit();
}

CacheFile::CacheFile(const std::filesystem::path& path, std::string_view made_from)
    : path_(path.string()), file_(io::MappedFile::open(path)) {
  const uint64_t bytes = file_.bytes().size();
  Footer footer{}, expected{};
  if (bytes < kMagic.size() + sizeof footer) fail("another kind of file");
  require_magic();
  const uint64_t end = bytes - sizeof footer;
  std::memcpy(&footer, piece(end, bytes).data(), sizeof footer);
  const bool fits = std::memcmp(footer.magic, expected.magic, sizeof footer.magic) == 0 &&
                    footer.offsets_begin >= kMagic.size() && footer.offsets_begin < footer.made_from_begin &&
                    footer.made_from_begin <= footer.end_state_begin && footer.end_state_begin <= end &&
                    (footer.made_from_begin - footer.offsets_begin) / sizeof(uint64_t) == footer.size + 1 &&
                    io::hash_of(piece(footer.offsets_begin, end)) == footer.hash;
  if (!fits) fail("a damaged file");
  if (piece(footer.made_from_begin, footer.end_state_begin) != made_from) {
    fail("examples of other data or other verbs");
  }
  size_ = static_cast<int64_t>(footer.size);
  offsets_begin_ = footer.offsets_begin;
  end_state_ = piece(footer.end_state_begin, end);
}

void CacheFile::require_magic() const {
  const std::string_view magic = piece(0, kMagic.size());
  if (magic == kMagic) return;
  fail(magic.starts_with(kMagicOfAny) ? "a cache of another version of Portatune" : "another kind of file");
}

Example CacheFile::at(int64_t index) const {
  const uint64_t begin = offset(index), end = offset(index + 1);
  const bool fits = end >= sizeof(uint64_t) && begin <= end - sizeof(uint64_t) && end <= offsets_begin_;
  if (!fits) fail("a damaged file");
  const std::string_view bytes = piece(begin, end - sizeof(uint64_t));
  if (bytes_of(io::hash_of(bytes)) != piece(end - sizeof(uint64_t), end)) {
    fail("a damaged example " + std::to_string(index));
  }
  return example_of_bytes(bytes, path_);
}

std::string_view CacheFile::piece(uint64_t begin, uint64_t end) const {
  return {reinterpret_cast<const char*>(file_.bytes().data()) + begin, end - begin};
}

uint64_t CacheFile::offset(int64_t index) const {
  uint64_t offset;
  std::memcpy(&offset, piece(offsets_begin_, offsets_begin_).data() + static_cast<size_t>(index) * sizeof offset,
              sizeof offset);
  return offset;
}

void CacheFile::fail(const std::string& given) const {
  throw DataError({.where = "cache " + path_,
                   .given = given,
                   .expected = "a file that cache() wrote for the same data and verbs",
                   .fix = "remove the file to create it again, or name another file"});
}

}  // namespace portatune::data
