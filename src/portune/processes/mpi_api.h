/* The interface between Portune and libportune_mpi.so, by which processes exchange arrays with MPI. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raise it with every change of what follows. */
enum { kPortuneMpiVersion = 1 };

struct PortuneMpiError {
  char message[512];
};

/* All processes, and the groups of some that have exchanged something. */
struct PortuneMpiWorld;

/* Functions return 0, or 1 and an error. Members are ranks, in the order of their parts. */
struct PortuneMpiApi {
  int32_t version;

  /* Begins MPI, once in a process. The world is as long-lived as the process. */
  int (*begin)(struct PortuneMpiWorld** world, struct PortuneMpiError* error);
  /* Ends MPI, after all exchanges. */
  void (*end)(void);
  int (*duplicate)(struct PortuneMpiWorld* world, struct PortuneMpiWorld** copy, struct PortuneMpiError* error);
  int64_t (*rank)(const struct PortuneMpiWorld* world);
  int64_t (*size)(const struct PortuneMpiWorld* world);
  /* Does not return. */
  void (*abort)(struct PortuneMpiWorld* world, int exit_code);

  /* x may be sum; count of each. */
  int (*all_reduce)(struct PortuneMpiWorld* world, const int64_t* members, int64_t member_count, const float* x,
                    float* sum, int64_t count, struct PortuneMpiError* error);
  /* bytes of a part. */
  int (*all_gather)(struct PortuneMpiWorld* world, const int64_t* members, int64_t member_count, const void* part,
                    int64_t bytes, void* whole, struct PortuneMpiError* error);
  /* count of a part. */
  int (*reduce_scatter)(struct PortuneMpiWorld* world, const int64_t* members, int64_t member_count, const float* x,
                        float* part, int64_t count, struct PortuneMpiError* error);
};

const struct PortuneMpiApi* portune_mpi_api(void);

#ifdef __cplusplus
}
#endif
