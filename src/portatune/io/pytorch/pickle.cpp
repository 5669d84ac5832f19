#include "portatune/io/pytorch/pickle.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/pytorch/pickle_opcodes.h"

namespace portatune::io {
namespace {

using Kind = PickleObject::Kind;

constexpr int64_t kMaxOpcodes = 4'000'000;  // the state dict of a model has about 40 for each tensor
constexpr std::string_view kOrderedDict = "collections.OrderedDict";

PickleObject* object_in(const PickleValue& value) {
  const auto* object = std::get_if<PickleObject*>(&value);
  return object == nullptr ? nullptr : *object;
}

bool is_dict(const PickleObject& object) { return object.kind == Kind::kDict || object.kind == Kind::kOrderedDict; }
bool is_sequence(const PickleObject& object) { return object.kind == Kind::kTuple || object.kind == Kind::kList; }

class PickleReader {
 public:
  PickleReader(std::span<const std::byte> bytes, std::span<const std::string_view> globals, const std::string& where)
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), globals_(globals), where_(where) {}

  Pickle read() {
    for (int64_t count = 0;; ++count) {
      begin_ = offset_;
      const auto opcode = number<uint8_t>();
      if (opcode == static_cast<uint8_t>(Opcode::kStop)) break;
      if (count == kMaxOpcodes) fail("more opcodes", "at most " + std::to_string(kMaxOpcodes));
      run(opcode);
    }
    result_.root = pop();
    if (!stack_.empty() || !marks_.empty()) fail("STOP before the last value is complete", "one value");
    result_.bytes = offset_;
    return std::move(result_);
  }

 private:
  void run(uint8_t opcode) {
    switch (static_cast<Opcode>(opcode)) {
      case Opcode::kProto:
        return static_cast<void>(take(1));  // the opcodes decide, not the version
      case Opcode::kMark:
        return marks_.push_back(stack_.size());
      case Opcode::kNone:
        return push(std::monostate());
      case Opcode::kTrue:
        return push(true);
      case Opcode::kFalse:
        return push(false);
      case Opcode::kInt32:
        return push(int64_t{number<int32_t>()});
      case Opcode::kUInt8:
        return push(int64_t{number<uint8_t>()});
      case Opcode::kUInt16:
        return push(int64_t{number<uint16_t>()});
      case Opcode::kLong1:
        return push(long_integer());
      case Opcode::kUnicode:
        return push(take(number<uint32_t>()));
      case Opcode::kShortString:
        return push(take(number<uint8_t>()));
      case Opcode::kGlobal:
        return push(global());
      case Opcode::kEmptyTuple:
        return push(object(Kind::kTuple));
      case Opcode::kTuple1:
        return push(object(Kind::kTuple, pop(1)));
      case Opcode::kTuple2:
        return push(object(Kind::kTuple, pop(2)));
      case Opcode::kTuple3:
        return push(object(Kind::kTuple, pop(3)));
      case Opcode::kTuple:
        return push(object(Kind::kTuple, pop_to_mark()));
      case Opcode::kEmptyList:
        return push(object(Kind::kList));
      case Opcode::kAppend:
        return append(pop(1));
      case Opcode::kAppends:
        return append(pop_to_mark());
      case Opcode::kEmptyDict:
        return push(object(Kind::kDict));
      case Opcode::kSetItem:
        return set_items(pop(2));
      case Opcode::kSetItems:
        return set_items(pop_to_mark());
      case Opcode::kPut8:
        return memoize(number<uint8_t>());
      case Opcode::kPut32:
        return memoize(number<uint32_t>());
      case Opcode::kGet8:
        return recall(number<uint8_t>());
      case Opcode::kGet32:
        return recall(number<uint32_t>());
      case Opcode::kReduce:
        return reduce();
      case Opcode::kBuild:
        return build();
      case Opcode::kPersistentId:
        return push(object(Kind::kPersistentId, pop(1)));
      case Opcode::kStop:
        break;
    }
    fail("the opcode " + name_of_unsupported(opcode), "the opcodes that PyTorch writes for tensors");
  }

