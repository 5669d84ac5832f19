// Options of what a command prints.
#pragma once

#include "portatune/option_fields.h"

namespace portatune::cli {

/// What a command prints beside its result, and in which form.
struct Reporting {
  bool quiet = false;             ///< print only results and errors
  bool json = false;              ///< print the result as one JSON object
  bool disable_progress = false;  ///< print plain lines in place of a bar

  void describe(OptionFields& fields);
};

}  // namespace portatune::cli
