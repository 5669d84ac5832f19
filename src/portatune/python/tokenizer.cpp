#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <variant>

#include "portatune/base/threads/thread_pool.h"
#include "portatune/python/bindings.h"
#include "portatune/text.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

// A path, by its whole type in the stub.
class Path : public nb::object {
 public:
  using nb::object::object;
  static constexpr auto Name = nb::detail::const_name("str | os.PathLike[str]");
  static bool check_(nb::handle object) { return nb::isinstance<nb::str>(object) || nb::hasattr(object, "__fspath__"); }
};

using text::Encoding;
using text::Tokenizer;
using Input = std::variant<std::string, std::pair<std::string, std::string>>;

text::EncodeOptions encode_options(int64_t max_length, bool add_special_tokens) {
  return {.max_length = max_length, .add_special_tokens = add_special_tokens, .with_offsets = true};
}

text::TextPair views_of(const Input& input) {
  if (const auto* text = std::get_if<std::string>(&input)) return {*text};
  const auto& [first, second] = std::get<1>(input);
  return {first, second};
}

Encoding encode(const Tokenizer& tokenizer, const std::string& text, const std::optional<std::string>& pair,
                int64_t max_length, bool add_special_tokens) {
  const text::EncodeOptions options = encode_options(max_length, add_special_tokens);
  return pair ? tokenizer.encode(text, *pair, options) : tokenizer.encode(text, options);
}

std::vector<Encoding> encode_batch(const Tokenizer& tokenizer, const std::vector<Input>& inputs, int64_t max_length,
                                   bool add_special_tokens) {
  std::vector<text::TextPair> texts;
  for (const Input& input : inputs) texts.push_back(views_of(input));
  ThreadPool pool;
  return tokenizer.encode_batch(texts, encode_options(max_length, add_special_tokens), pool);
}

std::string decode(const Tokenizer& tokenizer, const std::vector<int32_t>& ids, bool skip_special_tokens) {
  return tokenizer.decode(ids, {.skip_special_tokens = skip_special_tokens});
}

std::optional<std::string> id_to_token(const Tokenizer& tokenizer, int32_t id) {
  const std::string token(tokenizer.id_to_token(id));
  return token.empty() ? std::nullopt : std::optional(token);
}

std::vector<std::pair<int32_t, int32_t>> offsets_of(const Encoding& encoding) {
  std::vector<std::pair<int32_t, int32_t>> offsets;
  for (const text::Offsets& range : encoding.offsets) offsets.emplace_back(range.begin, range.end);
  return offsets;
}

// -1 as None, as `tokenizers` has it.
std::vector<std::optional<int32_t>> or_none(const std::vector<int32_t>& ids) {
  std::vector<std::optional<int32_t>> result;
  for (const int32_t id : ids) result.push_back(id < 0 ? std::nullopt : std::optional(id));
  return result;
}

void bind_encoding(nb::module_& module) {
  nb::class_<Encoding>(module, "Encoding", "A tokenized text or pair of texts: an element for each token in each list.")
      .def_ro("ids", &Encoding::ids)
      .def_ro("type_ids", &Encoding::type_ids, "0 or 1, by the tokenizer's template")
      .def_ro("special_tokens_mask", &Encoding::special_tokens_mask, "1 for tokens that the template adds")
      .def_prop_ro(
          "attention_mask", [](const Encoding& e) { return std::vector<int32_t>(e.ids.size(), 1); },
          "1 for each token, as there is no padding")
      .def_prop_ro("offsets", offsets_of, "range of each token in its text, in characters")
      .def_prop_ro(
          "word_ids", [](const Encoding& e) { return or_none(e.word_ids); }, "index of the word; None: a special token")
      .def_prop_ro(
          "sequence_ids", [](const Encoding& e) { return or_none(e.sequence_ids); },
          "0 in the first text, 1 in the second; None: a special token")
      .def("__len__", [](const Encoding& e) { return e.ids.size(); })
      .def("__repr__", [](const Encoding& e) { return "Encoding(num_tokens=" + std::to_string(e.ids.size()) + ")"; });
}

}  // namespace

void bind_tokenizer(nb::module_& module) {
  using namespace nb::literals;
  const nb::call_guard<nb::gil_scoped_release> unlocked;
  bind_encoding(module);
  nb::class_<Tokenizer>(module, "Tokenizer",
                        "The tokenizer of a model folder. It gives the ids and offsets of `tokenizers`, is immutable, "
                        "and may be used by several threads.")
      .def(nb::new_([](const Path& folder) { return Tokenizer::load(nb::cast<std::filesystem::path>(folder)); }),
           "folder"_a, "Reads tokenizer.json or, if there is none, older files of a tokenizer.")
      .def("encode", encode, "text"_a, "pair"_a = nb::none(), nb::kw_only(), "max_length"_a = 0,
           "add_special_tokens"_a = true, unlocked,
           "The tokens of a text or of a pair. `max_length` truncates the longer text first; 0: no limit.")
      .def("encode_batch", encode_batch, "texts"_a, nb::kw_only(), "max_length"_a = 0, "add_special_tokens"_a = true,
           unlocked, "The tokens of many texts, or of pairs of texts, on all cores.")
      .def("decode", decode, "ids"_a, nb::kw_only(), "skip_special_tokens"_a = true, unlocked,
           "The text of the tokens. Unknown ids are left out.")
      .def(
          "token_to_id", [](const Tokenizer& t, const std::string& token) { return t.token_to_id(token); }, "token"_a)
      .def("id_to_token", id_to_token, "id"_a)
      .def("get_vocab_size", &Tokenizer::vocab_size, "The number of tokens, added ones included.");
}

}  // namespace portatune::python
