#include "portatune/runtime/sharded_array.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "portatune/runtime/local_devices.h"

namespace portatune {
namespace {

// An array as rows of bytes: one row for each index of the axes before `axis`.
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

// The parts of all members, in the order of the members, which have the same number each. Each exchange gathers one
// part of each member, because the size of an exchange is limited.
std::vector<Tensor> gather(ProcessGroup& processes, ProcessGroup::Members members, const std::vector<Tensor>& own) {
  const TensorType& type = own.front().type();
  const auto bytes = static_cast<size_t>(type.bytes());
  std::vector<std::byte> round(bytes * members.size());
  std::vector<Tensor> parts;
  for (size_t i = 0; i < own.size() * members.size(); ++i) parts.emplace_back(type);
  for (size_t i = 0; i < own.size(); ++i) {
    processes.all_gather(members, {own[i].data(), bytes}, round);
    for (size_t member = 0; member < members.size(); ++member) {
      std::memcpy(parts[member * own.size() + i].data(), round.data() + member * bytes, bytes);
    }
  }
  return parts;
}

}  // namespace

Tensor part_at(const TensorView& whole, int64_t axis, int64_t parts, int64_t index) {
  TensorType type = whole.type;
  if (parts > 1) type.shape[axis] /= parts;
  Tensor part(type);
  const Rows rows = rows_of(type, axis);
  copy_rows(part.data(), rows.bytes, whole.data + index * rows.bytes, rows.bytes * parts, rows);
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

Tensor ShardedArray::to_host(Tensor memory) const {
  if (mesh_.size(sharding_.over) == 1) return buffers_.front().to_host(std::move(memory));
  Tensor whole = join(parts(), sharding_.axis);
  if (sharding_.blocks == 1) return whole;
  return interleave(whole.view(), sharding_.axis, mesh_.size({sharding_.over.front()}), sharding_.blocks);
}

std::vector<Tensor> ShardedArray::own_parts(const std::vector<int64_t>& devices) const {
  const int64_t first = local_devices(mesh_, processes_.get()).front();
  std::vector<pjrt::PendingTensor> pending;
  for (const int64_t device : devices) pending.push_back(buffers_[static_cast<size_t>(device - first)].to_host_async());
  std::vector<Tensor> parts;
  for (pjrt::PendingTensor& part : pending) parts.push_back(std::move(part).get());
  return parts;
}

// The parts of the whole array, in order.
std::vector<Tensor> ShardedArray::parts() const {
  const Reading reading = plan_reading(mesh_, sharding_.over, processes_.get());
  const auto rank = processes_ ? processes_->rank() : 0;
  const auto self = std::ranges::find(reading.processes, rank) - reading.processes.begin();
  std::vector<Tensor> found = own_parts(reading.devices[static_cast<size_t>(self)]);
  if (reading.processes.size() > 1) found = gather(*processes_, reading.processes, found);
  std::map<int64_t, Tensor> by_index;
  auto part = found.begin();
  for (const std::vector<int64_t>& devices : reading.devices) {
    for (const int64_t device : devices) by_index.try_emplace(mesh_.index(device, sharding_.over), std::move(*part++));
  }
  std::vector<Tensor> parts;
  for (auto& [index, tensor] : by_index) parts.push_back(std::move(tensor));
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

}  // namespace portatune
