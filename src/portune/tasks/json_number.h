// Numbers in JSON.
#pragma once

namespace portune::tasks {

/// The double with the fewest digits that tell the float from its neighbours: 0.1f is 0.1, not 0.10000000149.
double shortest(float value);

}  // namespace portune::tasks
