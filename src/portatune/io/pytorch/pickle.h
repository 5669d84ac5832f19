// Values of Python pickles from untrusted sources. Reading executes nothing: a call stays a name with arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace portatune::io {

struct PickleObject;

/// The name of a Python function or class: "torch._utils._rebuild_tensor_v2".
struct PickleGlobal {
  std::string_view name;
};

/// A value of a pickle. `std::monostate` is None. Texts are views of the pickle's bytes.
using PickleValue = std::variant<std::monostate, bool, int64_t, std::string_view, PickleGlobal, PickleObject*>;

/// A value of several parts. Objects may contain each other in cycles.
struct PickleObject {
  enum class Kind {
    kTuple,
    kList,
    kDict,         ///< `parts` are keys and values in turn
    kOrderedDict,  ///< as kDict
    kCall,         ///< `parts` are the global and the tuple of its arguments
    kPersistentId  ///< `parts` is the id of an object that the pickle does not contain
  };
  Kind kind;
  std::vector<PickleValue> parts;
};

struct Pickle {
  PickleValue root;
  size_t bytes = 0;                  ///< length of the pickle, which may be followed by other data
  std::deque<PickleObject> objects;  ///< all objects; they own each other, so cycles are possible
};

/// Reads the pickle at the start of `bytes`: the opcodes of protocol 2 that PyTorch's tensors need, and
/// `collections.OrderedDict`, whose attributes are dropped.
/// globals   the other names that the pickle may contain, valid while the result lives
/// where     name of the file, for errors
/// errors    CheckpointError that names the opcode or the global that is not supported; also for more than 4 million
///           opcodes
Pickle read_pickle(std::span<const std::byte> bytes, std::span<const std::string_view> globals,
                   const std::string& where);

/// The error of a file of PyTorch.
[[noreturn]] void refuse_file(const std::string& where, const std::string& given, const std::string& expected);

/// The kind of a value in Python: "an int", "a tuple", "a call of torch._utils._rebuild_tensor_v2".
std::string describe(const PickleValue& value);

}  // namespace portatune::io
