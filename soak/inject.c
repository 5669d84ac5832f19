// A library for LD_PRELOAD that makes calls on chosen files fail, or records a program's changes to them.
//
// Calls count if their file or folder is below one of the folders of SOAK_UNDER (separated by ':', without links), and
// if they are calls on a socket of the network.
//   SOAK_CALL    the calls to hit: write, read, open, fsync, rename, mkdir, unlink, link, fallocate, close, flock,
//                mmap, stat, list (of a folder), chmod, connect, send or recv, each with its variants; or any
//   SOAK_AT      number of the call to hit, from 1
//   SOAK_DO      the fault: fail:ERRNO, short (half of the bytes), signal:NUMBER (before the call)
//   SOAK_ON      if set, the fault hits all later calls, too
//   SOAK_FIRED   a file that is created at the fault
//   SOAK_RECORD  a file for the record: a line for each call that counts, and for each of its changes
//                (recording.py reads it)
// A signal is sent once. On 64-bit systems with _GNU_SOURCE, names with 64 are aliases: both are wrapped.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kPathBytes = PATH_MAX + 32 };

// The fate of a call.
enum action { kPass, kFail, kShort };

static const char *under, *wanted_call, *fired_file;
static long wanted_count;
static enum action action = kPass;
static int action_error, action_signal, goes_on;
static atomic_long count;
static int record = -1;
static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;

static void read_action(const char *text) {
  if (strncmp(text, "fail:", 5) == 0) {
    action = kFail;
    action_error = atoi(text + 5);
  } else if (strcmp(text, "short") == 0) {
    action = kShort;
  } else if (strncmp(text, "signal:", 7) == 0) {
    action_signal = atoi(text + 7);
  }
}

__attribute__((constructor)) static void read_environment(void) {
  under = getenv("SOAK_UNDER");
  wanted_call = getenv("SOAK_CALL");
  fired_file = getenv("SOAK_FIRED");
  goes_on = getenv("SOAK_ON") != NULL;
  if (getenv("SOAK_AT")) wanted_count = atol(getenv("SOAK_AT"));
  if (getenv("SOAK_DO")) read_action(getenv("SOAK_DO"));
  const char *const file = getenv("SOAK_RECORD");
  if (file) record = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Paths.

static int is_below(const char *path, const char *folder, size_t length) {
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int counts(const char *path) {
  for (const char *folder = under; folder && *folder;) {
    const size_t length = strcspn(folder, ":");
    if (is_below(path, folder, length)) return 1;
    folder += length + (folder[length] == ':');
  }
  return 0;
}

// The present name of an open file. Removed files and descriptors that are not files have no name that counts.
static const char *path_of_file(int file, char *path) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, kPathBytes - 1);
  path[length < 0 ? 0 : length] = '\0';
  if (strstr(path, " (deleted)")) path[0] = '\0';
  return path;
}

static const char *path_at(int folder, const char *name, char *path) {
  if (name[0] == '/') {
    snprintf(path, kPathBytes, "%s", name);
  } else {
    char start[kPathBytes];
    if (folder != AT_FDCWD)
      path_of_file(folder, start);
    else if (!getcwd(start, sizeof start))
      start[0] = '\0';
    if (snprintf(path, kPathBytes, "%s/%s", start, name) >= kPathBytes) path[0] = '\0';
  }
  return path;
}

// The record.

static void write_record(const void *bytes, size_t size) {
  if (syscall(SYS_write, record, bytes, size) != (long)size) abort();
}

__attribute__((format(printf, 1, 2))) static void record_line(const char *format, ...) {
  if (record < 0) return;
  char line[3 * kPathBytes];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  write_record(line, (size_t)length);
}

// A change and its lines are atomic for other threads, and for other processes with the same record.
static void begin(void) {
  if (record < 0) return;
  pthread_mutex_lock(&record_lock);
  syscall(SYS_flock, record, LOCK_EX);
}
static void end(void) {
  if (record < 0) return;
  const int error = errno;
  syscall(SYS_flock, record, LOCK_UN);
  pthread_mutex_unlock(&record_lock);
  errno = error;
}

static void record_write(const char *path, off_t offset, const void *bytes, ssize_t size) {
  if (record < 0 || size <= 0 || !counts(path)) return;
  record_line("write\t%s\t%ld\t%zd\n", path, (long)offset, size);
  write_record(bytes, (size_t)size);
}

static void record_change(const char *change, const char *path, int result) {
  if (record >= 0 && result == 0 && counts(path)) record_line("%s\t%s\n", change, path);
}

