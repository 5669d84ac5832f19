#include "portatune/models/config_reader.h"

#include "portatune/error.h"
#include "portatune/nn.h"

namespace portatune::models {

void ConfigReader::read_activation(std::string_view key, std::string& field) const {
  read(key, field);
  if (nn::is_activation(field)) return;
  throw CheckpointError({.where = "config.json, " + std::string(key),
                         .given = "\"" + field + "\"",
                         .expected = "a supported activation: " + nn::known_activations()});
}

void require_multiple(std::string_view key, int64_t value, std::string_view factor_key, int64_t factor) {
  if (value % factor == 0) return;
  throw CheckpointError({.where = "config.json",
                         .given = std::string(key) + " " + std::to_string(value) + " and " + std::string(factor_key) +
                                  " " + std::to_string(factor),
                         .expected = "the first to be a multiple of the second"});
}

}  // namespace portatune::models
