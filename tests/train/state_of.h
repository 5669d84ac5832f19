// The state of a Trainer as bytes.
#pragma once

#include <string>

#include "io/temporary_folder.h"
#include "portatune/train.h"

namespace portatune::test {

/// The bytes of weights and moments.
inline std::string state_of(const Trainer& trainer) {
  const TemporaryFolder folder;
  trainer.save_checkpoint(folder / "saved");
  return text_of(folder / "saved" / "model.safetensors") + text_of(folder / "saved" / "optimizer.safetensors");
}

}  // namespace portatune::test