// Faults.

static void tell_fired(const char *call, const char *path) {
  if (!fired_file) return;
  const int file = (int)syscall(SYS_openat, AT_FDCWD, fired_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  char line[2 * kPathBytes];
  const int length = snprintf(line, sizeof line, "%s %s\n", call, path);
  syscall(SYS_write, file, line, (size_t)length);
  syscall(SYS_close, file);
}

static enum action decide_counted(const char *call, const char *path) {
  if (record >= 0) {
    begin();
    record_line("call\t%s\t%s\n", call, path);
    end();
  }
  if (!wanted_call || (strcmp(wanted_call, "any") != 0 && strcmp(wanted_call, call) != 0)) return kPass;
  const long here = atomic_fetch_add(&count, 1) + 1;
  if (here < wanted_count || (here > wanted_count && !goes_on)) return kPass;
  if (here == wanted_count) {
    tell_fired(call, path);
    if (action_signal) kill(getpid(), action_signal);
  }
  if (action == kFail) errno = action_error;
  return action;
}

// Returns the fate of a call; every wrapper calls this first. With kFail errno is set.
static enum action decide(const char *call, const char *path) {
  return counts(path) ? decide_counted(call, path) : kPass;
}

static enum action decide_at(const char *call, int folder, const char *name) {
  char path[kPathBytes];
  return decide(call, path_at(folder, name, path));
}

static enum action decide_file(const char *call, int file) {
  char path[kPathBytes];
  const int error = errno;
  path_of_file(file, path);
  errno = error;
  return decide(call, path);
}

static int is_of_network(int file) {
  const int error = errno;
  int domain = 0;
  socklen_t size = sizeof domain;
  const int found = getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0;
  errno = error;
  return found && (domain == AF_INET || domain == AF_INET6);
}

static enum action decide_socket(const char *call, int file) {
  return is_of_network(file) ? decide_counted(call, "network") : kPass;
}

static size_t half_of(size_t size) { return size > 1 ? size / 2 : size; }

#define REAL(name)                      \
  static __typeof__(&name) real = NULL; \
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

// Bytes.

ssize_t write(int file, const void *bytes, size_t size) {
  REAL(write);
  const enum action what = decide_file("write", file);
  if (what == kFail) return -1;
  if (record < 0) return real(file, bytes, what == kShort ? half_of(size) : size);
  char path[kPathBytes];
  path_of_file(file, path);
  begin();
  const off_t offset = fcntl(file, F_GETFL) & O_APPEND ? lseek(file, 0, SEEK_END) : lseek(file, 0, SEEK_CUR);
  const ssize_t written = real(file, bytes, size);
  record_write(path, offset, bytes, written);
  end();
  return written;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  REAL(pwrite);
  const enum action what = decide_file("write", file);
  if (what == kFail) return -1;
  char path[kPathBytes];
  path_of_file(file, path);
  begin();
  const ssize_t written = real(file, bytes, what == kShort ? half_of(size) : size, offset);
  record_write(path, offset, bytes, written);
  end();
  return written;
}
ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));

// A record takes only the first part; callers of writev must expect partial writes.
ssize_t writev(int file, const struct iovec *parts, int number) {
  REAL(writev);
  const int sends = is_of_network(file);
  if (record >= 0 && !sends) {
    int i = 0;
    while (i + 1 < number && parts[i].iov_len == 0) ++i;
    return write(file, parts[i].iov_base, parts[i].iov_len);
  }
  const enum action what = sends ? decide_socket("send", file) : decide_file("write", file);
  if (what == kFail) return -1;
  if (what == kShort && number > 0) return write(file, parts[0].iov_base, half_of(parts[0].iov_len));
  return real(file, parts, number);
}

ssize_t read(int file, void *bytes, size_t size) {
  REAL(read);
  const enum action what = decide_file("read", file);
  return what == kFail ? -1 : real(file, bytes, what == kShort ? half_of(size) : size);
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset) {
  REAL(pread);
  const enum action what = decide_file("read", file);
  return what == kFail ? -1 : real(file, bytes, what == kShort ? half_of(size) : size, offset);
}
ssize_t pread64(int, void *, size_t, off_t) __attribute__((alias("pread")));

