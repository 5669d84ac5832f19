// The processes that a launcher of MPI has started.
#pragma once

#include <cstdint>
#include <memory>

#include "portune/process_group.h"

namespace portune {

/// How many processes mpirun or srun has started together with this one, as they say in the environment; 1 if none
/// has. srun is asked for PMIx (--mpi=pmix): without it each process is a job of its own for MPI.
int64_t launched_processes();

/// The group of them all; the first call begins MPI, and leaves it open. One process alone is a group, too.
/// errors  DeviceError if there is no MPI
std::shared_ptr<ProcessGroup> mpi_group();

/// Ends MPI if mpi_group() has begun it: every process of a group calls it before it ends, with no exchange behind it.
void end_mpi();

}  // namespace portune
