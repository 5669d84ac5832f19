#include "portune/runtime/sharded_array.h"

#include <algorithm>
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

// The parts of all members.
std::vector<Tensor> gather(ProcessGroup& processes, ProcessGroup::Members members, const Tensor& part) {
  const auto bytes = static_cast<size_t>(part.type().bytes());
  std::vector<std::byte> all(bytes * members.size());
  processes.all_gather(members, {part.data(), bytes}, all);
  std::vector<Tensor> parts;
  for (size_t i = 0; i < members.size(); ++i) {
    std::memcpy(parts.emplace_back(part.type()).data(), all.data() + i * bytes, bytes);
  }
  return parts;
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

Tensor interleave(const TensorView& array, int64_t axis, int64_t blocks, int64_t pieces) {
  Tensor result(array.type);
  const Rows rows = rows_of(array.type, axis);
  const Rows of_piece{rows.count, rows.bytes / (blocks * pieces)};
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t piece = 0; piece < pieces; ++piece) {
      copy_rows(result.data() + (piece * blocks + block) * of_piece.bytes, rows.bytes,
                array.data + (block * pieces + piece) * of_piece.bytes, rows.bytes, of_piece);
    }
  }
  return result;
}

ShardedArray::ShardedArray(const Mesh& mesh, std::shared_ptr<ProcessGroup> processes, Sharding sharding,
                           std::vector<pjrt::Buffer> buffers)
    : mesh_(mesh),
      processes_(std::move(processes)),
      sharding_(std::move(sharding)),
      type_(whole_of(buffers.front().type(), sharding_.axis, mesh.size(sharding_.over))),
      buffers_(std::move(buffers)) {}

Tensor ShardedArray::to_host() const {
  if (mesh_.size(sharding_.over) == 1) return buffers_.front().to_host();
  Tensor whole = join(parts(), sharding_.axis);
  if (sharding_.blocks == 1) return whole;
  return interleave(whole.view(), sharding_.axis, mesh_.size({sharding_.over.front()}), sharding_.blocks);
}

// Of the devices that have the whole together, in the order of their places.
std::vector<Tensor> ShardedArray::parts() const {
  const std::vector<std::vector<int64_t>> groups = mesh_.groups(sharding_.over);
  std::vector<Tensor> parts;
  if (processes_) {
    const auto with_this = [&](const auto& group) {
      return std::ranges::find(group, processes_->rank()) != group.end();
    };
    parts = gather(*processes_, *std::ranges::find_if(groups, with_this), buffers_.front().to_host());
  } else {
    std::vector<pjrt::PendingTensor> pending;
    for (const int64_t device : groups.front()) {
      pending.push_back(buffers_[static_cast<size_t>(device)].to_host_async());
    }
    for (pjrt::PendingTensor& part : pending) parts.push_back(std::move(part).get());
  }
  return parts;
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