// The variants that programs compiled with _FORTIFY_SOURCE call.
ssize_t __read_chk(int file, void *bytes, size_t size, size_t limit) {
  return size > limit ? -1 : read(file, bytes, size);
}
ssize_t __pread_chk(int file, void *bytes, size_t size, off_t offset, size_t limit) {
  return size > limit ? -1 : pread(file, bytes, size, offset);
}
ssize_t __pread64_chk(int, void *, size_t, off_t, size_t) __attribute__((alias("__pread_chk")));

int ftruncate(int file, off_t size) {
  REAL(ftruncate);
  if (decide_file("write", file) == kFail) return -1;
  char path[kPathBytes];
  path_of_file(file, path);
  begin();
  const int result = real(file, size);
  if (record >= 0 && result == 0 && counts(path)) record_line("truncate\t%s\t%ld\n", path, (long)size);
  end();
  return result;
}
int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));

int fallocate(int file, int mode, off_t offset, off_t size) {
  REAL(fallocate);
  return decide_file("fallocate", file) == kFail ? -1 : real(file, mode, offset, size);
}
int fallocate64(int, int, off_t, off_t) __attribute__((alias("fallocate")));

static int sync_file(int (*real)(int), int file) {
  if (decide_file("fsync", file) == kFail) return -1;
  char path[kPathBytes];
  path_of_file(file, path);
  begin();
  const int result = real(file);
  record_change("fsync", path, result);
  end();
  return result;
}

int fsync(int file) {
  REAL(fsync);
  return sync_file(real, file);
}
int fdatasync(int file) {
  REAL(fdatasync);
  return sync_file(real, file);
}

// Like Linux, close() closes the file in any case.
int close(int file) {
  REAL(close);
  const enum action what = decide_file("close", file);
  const int error = errno;
  const int result = real(file);
  if (what != kFail) return result;
  errno = error;
  return -1;
}

int flock(int file, int operation) {
  REAL(flock);
  return decide_file("flock", file) == kFail ? -1 : real(file, operation);
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  REAL(mmap);
  if (file >= 0 && !(flags & MAP_ANONYMOUS) && decide_file("mmap", file) == kFail) return MAP_FAILED;
  return real(address, size, protection, flags, file, offset);
}
void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap")));

// Sockets.

int connect(int file, __CONST_SOCKADDR_ARG address, socklen_t size) {
  REAL(connect);
  return decide_socket("connect", file) == kFail ? -1 : real(file, address, size);
}

ssize_t send(int file, const void *bytes, size_t size, int flags) {
  REAL(send);
  const enum action what = decide_socket("send", file);
  return what == kFail ? -1 : real(file, bytes, what == kShort ? half_of(size) : size, flags);
}

ssize_t recv(int file, void *bytes, size_t size, int flags) {
  REAL(recv);
  const enum action what = decide_socket("recv", file);
  return what == kFail ? -1 : real(file, bytes, what == kShort ? half_of(size) : size, flags);
}

// Properties.

// The status of a name, without a fault.
static int look(int folder, const char *name, struct stat *status) {
  REAL(fstatat);
  return real(folder, name, status, AT_SYMLINK_NOFOLLOW);
}

int fstatat(int folder, const char *name, struct stat *status, int flags) {
  REAL(fstatat);
  return decide_at("stat", folder, name) == kFail ? -1 : real(folder, name, status, flags);
}
int stat(const char *name, struct stat *status) { return fstatat(AT_FDCWD, name, status, 0); }
int lstat(const char *name, struct stat *status) { return fstatat(AT_FDCWD, name, status, AT_SYMLINK_NOFOLLOW); }
int fstat(int file, struct stat *status) {
  REAL(fstat);
  return decide_file("stat", file) == kFail ? -1 : real(file, status);
}
int fstatat64(int folder, const char *name, struct stat64 *status, int flags) {
  return fstatat(folder, name, (struct stat *)status, flags);
}
int stat64(const char *name, struct stat64 *status) { return stat(name, (struct stat *)status); }
int lstat64(const char *name, struct stat64 *status) { return lstat(name, (struct stat *)status); }
int fstat64(int file, struct stat64 *status) { return fstat(file, (struct stat *)status); }
int statx(int folder, const char *name, int flags, unsigned mask, struct statx *status) {
  REAL(statx);
  return decide_at("stat", folder, name) == kFail ? -1 : real(folder, name, flags, mask, status);
}

int fchmod(int file, mode_t mode) {
  REAL(fchmod);
  return decide_file("chmod", file) == kFail ? -1 : real(file, mode);
}
int fchmodat(int folder, const char *name, mode_t mode, int flags) {
  REAL(fchmodat);
  return decide_at("chmod", folder, name) == kFail ? -1 : real(folder, name, mode, flags);
}
int chmod(const char *name, mode_t mode) { return fchmodat(AT_FDCWD, name, mode, 0); }

