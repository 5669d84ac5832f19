#include "portatune/io/pytorch/state_dict.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

using Kind = PickleObject::Kind;
using Parts = std::vector<PickleValue>;

constexpr size_t kMaxRank = 16;
constexpr size_t kMaxNameBytes = 4096;

constexpr std::string_view kTensor = "torch._utils._rebuild_tensor";
constexpr std::string_view kTensor2 = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";
constexpr std::string_view kParameterWithState = "torch._utils._rebuild_parameter_with_state";

constexpr std::pair<std::string_view, DType> kStorageTypes[] = {
    {"torch.DoubleStorage", DType::kFloat64},      {"torch.FloatStorage", DType::kFloat32},
    {"torch.HalfStorage", DType::kFloat16},        {"torch.BFloat16Storage", DType::kBFloat16},
    {"torch.LongStorage", DType::kInt64},          {"torch.IntStorage", DType::kInt32},
    {"torch.ShortStorage", DType::kInt16},         {"torch.CharStorage", DType::kInt8},
    {"torch.ByteStorage", DType::kUInt8},          {"torch.BoolStorage", DType::kBool},
    {"torch.cuda.DoubleStorage", DType::kFloat64}, {"torch.cuda.FloatStorage", DType::kFloat32},
    {"torch.cuda.HalfStorage", DType::kFloat16},   {"torch.cuda.BFloat16Storage", DType::kBFloat16},
    {"torch.cuda.LongStorage", DType::kInt64},     {"torch.cuda.IntStorage", DType::kInt32},
    {"torch.cuda.ShortStorage", DType::kInt16},    {"torch.cuda.CharStorage", DType::kInt8},
    {"torch.cuda.ByteStorage", DType::kUInt8},     {"torch.cuda.BoolStorage", DType::kBool}};

const Parts& parts_of(const PickleValue& value, Kind kind, const std::string& where, const char* expected) {
  const auto* object = std::get_if<PickleObject*>(&value);
  if (object == nullptr || (*object)->kind != kind) refuse_file(where, describe(value), expected);
  return (*object)->parts;
}

int64_t count_in(const PickleValue& value, const std::string& where) {
  const auto* count = std::get_if<int64_t>(&value);
  if (count == nullptr) refuse_file(where, describe(value), "an integer");
  if (*count < 0) refuse_file(where, std::to_string(*count), "an integer of at least 0");
  return *count;
}

std::string_view text_in(const PickleValue& value, const std::string& where) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr) refuse_file(where, describe(value), "a text");
  return *text;
}

std::vector<int64_t> counts_in(const PickleValue& value, const std::string& where) {
  const Parts& parts = parts_of(value, Kind::kTuple, where, "a tuple of integers");
  if (parts.size() > kMaxRank) refuse_file(where, counted(std::ssize(parts), "dimension"), "at most 16");
  std::vector<int64_t> counts;
  for (const PickleValue& part : parts) counts.push_back(count_in(part, where));
  return counts;
}

// A part of a storage, as old versions of PyTorch stored them.
struct StorageView {
  int64_t offset = 0, elements = 0;
};

struct StorageReference {
  std::string_view key;
  StorageType type;
  std::optional<StorageView> view;
};

std::optional<StorageView> view_in(const PickleValue& value, const StorageType& storage, const std::string& where) {
  if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
  const Parts& parts = parts_of(value, Kind::kTuple, where, "a view of a storage");
  if (parts.size() != 3) refuse_file(where, "a view of " + counted(std::ssize(parts), "value"), "(key, offset, size)");
  const StorageView view{count_in(parts[1], where), count_in(parts[2], where)};
  if (view.offset > storage.elements || view.elements > storage.elements - view.offset) {
    refuse_file(where, "a view beyond the end of its storage", "a part of the storage");
  }
  return view;
}

DType dtype_in(const PickleValue& value, const std::string& where) {
  const auto* global = std::get_if<PickleGlobal>(&value);
  const auto* row = global == nullptr
                        ? std::end(kStorageTypes)
                        : std::ranges::find(kStorageTypes, global->name, &std::pair<std::string_view, DType>::first);
  if (row == std::end(kStorageTypes)) refuse_file(where, describe(value), "a type of storages");
  return row->second;
}

// Reads ('storage', type, key, location, elements), with a view in files of the old format.
StorageReference storage_in(const Parts& id, const std::string& where) {
  constexpr size_t kParts = 5;
  const Parts& parts = parts_of(id.front(), Kind::kTuple, where, "a tuple");
  if (parts.size() < kParts || parts.size() > kParts + 1 || text_in(parts[0], where) != "storage") {
    refuse_file(where, "a persistent id of another kind", "('storage', type, key, location, elements)");
  }
  const StorageType type{dtype_in(parts[1], where), count_in(parts[4], where)};
  if (!extent_of({type.elements}, {1}, 0)) refuse_file(where, counted(type.elements, "element"), "fewer elements");
  return {.key = text_in(parts[2], where),
          .type = type,
          .view = parts.size() == kParts ? std::nullopt : view_in(parts[kParts], type, where)};
}

struct Call {
  std::string_view callee;
  const Parts& arguments;
};

Call call_in(const PickleValue& value, const std::string& where) {
  const Parts& parts = parts_of(value, Kind::kCall, where, "a tensor");
  return {.callee = std::get<PickleGlobal>(parts[0]).name, .arguments = std::get<PickleObject*>(parts[1])->parts};
}

