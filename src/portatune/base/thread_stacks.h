// What all threads of the process are doing.
#pragma once

namespace portatune {

/// Writes the stack of every thread, one after the other: its number, its name, and a line for each function. Each is
/// asked by a signal; one that does not answer within a second, as it is deep in the kernel, is named alone. To be
/// called where the process is about to end: calls of the system that are under way may be interrupted.
/// descriptor  an open file
void write_thread_stacks(int descriptor);

}  // namespace portatune
