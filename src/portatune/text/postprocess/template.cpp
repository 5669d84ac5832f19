#include "portatune/text/postprocess/template.h"

namespace portatune::text {
namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

const Template::Part kFirst{.sequence = 0, .type_id = 0}, kSecond{.sequence = 1, .type_id = 1};

Template::Part special(int32_t id, int32_t type_id) { return {.type_id = type_id, .special_ids = {id}}; }

bool is_special(const Template::Part& part) { return part.sequence < 0; }

}  // namespace

void Sequence::resize(size_t size) {
  ids.resize(size);
  if (!sources.empty()) sources.resize(size);
}

int64_t Template::added_tokens(bool is_pair) const {
  size_t count = 0;
  for (const Part& part : parts(is_pair)) count += part.special_ids.size();
  return static_cast<int64_t>(count);
}

Template plain_template() { return {.single = {kFirst}, .pair = {kFirst, kSecond}}; }

Template bert_template(int32_t cls_id, int32_t sep_id) {
  return {.single = {special(cls_id, 0), kFirst, special(sep_id, 0)},
          .pair = {special(cls_id, 0), kFirst, special(sep_id, 0), kSecond, special(sep_id, 1)}};
}

Template roberta_template(int32_t cls_id, int32_t sep_id) {
  const Template::Part cls = special(cls_id, 0), sep = special(sep_id, 0), second{.sequence = 1, .type_id = 0};
  return {.single = {cls, kFirst, sep}, .pair = {cls, kFirst, sep, sep, second, sep}};
}

Template bos_eos_template(std::optional<int32_t> bos_id, std::optional<int32_t> eos_id) {
  Template result;
  for (const int32_t text : {0, 1}) {
    std::vector<Template::Part> parts;
    if (bos_id) parts.push_back(special(*bos_id, text));
    parts.push_back(text == 0 ? kFirst : kSecond);
    if (eos_id) parts.push_back(special(*eos_id, text));
    if (text == 0) result.single = parts;
    append(result.pair, parts);
  }
  return result;
}

void assemble(const std::vector<Template::Part>& parts, const std::vector<int32_t>& first,
              const std::vector<int32_t>& second, bool add_special_tokens, std::vector<int32_t>& ids,
              std::vector<int32_t>* type_ids) {
  for (const Template::Part& part : parts) {
    if (is_special(part) && !add_special_tokens) continue;
    append(ids, is_special(part) ? part.special_ids : part.sequence == 0 ? first : second);
    if (type_ids != nullptr) type_ids->resize(ids.size(), part.type_id);
  }
}

Encoding assemble(const std::vector<Template::Part>& parts, const Sequence& first, const Sequence& second,
                  const EncodeOptions& options) {
  size_t total = 0;
  for (const Template::Part& part : parts) {
    total += (is_special(part) ? part.special_ids : part.sequence == 0 ? first.ids : second.ids).size();
  }
  Encoding encoding;
  for (auto* values : {&encoding.ids, &encoding.type_ids, &encoding.special_tokens_mask, &encoding.sequence_ids}) {
    values->reserve(total);
  }
  if (options.with_offsets) {
    encoding.offsets.reserve(total);
    encoding.word_ids.reserve(total);
  }
  assemble(parts, first.ids, second.ids, options.add_special_tokens, encoding.ids, &encoding.type_ids);
  for (const Template::Part& part : parts) {
    if (is_special(part) && !options.add_special_tokens) continue;
    const Sequence& sequence = part.sequence == 0 ? first : second;
    const size_t size = encoding.sequence_ids.size() + (is_special(part) ? part.special_ids : sequence.ids).size();
    encoding.special_tokens_mask.resize(size, is_special(part) ? 1 : 0);
    encoding.sequence_ids.resize(size, part.sequence);
    if (!options.with_offsets) continue;
    if (!is_special(part)) {
      for (const TokenSource& source : sequence.sources) encoding.offsets.push_back(source.offsets);
      for (const TokenSource& source : sequence.sources) encoding.word_ids.push_back(source.word_id);
    }
    encoding.offsets.resize(size);
    encoding.word_ids.resize(size, -1);
  }
  return encoding;
}

}  // namespace portatune::text
