// The future ids of added tokens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/text/added_tokens.h"
#include "portatune/text/model/model.h"

namespace portatune::text {

/// The id of a token of the model, or of an added token, whose ids follow. CheckpointError if it is neither.
int32_t id_of_added(const Model& model, const std::vector<AddedToken>& added, const std::string& token,
                    const std::string& where);

}  // namespace portatune::text
