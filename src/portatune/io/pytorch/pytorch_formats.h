// The two file formats of torch.save(), from untrusted sources.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "portatune/io/pytorch/state_dict.h"

namespace portatune::io {

/// The tensors of a file, in the order of its dictionary.
/// file      all bytes of the file; elements are not read
/// where     name of the file, for errors
/// errors    CheckpointError that names the opcode, global, storage or tensor at fault
/// source    https://github.com/pytorch/pytorch/blob/main/torch/serialization.py
std::vector<NamedStridedTensor> read_pytorch_tensors(std::span<const std::byte> file, const std::string& where);

}  // namespace portatune::io
