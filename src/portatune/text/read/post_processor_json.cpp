#include <limits>

#include "portatune/text/read/components.h"

namespace portatune::text {
namespace {

std::vector<int32_t> read_special_ids(const Json& processor, std::string_view name) {
  std::vector<int32_t> ids;
  processor.at("special_tokens").at(name).at("ids").for_each([&](const Json& id) {
    ids.push_back(static_cast<int32_t>(id.integer(0, kMaxId)));
  });
  return ids;
}

Template::Part read_part(const Json& processor, const Json& piece, bool pair) {
  constexpr int64_t kMaxType = std::numeric_limits<int32_t>::max();
  const auto sequence = piece.find("Sequence");
  const Json fields = sequence ? *sequence : piece.at("SpecialToken");
  Template::Part part{.type_id = static_cast<int32_t>(fields.at("type_id").integer(0, kMaxType))};
  const std::string_view id = fields.at("id").string();
  if (!sequence) {
    part.special_ids = read_special_ids(processor, id);
  } else if (id == "A" || (id == "B" && pair)) {
    part.sequence = id == "A" ? 0 : 1;
  } else {
    fields.fail(pair ? "the sequence A or B" : "the sequence A");
  }
  return part;
}

std::vector<Template::Part> read_parts(const Json& processor, std::string_view key) {
  std::vector<Template::Part> parts;
  processor.at(key).for_each([&](const Json& piece) { parts.push_back(read_part(processor, piece, key == "pair")); });
  return parts;
}

// Reads a token of BertProcessing or RobertaProcessing: ["[SEP]", 102].
int32_t read_token_and_id(const Json& json) {
  const simdjson::dom::array pair = json.array();
  if (pair.size() != 2) json.fail("a token and its id");
  return static_cast<int32_t>(json.member("1", pair.at(1)).integer(0, kMaxId));
}

// Adds the content of one component to that of earlier ones.
class Reader {
 public:
  void read(const Json& json) {
    const std::string_view type = type_of(json);
    if (type == "Sequence") {
      json.at("processors").for_each([&](const Json& processor) { read(processor); });
    } else if (type == "ByteLevel") {
      read_trim(json);
    } else if (type == "BertProcessing") {
      set_layout(json, bert_template(read_token_and_id(json.at("cls")), read_token_and_id(json.at("sep"))));
    } else if (type == "RobertaProcessing") {
      read_trim(json);
      set_layout(json, roberta_template(read_token_and_id(json.at("cls")), read_token_and_id(json.at("sep"))));
    } else if (type == "TemplateProcessing") {
      set_layout(json, {.single = read_parts(json, "single"), .pair = read_parts(json, "pair")});
    } else {
      throw_unknown(json, "post_processor",
                    "Sequence, ByteLevel, BertProcessing, RobertaProcessing or TemplateProcessing");
    }
  }
  PostProcessor finish() && { return std::move(result_); }

 private:
  void read_trim(const Json& json) {
    const bool add_prefix_space = json.at("add_prefix_space").boolean();
    if (json.at("trim_offsets").boolean()) result_.trims.push_back({.add_prefix_space = add_prefix_space});
  }

  void set_layout(const Json& json, Template layout) {
    if (has_layout_) json.fail("at most one component that adds special tokens");
    has_layout_ = true;
    result_.layout = std::move(layout);
  }

  PostProcessor result_;
  bool has_layout_ = false;
};

}  // namespace

PostProcessor read_post_processor(const Json& json) {
  Reader reader;
  reader.read(json);
  return std::move(reader).finish();
}

}  // namespace portatune::text
