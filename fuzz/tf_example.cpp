// Any bytes either throw UsageError or give features whose values can be read. The first byte is the length of a
// feature name that follows; the rest is the tf.train.Example.
#include "portatune/io/tfrecord/tf_example.h"

#include <algorithm>
#include <cstdlib>

#include "portatune/error.h"

namespace {

using namespace portatune;
using namespace portatune::io;

template <class T>
void copy(const TfFeature& feature) {
  std::vector<T> values(static_cast<size_t>(feature.count()));
  feature.copy_to(std::span(values));
}

// Reads all values. 32-bit values may throw where 64-bit values do not.
void read_values(const TfFeature& feature) {
  try {
    if (feature.kind == FeatureKind::kBytes) {
      if (std::ssize(feature.texts()) != feature.count()) std::abort();
    }
    if (feature.kind == FeatureKind::kFloat) copy<float>(feature);
    if (feature.kind == FeatureKind::kInt64) {
      copy<int64_t>(feature);
      copy<int32_t>(feature);
    }
  } catch (const UsageError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view name = bytes.substr(1, data[0]);
  bytes.remove_prefix(1 + name.size());
  TfExample example;
  try {
    example.parse(bytes);
  } catch (const UsageError&) {
    return 0;
  }
  std::ranges::for_each(example.features(), read_values);
  const TfFeature* found = example.find(name);
  if (found != nullptr && found->name != name) std::abort();
  return 0;
}