// The call that makes the tensor of a value. Its result may be the first argument of a parameter.
Call tensor_call(const PickleValue& value, const std::string& where) {
  const Call call = call_in(value, where);
  if (call.callee != kParameter && call.callee != kParameterWithState) return call;
  if (call.arguments.empty()) refuse_file(where, "a parameter without a tensor", "a tensor");
  return call_in(call.arguments.front(), where);
}

// Arguments: storage, offset, sizes, strides; version 2 appends requires_grad, hooks and perhaps metadata. The metadata
// of a tensor that is stored as its negative or conjugate are not empty.
void require_tensor_arguments(const Call& call, const std::string& where) {
  const bool is_second = call.callee == kTensor2;
  const size_t count = call.arguments.size(), expected = is_second ? 6 : 4;
  if (!is_second && call.callee != kTensor) refuse_file(where, "a call of " + std::string(call.callee), "a tensor");
  if (count != expected && !(is_second && count == expected + 1)) {
    refuse_file(where, counted(std::ssize(call.arguments), "argument"), std::to_string(expected) + " arguments");
  }
  if (count == expected || std::holds_alternative<std::monostate>(call.arguments.back())) return;
  if (!parts_of(call.arguments.back(), Kind::kDict, where, "a dict").empty()) refuse_file(where, "metadata", "none");
}

std::span<const std::byte> bytes_of(const StorageReference& storage, const Storages& storages) {
  const std::span<const std::byte> all = storages.at(storage.key);
  if (!storage.view) return all;
  const int64_t element = size_of(storage.type.dtype);
  return all.subspan(static_cast<size_t>(storage.view->offset * element),
                     static_cast<size_t>(storage.view->elements * element));
}

StridedTensor tensor_in(const PickleValue& value, const Storages& storages, const std::string& where) {
  const Call call = tensor_call(value, where);
  require_tensor_arguments(call, where);
  const Parts& id = parts_of(call.arguments[0], Kind::kPersistentId, where, "a storage");
  const StorageReference storage = storage_in(id, where);
  const int64_t offset = count_in(call.arguments[1], where);
  StridedTensor tensor{.type = {storage.type.dtype, Shape(counts_in(call.arguments[2], where))},
                       .strides = counts_in(call.arguments[3], where)};
  const Shape& shape = tensor.type.shape;
  if (std::ssize(tensor.strides) != shape.rank()) {
    refuse_file(where, counted(std::ssize(tensor.strides), "stride"), counted(shape.rank(), "stride"));
  }
  const std::span<const std::byte> bytes = bytes_of(storage, storages);
  const int64_t elements = std::ssize(bytes) / size_of(storage.type.dtype);
  const std::optional<int64_t> extent = extent_of(shape, tensor.strides, offset);
  if (!extent || *extent > elements) {
    refuse_file(where, to_string(tensor.type) + " beyond the end of its storage of " + counted(elements, "element"),
                "elements in the storage");
  }
  tensor.data = bytes.data() + (*extent == 0 ? 0 : offset * size_of(storage.type.dtype));
  return tensor;
}

std::string name_in(const PickleValue& key, const std::string& where) {
  const std::string_view name = text_in(key, where + ", a key of its dict");
  if (name.size() > kMaxNameBytes || !simdjson::validate_utf8(name)) {
    refuse_file(where, "the tensor name " + in_quotes(name), "UTF-8 of at most " + counted(kMaxNameBytes, "byte"));
  }
  return std::string(name);
}

}  // namespace

Pickle read_tensor_pickle(std::span<const std::byte> bytes, const std::string& where) {
  std::vector<std::string_view> globals{kTensor, kTensor2, kParameter, kParameterWithState};
  for (const auto& [name, dtype] : kStorageTypes) globals.push_back(name);
  return read_pickle(bytes, globals, where);
}

std::map<std::string_view, StorageType> storages_of(const Pickle& pickle, const std::string& where) {
  std::map<std::string_view, StorageType> storages;
  for (const PickleObject& object : pickle.objects) {
    if (object.kind != Kind::kPersistentId) continue;
    const StorageReference storage = storage_in(object.parts, where);
    const auto known = storages.emplace(storage.key, storage.type).first;
    if (known->second.bytes() == storage.type.bytes()) continue;
    refuse_file(where, "the storage " + in_quotes(storage.key) + " with two sizes", "one size");
  }
  return storages;
}

std::vector<NamedStridedTensor> read_state_dict(const Pickle& pickle, const Storages& storages,
                                                const std::string& where) {
  const auto* dict = std::get_if<PickleObject*>(&pickle.root);
  if (dict == nullptr || ((*dict)->kind != Kind::kDict && (*dict)->kind != Kind::kOrderedDict)) {
    refuse_file(where, describe(pickle.root), "a dict from names to tensors");
  }
  const Parts& items = (*dict)->parts;
  std::vector<NamedStridedTensor> tensors;
  for (size_t i = 0; i < items.size(); i += 2) {
    std::string name = name_in(items[i], where);
    StridedTensor tensor = tensor_in(items[i + 1], storages, where + ": tensor " + in_quotes(name));
    tensors.push_back({std::move(name), std::move(tensor)});
  }
  return tensors;
}

}  // namespace portatune::io
