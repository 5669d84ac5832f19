/* The interface between Portatune and its plug-ins by which processes exchange arrays: libportatune_mpi.so, where a
   launcher of MPI has started them, and libportatune_gloo.so, where they know each other from the environment alone. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raise it with every change of what follows. */
enum { kPortatuneExchangeVersion = 3 };

struct PortatuneExchangeError {
  char message[512];
};

/* All processes, and the groups of some that have exchanged something. */
struct PortatuneExchangeWorld;

/* What one process knows of the others. Functions return 0, or 1 and an error; any thread may call them. */
struct PortatuneExchangeLaunch {
  int64_t rank, size;
  /* The first argument of the functions. */
  void* store;
  /* Of this process, by which the others reach it; may wait until some of them are there. */
  int (*address)(void* store, void (*take)(void* to, const char* address), void* to,
                 struct PortatuneExchangeError* error);
  /* By which processes tell each other something under a key. */
  int (*put)(void* store, const char* key, const void* value, int64_t bytes, struct PortatuneExchangeError* error);
  /* Waits for the key, and calls take(to, value, bytes) once. */
  int (*get)(void* store, const char* key, void (*take)(void* to, const void* value, int64_t bytes), void* to,
             struct PortatuneExchangeError* error);
  /* Ends all processes; returns only to be followed by the end of this one. */
  void (*abort)(void* store, int exit_code);
};

/* Functions return 0, or 1 and an error. Members are ranks, in the order of their parts. */
struct PortatuneExchangeApi {
  int32_t version;

  /* Begins, once in a process. The world is as long-lived as the process. launch is null for MPI, which knows it, and
     else outlives the process's exchanges. */
  int (*begin)(const struct PortatuneExchangeLaunch* launch, struct PortatuneExchangeWorld** world,
               struct PortatuneExchangeError* error);
  /* Ends, after all exchanges. */
  void (*end)(void);
  int (*duplicate)(struct PortatuneExchangeWorld* world, struct PortatuneExchangeWorld** copy,
                   struct PortatuneExchangeError* error);
  int64_t (*rank)(const struct PortatuneExchangeWorld* world);
  int64_t (*size)(const struct PortatuneExchangeWorld* world);
  /* Ends all processes. */
  void (*abort)(struct PortatuneExchangeWorld* world, int exit_code);

  /* x may be sum; count of each. */
  int (*all_reduce)(struct PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count, const float* x,
                    float* sum, int64_t count, struct PortatuneExchangeError* error);
  /* bytes of a part. */
  int (*all_gather)(struct PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count, const void* part,
                    int64_t bytes, void* whole, struct PortatuneExchangeError* error);
  /* count of a part. */
  int (*reduce_scatter)(struct PortatuneExchangeWorld* world, const int64_t* members, int64_t member_count,
                        const float* x, float* part, int64_t count, struct PortatuneExchangeError* error);
};

const struct PortatuneExchangeApi* portatune_exchange_api(void);

#ifdef __cplusplus
}
#endif
