#include "portatune/text/read/added_ids.h"

#include "portatune/error.h"

namespace portatune::text {

int32_t id_of_added(const Model& model, const std::vector<AddedToken>& added, const std::string& token,
                    const std::string& where) {
  if (const auto id = model.vocabulary().find(token)) return *id;
  // Tokens that the model lacks get the ids after its own.
  auto next = static_cast<int32_t>(model.size());
  for (const AddedToken& other : added) {
    if (model.vocabulary().find(other.content)) continue;
    if (other.content == token) return next;
    ++next;
  }
  throw CheckpointError(
      {.where = where, .given = "no token \"" + token + "\"", .expected = "the special tokens in the vocabulary"});
}

}  // namespace portatune::text
