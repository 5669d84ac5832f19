/* The interface between Portatune and the plug-ins by which processes exchange arrays: libportatune_mpi.so for
   processes that an MPI launcher has started, libportatune_gloo.so for those that the environment connects. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface; increase it with every change below. */
enum { kPortatuneExchangeVersion = 3 };

struct PortatuneExchangeError {
  char message[512];
};

/* All processes, and the groups of processes that have exchanged arrays. */
struct PortatuneExchangeWorld;

/* The launch as one process sees it. Functions return 0, or 1 and an error; any thread may call them. */
struct PortatuneExchangeLaunch {
  int64_t rank, size;
  /* The first argument of the functions. */
  void* store;
  /* The address by which the others reach this process; may wait until some of them have started. */
  int (*address)(void* store, void (*take)(void* to, const char* address), void* to,
                 struct PortatuneExchangeError* error);
  /* Stores a value under a key for all processes. */
  int (*put)(void* store, const char* key, const void* value, int64_t bytes, struct PortatuneExchangeError* error);
  /* Waits for the key, and calls take(to, value, bytes) once. */
  int (*get)(void* store, const char* key, void (*take)(void* to, const void* value, int64_t bytes), void* to,
             struct PortatuneExchangeError* error);
  /* Terminates all other processes; when it returns, the caller must terminate this one. */
  void (*abort)(void* store, int exit_code);
};

/* Functions return 0, or 1 and an error. Members are ranks, in the order of their parts of the arrays. */
struct PortatuneExchangeApi {
  int32_t version;

  /* Initialises the plug-in, once per process. The world lives as long as the process. launch is null for MPI, which
     has its own, and otherwise outlives all exchanges. */
  int (*begin)(const struct PortatuneExchangeLaunch* launch, struct PortatuneExchangeWorld** world,
               struct PortatuneExchangeError* error);
  /* Shuts the plug-in down, after all exchanges. */
  void (*end)(void);
  int (*duplicate)(struct PortatuneExchangeWorld* world, struct PortatuneExchangeWorld** copy,
                   struct PortatuneExchangeError* error);
  int64_t (*rank)(const struct PortatuneExchangeWorld* world);
  int64_t (*size)(const struct PortatuneExchangeWorld* world);
  /* Terminates all processes. */
  void (*abort)(struct PortatuneExchangeWorld* world, int exit_code);

  /* count: elements of x and of sum, which may be the same memory. */
  int (*all_reduce)(struct PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count, const float* x,
                    float* sum, int64_t count, struct PortatuneExchangeError* error);
  /* bytes: size of part. */
  int (*all_gather)(struct PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count,
                    const void* part, int64_t bytes, void* whole, struct PortatuneExchangeError* error);
  /* count: elements of part. */
  int (*reduce_scatter)(struct PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count,
                        const float* x, float* part, int64_t count, struct PortatuneExchangeError* error);
};

/* Returns a PortatuneExchangeApi. */
const void* portatune_exchange_api(void);

#ifdef __cplusplus
}
#endif
