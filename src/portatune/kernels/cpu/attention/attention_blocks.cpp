#include "portatune/kernels/cpu/attention/attention_blocks.h"

namespace portatune::kernels {
namespace {

// Appends, for each token of a row, the range of its segment; for padding, an empty range at its position.
void append_texts(const int32_t* segments, int64_t length, std::vector<KeyRange>& text_of) {
  for (int64_t begin = 0, end = 0; begin < length; begin = end) {
    while (end < length && segments[end] == segments[begin]) ++end;
    for (int64_t i = begin; i < end; ++i)
      text_of.push_back(segments[begin] == 0 ? KeyRange{i, i} : KeyRange{begin, end});
  }
}

}  // namespace

Visibility::Visibility(const AttentionShape& shape, const Band& band, const AttentionBias& bias,
                       const int32_t* segments)
    : shape_(shape), band_(band), bias_(bias) {
  if (segments == nullptr) return;
  text_of_.reserve(static_cast<size_t>(shape.batch * shape.kv));
  for (int64_t row = 0; row < shape.batch; ++row) append_texts(segments + row * shape.kv, shape.kv, text_of_);
  zeros_.assign(static_cast<size_t>(shape.kv), 0.0F);
}

}  // namespace portatune::kernels