// Folders.

DIR *opendir(const char *name) {
  REAL(opendir);
  return decide_at("list", AT_FDCWD, name) == kFail ? NULL : real(name);
}
DIR *fdopendir(int file) {
  REAL(fdopendir);
  return decide_file("list", file) == kFail ? NULL : real(file);
}
struct dirent *readdir(DIR *folder) {
  REAL(readdir);
  return decide_file("list", dirfd(folder)) == kFail ? NULL : real(folder);
}
struct dirent64 *readdir64(DIR *folder) { return (struct dirent64 *)readdir(folder); }

// Names.

static int open_at(int folder, const char *name, int flags, mode_t mode) {
  static int (*real)(int, const char *, int, ...) = NULL;
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "openat");
  char path[kPathBytes];
  path_at(folder, name, path);
  if (decide("open", path) == kFail) return -1;
  begin();
  struct stat before;
  const int existed = record >= 0 && look(folder, name, &before) == 0;
  const int file = real(folder, name, flags, mode);
  if (file >= 0 && (flags & O_CREAT) && !existed) record_change("create", path, 0);
  if (file >= 0 && (flags & O_TRUNC) && existed && counts(path)) record_line("truncate\t%s\t0\n", path);
  end();
  return file;
}

#define MODE_OF(flags, mode)                    \
  mode_t mode = 0;                              \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {      \
    va_list arguments;                          \
    va_start(arguments, flags);                 \
    mode = (mode_t)va_arg(arguments, unsigned); \
    va_end(arguments);                          \
  }

int open(const char *name, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, name, flags, mode);
}
int open64(const char *, int, ...) __attribute__((alias("open")));
int openat(int folder, const char *name, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(folder, name, flags, mode);
}
int openat64(int, const char *, int, ...) __attribute__((alias("openat")));
// The same for programs compiled with _FORTIFY_SOURCE.
int __open_2(const char *name, int flags) { return open_at(AT_FDCWD, name, flags, 0); }
int __open64_2(const char *, int) __attribute__((alias("__open_2")));
int __openat_2(int folder, const char *name, int flags) { return open_at(folder, name, flags, 0); }
int __openat64_2(int, const char *, int) __attribute__((alias("__openat_2")));

FILE *fopen(const char *name, const char *mode) {
  REAL(fopen);
  return decide_at("open", AT_FDCWD, name) == kFail ? NULL : real(name, mode);
}
FILE *fopen64(const char *, const char *) __attribute__((alias("fopen")));

int mkdirat(int folder, const char *name, mode_t mode) {
  REAL(mkdirat);
  char path[kPathBytes];
  if (decide("mkdir", path_at(folder, name, path)) == kFail) return -1;
  begin();
  const int result = real(folder, name, mode);
  record_change("mkdir", path, result);
  end();
  return result;
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int unlinkat(int folder, const char *name, int flags) {
  REAL(unlinkat);
  char path[kPathBytes];
  if (decide("unlink", path_at(folder, name, path)) == kFail) return -1;
  begin();
  const int result = real(folder, name, flags);
  record_change("unlink", path, result);
  end();
  return result;
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char *name) {
  struct stat status;
  if (look(AT_FDCWD, name, &status) != 0) return -1;
  return unlinkat(AT_FDCWD, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  REAL(linkat);
  char old_path[kPathBytes], path[kPathBytes];
  path_at(from_folder, from, old_path);
  if (decide("link", path_at(to_folder, to, path)) == kFail) return -1;
  begin();
  const int result = real(from_folder, from, to_folder, to, flags);
  if (record >= 0 && result == 0 && counts(path)) record_line("link\t%s\t%s\n", old_path, path);
  end();
  return result;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  REAL(renameat2);
  char old_path[kPathBytes], path[kPathBytes];
  path_at(from_folder, from, old_path);
  if (decide("rename", path_at(to_folder, to, path)) == kFail) return -1;
  begin();
  const int result = real(from_folder, from, to_folder, to, flags);
  if (record >= 0 && result == 0 && counts(path)) {
    record_line("%s\t%s\t%s\n", flags & RENAME_EXCHANGE ? "exchange" : "rename", old_path, path);
  }
  end();
  return result;
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  return renameat2(from_folder, from, to_folder, to, 0);
}
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