  // The next bytes of the pickle.
  std::string_view take(size_t count) {
    if (count > bytes_.size() - offset_) fail("the end of the data", "a complete pickle");
    const std::string_view taken = bytes_.substr(offset_, count);
    offset_ += count;
    return taken;
  }
  std::string_view take_line() {
    const size_t end = bytes_.find('\n', offset_);
    if (end == std::string_view::npos) fail("the end of the data", "a complete pickle");
    const std::string_view line = bytes_.substr(offset_, end - offset_);
    offset_ = end + 1;
    return line;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  // LONG1: a little-endian integer with its length.
  int64_t long_integer() {
    const std::string_view digits = take(number<uint8_t>());
    if (digits.size() > sizeof(int64_t))
      fail("an integer of " + counted(std::ssize(digits), "byte"), "at most 8 bytes");
    const bool is_negative = !digits.empty() && (digits.back() & 0x80) != 0;
    int64_t value = is_negative ? -1 : 0;
    std::memcpy(&value, digits.data(), digits.size());
    return value;
  }
  PickleGlobal global() {
    const std::string_view module = take_line();
    const std::string name = std::string(module) + "." + std::string(take_line());
    if (name == kOrderedDict) return {kOrderedDict};
    const auto known = std::ranges::find(globals_, name);
    if (known == globals_.end()) fail("the global " + in_quotes(name), "only globals of PyTorch's tensors");
    return {*known};
  }

  PickleObject* object(Kind kind, std::vector<PickleValue> parts = {}) {
    return &result_.objects.emplace_back(PickleObject{kind, std::move(parts)});
  }
  void push(PickleValue value) { stack_.push_back(value); }

  // Number of values above the last mark.
  size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  std::vector<PickleValue> pop(size_t count) {
    if (available() < count) fail("an opcode without its operands", "a valid pickle");
    std::vector<PickleValue> values(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return values;
  }
  PickleValue pop() { return pop(1).front(); }
  std::vector<PickleValue> pop_to_mark() {
    if (marks_.empty()) fail("an opcode without its MARK", "a valid pickle");
    std::vector<PickleValue> values = pop(available());
    marks_.pop_back();
    return values;
  }
  // The object at the top of the stack, which the current opcode changes.
  PickleObject& top(bool (*is_expected)(const PickleObject&), const char* expected) {
    if (available() == 0) fail("an opcode without its operands", "a valid pickle");
    PickleObject* const object = object_in(stack_.back());
    if (object == nullptr || !is_expected(*object)) fail("a change of " + describe(stack_.back()), expected);
    return *object;
  }

  void append(const std::vector<PickleValue>& values) {
    PickleObject& list = top([](const PickleObject& o) { return o.kind == Kind::kList; }, "a list");
    list.parts.insert(list.parts.end(), values.begin(), values.end());
  }
  void set_items(const std::vector<PickleValue>& items) {
    PickleObject& dict = top(is_dict, "a dict");
    if (items.size() % 2 != 0) fail("a key without its value", "a valid pickle");
    dict.parts.insert(dict.parts.end(), items.begin(), items.end());
  }
  void memoize(uint32_t index) {
    if (available() == 0) fail("an opcode without its operands", "a valid pickle");
    memo_[index] = stack_.back();
  }
  void recall(uint32_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) fail("the unknown memo " + std::to_string(index), "a valid pickle");
    push(found->second);
  }

  void reduce() {
    const std::vector<PickleValue> operands = pop(2);
    const auto* callee = std::get_if<PickleGlobal>(&operands[0]);
    if (callee == nullptr) fail("a call of " + describe(operands[0]), "a call of a global");
    const PickleObject* arguments = object_in(operands[1]);
    if (arguments == nullptr || arguments->kind != Kind::kTuple) {
      fail("the arguments of " + std::string(callee->name) + " as " + describe(operands[1]), "a tuple");
    }
    push(callee->name == kOrderedDict ? ordered_dict(*arguments) : object(Kind::kCall, operands));
  }
  // Python 2 passes the items to the constructor: OrderedDict([[key, value], ...]).
  PickleObject* ordered_dict(const PickleObject& arguments) {
    PickleObject* const dict = object(Kind::kOrderedDict);
    if (arguments.parts.empty()) return dict;
    const PickleObject* items = object_in(arguments.parts.front());
    if (arguments.parts.size() > 1 || items == nullptr || !is_sequence(*items)) {
      fail("other arguments of collections.OrderedDict", "a list of items");
    }
    copied_ += std::ssize(items->parts);  // the same list may be the argument of many calls
    if (copied_ > kMaxOpcodes) fail("more items", "at most " + std::to_string(kMaxOpcodes));
    for (const PickleValue& item : items->parts) {
      const PickleObject* pair = object_in(item);
      if (pair == nullptr || !is_sequence(*pair) || pair->parts.size() != 2) {
        fail("an item of collections.OrderedDict that is " + describe(item), "a key and its value");
      }
      dict->parts.insert(dict->parts.end(), pair->parts.begin(), pair->parts.end());
    }
    return dict;
  }
  // Sets attributes: those of an OrderedDict, such as the `_metadata` of a state dict, do not matter.
  void build() {
    pop();
    top([](const PickleObject& o) { return o.kind == Kind::kOrderedDict; }, "BUILD of a collections.OrderedDict");
  }

  [[noreturn]] void fail(const std::string& given, const std::string& expected) const {
    refuse_file(where_ + ", byte " + std::to_string(begin_) + " of its pickle", given, expected);
  }

  const std::string_view bytes_;
  const std::span<const std::string_view> globals_;
  const std::string& where_;
  size_t begin_ = 0, offset_ = 0;  // offsets of the current opcode, and of the next byte
  std::vector<PickleValue> stack_;
  std::vector<size_t> marks_;  // sizes of the stack at each MARK
  std::unordered_map<uint32_t, PickleValue> memo_;
  int64_t copied_ = 0;  // number of copied items
  Pickle result_;
};

}  // namespace

void refuse_file(const std::string& where, const std::string& given, const std::string& expected) {
  throw CheckpointError({.where = where, .given = given, .expected = expected});
}

std::string describe(const PickleValue& value) {
  constexpr const char* kNames[] = {"None", "a bool", "an int", "a str", "a global"};
  const PickleObject* object = object_in(value);
  if (object == nullptr) return kNames[value.index()];
  switch (object->kind) {
    case Kind::kTuple:
      return "a tuple";
    case Kind::kList:
      return "a list";
    case Kind::kDict:
    case Kind::kOrderedDict:
      return "a dict";
    case Kind::kPersistentId:
      return "a storage";
    case Kind::kCall:
      break;
  }
  return "a call of " + std::string(std::get<PickleGlobal>(object->parts.front()).name);
}

Pickle read_pickle(std::span<const std::byte> bytes, std::span<const std::string_view> globals,
                   const std::string& where) {
  return PickleReader(bytes, globals, where).read();
}

}  // namespace portatune::io
