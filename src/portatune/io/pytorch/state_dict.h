// The tensors in the pickle of a PyTorch state dict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/pytorch/pickle.h"
#include "portatune/io/pytorch/strided_tensor.h"
#include "portatune/tensor.h"

namespace portatune::io {

/// Number and type of the elements of a storage, the one-dimensional array behind tensors.
struct StorageType {
  DType dtype;
  int64_t elements;

  int64_t bytes() const { return elements * size_of(dtype); }
};

/// Bytes of the storages by their keys.
using Storages = std::map<std::string_view, std::span<const std::byte>>;

/// Reads a pickle whose globals are those of tensors.
/// errors    those of read_pickle()
Pickle read_tensor_pickle(std::span<const std::byte> bytes, const std::string& where);

/// The storages to which a pickle refers, by their keys.
/// errors    CheckpointError for a type of elements that is not supported
std::map<std::string_view, StorageType> storages_of(const Pickle& pickle, const std::string& where);

/// A tensor of a state dict.
struct NamedStridedTensor {
  std::string name;
  StridedTensor tensor;
};
/// The tensors of a dictionary from names to tensors or parameters, in its order.
/// storages  all of storages_of(), with the sizes given there
/// where     name of the file, for errors
/// errors    CheckpointError with the tensor's name for values that are not tensors, and for elements outside of the
///           storage
std::vector<NamedStridedTensor> read_state_dict(const Pickle& pickle, const Storages& storages,
                                                const std::string& where);

}  // namespace portatune::io
