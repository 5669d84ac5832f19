#include "portatune/train/checkpoint/array_files.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "portatune/io/safetensors/tensor_files.h"

namespace portatune::train {
namespace {

io::NamedTensorType type_of(const NamedArray& array) { return {array.name, array.type}; }

std::vector<io::NamedTensorType> types_of(const std::vector<NamedArray>& arrays) {
  std::vector<io::NamedTensorType> types;
  for (const NamedArray& array : arrays) types.push_back(type_of(array));
  return types;
}

// The types of the tensors that this writer writes.
std::vector<io::NamedTensorType> types_of(const std::vector<io::NamedTensorType>& all,
                                          const std::vector<int64_t>& writer_of, int64_t writer) {
  std::vector<io::NamedTensorType> types;
  for (size_t i = 0; i < all.size(); ++i) {
    if (writer_of[i] == writer) types.push_back(all[i]);
  }
  return types;
}

}  // namespace

NamedArray named(std::string name, const DeviceArray& array) {
  return {.name = std::move(name),
          .type = array.type(),
          .is_divided = array.is_divided(),
          .to_host = [&array](Tensor memory) { return array.to_host(std::move(memory)); }};
}

std::vector<int64_t> writers_of(const std::vector<NamedArray>& arrays, int64_t writers) {
  std::vector<size_t> order(arrays.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, io::lies_before, [&](size_t i) { return type_of(arrays[i]); });
  std::vector<io::NamedTensorType> types;
  for (const size_t i : order) types.push_back(type_of(arrays[i]));
  const std::vector<int64_t> in_order = io::divide_tensors(types, writers);
  std::vector<int64_t> writer_of(arrays.size());
  for (size_t i = 0; i < order.size(); ++i) writer_of[order[i]] = in_order[i];
  return writer_of;
}

hub::FileSums write_arrays(SharedDirectory& directory, const std::string& stem, std::vector<NamedArray> arrays,
                           const std::function<void(const NamedTensorView&)>& check) {
  std::ranges::sort(arrays, io::lies_before, type_of);
  const std::vector<io::NamedTensorType> types = types_of(arrays);
  const std::vector<int64_t> writer_of = writers_of(arrays, directory.writers());
  const int64_t files = std::ranges::max(writer_of) + 1;
  const int64_t rank = directory.rank();

  std::optional<io::SafetensorsWriter> file;
  const std::string name = files == 1 ? io::tensor_file(stem) : io::tensor_shard_file(stem, rank, files);
  directory.attempt([&] {
    if (rank >= files) return;
    file.emplace(directory.staging() / name, types_of(types, writer_of, rank));
    if (rank == 0 && files > 1) io::write_tensor_index(directory.staging(), stem, types, writer_of);
  });
  for (size_t i = 0; i < arrays.size(); ++i) {
    const bool own = writer_of[i] == rank;
    if (!own && !arrays[i].is_divided) continue;
    const Tensor read = arrays[i].copy ? Tensor() : arrays[i].to_host({});
    if (!own) continue;
    const TensorView values = arrays[i].copy ? arrays[i].copy->view() : read.view();
    directory.attempt([&] {
      if (check) check({arrays[i].name, values});
      file->write(values);
    });
  }
  hub::FileSums sums;
  directory.attempt([&] {
    if (file) sums.emplace(name, file->finish());
  });
  return sums;
}

}  // namespace portatune::train
