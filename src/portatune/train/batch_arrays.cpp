#include "portatune/train/batch_arrays.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/graph.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/process_group.h"

namespace portatune::train {
namespace {

std::vector<TensorView> arrays_of(const data::Example& batch, const Signature& signature) {
  std::vector<TensorView> arrays;
  for (const auto& [name, type] : signature) arrays.push_back(batch.tensor(name).view());
  return arrays;
}

// "part 3 of 4", "parts 2 to 3 of 4", counted from 1
std::string describe_share(const BatchShare& share) {
  if (share.is_all()) return "all";
  const int64_t first = share.begin + 1;
  const std::string parts = first == share.end ? "part " : "parts " + std::to_string(first) + " to ";
  return parts + std::to_string(share.end) + " of " + std::to_string(share.parts);
}

// Requires that a batch with local rows alone has those of this process. Its other rows are zeros.
void require_local_rows(const data::Example& batch, const Device& device) {
  if (batch.local_rows() == nullptr) return;
  const BatchShare share = batch_share(device.mesh(), device.processes());
  if (batch.local_rows()->share == share) return;
  throw UsageError({.where = "the batch that begins at " + to_string(batch.origin()),
                    .given = "a batch with " + describe_share(batch.local_rows()->share) + " of its rows",
                    .expected = describe_share(share) + ", the local rows of this process",
                    .fix = "make batches for batch_share(device.mesh(), device.processes())"});
}

// The name of a row in any folder: its line, or the file name if the file is one row.
std::string name_of_row(const data::Origin& row) {
  const bool is_file = row.file && row.row < 0;
  return is_file ? std::filesystem::path(*row.file).filename().string() : std::to_string(row.row);
}

// The hash of a batch, equal in all processes if they read the same rows. Each may have arrays of its local rows alone.
uint64_t hash_of_batch(const data::Example& batch, const Signature& signature) {
  if (batch.local_rows() == nullptr) return io::hash_of(arrays_of(batch, signature));
  const data::BatchType& own = batch.local_rows()->arrays;
  Signature shared;
  for (const auto& array : signature) {
    if (std::ranges::find(own, array.first, &data::BatchType::value_type::first) == own.end()) shared.push_back(array);
  }
  std::string rows;
  for (const data::Origin& row : batch.row_origins()) rows += name_of_row(row) + "\n";
  return io::hash_of(arrays_of(batch, shared)) * 31 + io::hash_of(rows);
}

// Each process puts its local rows on its devices, so all must have read the same batch.
void require_same_batch(const data::Example& batch, const Signature& signature, ProcessGroup& processes) {
  const std::optional<int64_t> other = first_with_another(&processes, hash_of_batch(batch, signature));
  if (!other) return;
  throw DataError({.where = to_string(batch.origin()),
                   .given = "different batches in process " + std::to_string(*other) + " and process 0",
                   .expected = "the same rows in the same order in all processes",
                   .fix = "give all processes the same files and options"});
}

}  // namespace

std::vector<DeviceArray> put_batch(const data::Example& batch, const Signature& signature, const Device& device) {
  require_local_rows(batch, device);
  if (device.processes() != nullptr) require_same_batch(batch, signature, *device.processes());
  std::vector<DeviceArray> arrays;
  for (const auto& [name, type] : signature) arrays.push_back(device.put(batch.tensor(name).view(), kBatchSharding));
  return arrays;
}

}  // namespace portatune::train
