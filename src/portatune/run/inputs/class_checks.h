// Checks of the classes that were found in rows.
#pragma once

#include <string>
#include <vector>

namespace portatune::run {

/// The files and the column in which classes were found.
struct ClassSource {
  const std::vector<std::string>& files;
  std::string column;
};

/// errors  DataError if all rows are of one class
void require_several_classes(const std::vector<std::string>& classes, const ClassSource& source);

/// errors  DataError for numbers with fractions, as 0.5, which may be meant as numbers
void require_no_fractions(const std::vector<std::string>& classes, const ClassSource& source);

}  // namespace portatune::run
