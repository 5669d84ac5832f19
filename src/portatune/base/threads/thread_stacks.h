// The stacks of all threads of the process.
#pragma once

namespace portatune {

/// Writes the number, the name and the stack of every thread in turn, one line per function. A signal asks each thread
/// for its stack. A thread that does not answer within a second, because it is deep in the kernel, is only named. Call
/// it only when the process is about to end: it may interrupt system calls.
/// descriptor  an open file
void write_thread_stacks(int descriptor);

}  // namespace portatune
