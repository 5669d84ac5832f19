// Any bytes either throw DataError or give records. The bytes are also framed as one record, because a fuzzer does not
// find valid checksums.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "portatune/error.h"
#include "portatune/io/tfrecord/tfrecord_reader.h"

namespace {

using namespace portatune;
using namespace portatune::io;

class Bytes final : public ByteSource {
 public:
  Bytes(std::string_view bytes, bool size_is_known) : bytes_(bytes), size_is_known_(size_is_known) {}
  size_t read(std::span<char> target) override {
    const size_t count = std::min(target.size(), bytes_.size() - std::min(at_, bytes_.size()));
    if (count > 0) std::memcpy(target.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  void skip(int64_t bytes) override { at_ += static_cast<size_t>(bytes); }
  std::optional<int64_t> size() const override {
    return size_is_known_ ? std::optional(static_cast<int64_t>(bytes_.size())) : std::nullopt;
  }

 private:
  std::string_view bytes_;
  bool size_is_known_;
  size_t at_ = 0;
};

int64_t read_all(std::unique_ptr<ByteSource> bytes) {
  TfrecordReader reader(std::move(bytes), "fuzz", 1 << 20);
  for (;;) {
    try {
      if (!reader.next()) return reader.position().record;
    } catch (const DataError&) {
      if (reader.rest_is_lost()) return reader.position().record;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_all(std::make_unique<Bytes>(bytes, true));
  read_all(std::make_unique<Bytes>(bytes, false));
  const std::string framed = record_header(size) + std::string(bytes) + record_footer(bytes);
  if (read_all(std::make_unique<Bytes>(framed, true)) != 1) std::abort();
  try {
    const auto compressed = inflate(std::make_unique<Bytes>(bytes, true), "fuzz");
    std::string block(1000, '\0');
    for (int i = 0; i < 100 && compressed->read(block) > 0; ++i) continue;
  } catch (const DataError&) {
  }
  return 0;
}
