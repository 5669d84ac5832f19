#include "portune/runtime/sharded_array.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

namespace portune {
namespace {

// An array as rows, one for each index before `axis`, of the bytes from `axis` on.
struct Rows {
  int64_t count, bytes;
};

Rows rows_of(const TensorType& type, int64_t axis) {
  int64_t count = 1;
  for (int64_t i = 0; i < axis; ++i) count *= type.shape[i];
  return {count, count == 0 ? 0 : type.bytes() / count};
}

void copy_rows(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, Rows rows) {
  for (int64_t row = 0; row < rows.count; ++row) {
    std::memcpy(to + row * to_stride, from + row * from_stride, static_cast<size_t>(rows.bytes));
  }
}

TensorType whole_of(TensorType part, int64_t axis, int64_t parts) {
  if (parts > 1) part.shape[axis] *= parts;
  return part;
}

}  // namespace

Tensor part_at(const TensorView& whole, int64_t axis, int64_t parts, int64_t place) {
  TensorType type = whole.type;
  if (parts > 1) type.shape[axis] /= parts;
  Tensor part(type);
  const Rows rows = rows_of(type, axis);
  copy_rows(part.data(), rows.bytes, whole.data + place * rows.bytes, rows.bytes * parts, rows);
  return part;
}

Tensor join(const std::vector<Tensor>& parts, int64_t axis) {
  const auto count = std::ssize(parts);
  Tensor whole(whole_of(parts.front().type(), axis, count));
  const Rows rows = rows_of(parts.front().type(), axis);
  for (int64_t i = 0; i < count; ++i) {
    copy_rows(whole.data() + i * rows.bytes, rows.bytes * count, parts[static_cast<size_t>(i)].data(), rows.bytes,
              rows);
  }
  return whole;
}

ShardedArray::ShardedArray(const Mesh& mesh, Sharding sharding, std::vector<pjrt::Buffer> buffers)
    : mesh_(mesh),
      sharding_(std::move(sharding)),
      type_(whole_of(buffers.front().type(), sharding_.axis, mesh.size(sharding_.over))),
      buffers_(std::move(buffers)) {}

Tensor ShardedArray::to_host() const {
  const std::vector<int64_t> holders = mesh_.groups(sharding_.over).front();
  if (holders.size() == 1) return buffers_.front().to_host();
  std::vector<pjrt::PendingTensor> pending;
  for (const int64_t device : holders) pending.push_back(buffers_[static_cast<size_t>(device)].to_host_async());
  std::vector<Tensor> parts;
  for (pjrt::PendingTensor& part : pending) parts.push_back(std::move(part).get());
  return join(parts, sharding_.axis);
}

void ShardedArray::on_ready(std::function<void()> done) const {
  const auto left = std::make_shared<std::atomic<size_t>>(buffers_.size());
  for (const pjrt::Buffer& buffer : buffers_) {
    buffer.on_ready([left, done] {
      if (--*left == 0) done();
    });
  }
}

}  // namespace portune
