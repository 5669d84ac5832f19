#include "base/faulty_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace portatune::test {
namespace {

Fault planned = Fault::kNone;
int calls_before_fault = 0;
bool met = false;

}  // namespace

void plan_fault(Fault fault, int call) {
  planned = fault;
  calls_before_fault = call;
  met = false;
}

bool has_met_fault() { return met; }

// Returns whether the current call fails.
bool fails_now() {
  if (planned == Fault::kNone || calls_before_fault-- > 0) return false;
  met = true;
  if (planned == Fault::kEndsProcess) _exit(0);
  if (planned == Fault::kFails) planned = Fault::kNone;
  errno = EIO;
  return true;
}

}  // namespace portatune::test

// These functions replace those of the C library in the whole program, shared libraries included.
#pragma GCC visibility push(default)
extern "C" {

int rename(const char* from, const char* to) noexcept {
  if (portatune::test::fails_now()) return -1;
  return static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned int flags) noexcept {
  if (portatune::test::fails_now()) return -1;
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int link(const char* from, const char* to) noexcept {
  if (portatune::test::fails_now()) return -1;
  return static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  if (portatune::test::fails_now()) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}

int unlink(const char* path) noexcept {
  if (portatune::test::fails_now()) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int remove(const char* path) noexcept {
  const int result = unlink(path);
  return result != 0 && errno == EISDIR ? rmdir(path) : result;
}

}  // extern "C"
#pragma GCC visibility pop
