#include <algorithm>
#include <cctype>

#include "portatune/base/text/message.h"
#include "portatune/data/stage.h"
#include "portatune/error.h"
#include "portatune/io/tfrecord/tf_example.h"
#include "portatune/io/tfrecord/tfrecord_writer.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

// Replaces {name} and {name:05d} by a number; returns whether there was one.
bool fill_in(std::string& pattern, std::string_view name, int64_t number) {
  const size_t begin = pattern.find("{" + std::string(name));
  if (begin == std::string::npos) return false;
  size_t at = begin + 1 + name.size();
  size_t width = 0;
  if (pattern.compare(at, 2, ":0") == 0) {
    for (at += 2; at < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[at])); ++at) {
      width = std::min<size_t>(10 * width + static_cast<size_t>(pattern[at] - '0'), 20);
    }
    if (pattern.compare(at, 1, "d") == 0) ++at;
  }
  if (pattern.compare(at, 1, "}") != 0) return false;
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  pattern.replace(begin, at + 1 - begin, digits);
  return true;
}

std::vector<std::string> paths_of(const std::string& pattern, int64_t shards) {
  std::vector<std::string> paths;
  for (int64_t shard = 0; shard < shards; ++shard) {
    std::string path = pattern;
    while (fill_in(path, "shards", shards)) continue;
    bool has_number = false;
    while (fill_in(path, "shard", shard)) has_number = true;
    if (!has_number && shards > 1) {
      throw UsageError({.where = "TfrecordWriter, " + pattern,
                        .given = std::to_string(shards) + " shards",
                        .expected = "{shard} or {shard:05d} in the name of the files"});
    }
    if (path.find('{') != std::string::npos) {
      throw UsageError(
          {.where = "TfrecordWriter", .given = pattern, .expected = "{shard} and {shards}, or {shard:05d}"});
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace

struct TfrecordWriter::Impl {
  Impl(const std::string& pattern, const TfrecordWriterOptions& options) : files(paths_of(pattern, options.shards)) {
    remove_leftovers(targets());
    for (const std::string& file : files) {
      shards.push_back(std::make_unique<io::TfrecordWriter>(
          file, io::TfrecordWriter::Options{.gzip = options.gzip, .index = options.index}));
    }
  }

  std::vector<std::filesystem::path> targets() const {
    std::vector<std::filesystem::path> targets(files.begin(), files.end());
    for (const std::string& file : files) targets.push_back(io::index_path(file));
    return targets;
  }
  void add(std::string_view name, const Example& example, const Tensor& array);
  template <class T>
  void add_integers(std::string_view name, const Tensor& array) {
    const std::span<const T> values = array.as<T>();
    integers.assign(values.begin(), values.end());
    encoder.add(name, std::span<const int64_t>(integers));
  }

  std::vector<std::string> files;
  std::vector<std::unique_ptr<io::TfrecordWriter>> shards;
  io::TfExampleWriter encoder;
  std::vector<int64_t> integers;
  int64_t written = 0;
};

void TfrecordWriter::Impl::add(std::string_view name, const Example& example, const Tensor& array) {
  switch (array.dtype()) {
    case DType::kInt64:
      return encoder.add(name, array.as<int64_t>());
    case DType::kInt32:
      return add_integers<int32_t>(name, array);
    case DType::kInt16:
      return add_integers<int16_t>(name, array);
    case DType::kInt8:
      return add_integers<int8_t>(name, array);
    case DType::kUInt32:
      return add_integers<uint32_t>(name, array);
    case DType::kUInt8:
      return add_integers<uint8_t>(name, array);
    case DType::kFloat32:
      return encoder.add(name, array.as<float>());
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat64:
      return encoder.add(name, std::span<const float>(to_floats(array.view())));
    case DType::kBool:
    case DType::kUInt64:
      break;
  }
  throw DataError({.where = to_string(example.origin()),
                   .given = to_string(array.type()) + " in column " + in_quotes(name),
                   .expected = "an array of floats, or of an integer type that fits in int64"});
}

TfrecordWriter::TfrecordWriter(const std::string& pattern, TfrecordWriterOptions options) {
  require_at_least("TfrecordWriter", "shards", options.shards, 1);
  impl_ = std::make_unique<Impl>(pattern, options);
}
TfrecordWriter::~TfrecordWriter() = default;

void TfrecordWriter::write(const Example& example) {
  impl_->encoder.clear();  // removes the rest of an example whose write failed
  for (const auto& [name, value] : example.columns()) {
    if (const Tensor* array = std::get_if<Tensor>(&value)) {
      impl_->add(name, example, *array);
    } else if (const std::string* text = std::get_if<std::string>(&value)) {
      const std::string_view view = *text;
      impl_->encoder.add(name, std::span(&view, 1));
    } else {
      const auto& texts = std::get<std::vector<std::string>>(value);
      impl_->encoder.add(name, std::vector<std::string_view>(texts.begin(), texts.end()));
    }
  }
  auto& shard = *impl_->shards[static_cast<size_t>(impl_->written) % impl_->shards.size()];
  shard.write(impl_->encoder.finish());
  ++impl_->written;
}

void TfrecordWriter::commit() {
  std::vector<io::TfrecordWriter*> all;
  for (const auto& shard : impl_->shards) {
    shard->finish();
    all.push_back(shard.get());
  }
  io::TfrecordWriter::commit_together(all);
}

int64_t TfrecordWriter::written() const { return impl_->written; }
const std::vector<std::string>& TfrecordWriter::files() const { return impl_->files; }

int64_t index_tfrecord(const std::string& file) { return io::make_index(file); }

}  // namespace portatune::data
