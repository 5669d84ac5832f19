# PORTATUNE_SANITIZE builds the tests with a sanitizer of the compiler (`make test SANITIZE=thread`). The suppressions in
# tests/sanitizers name the libraries that are not built with it. OpenMP is one of them: its threads would look like
# data races, so each process has one.
set(PORTATUNE_SANITIZE "" CACHE STRING "Sanitizer of the tests: address or thread")
set(PORTATUNE_TEST_ENVIRONMENT "")
if(PORTATUNE_SANITIZE)
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer -fsanitize=${PORTATUNE_SANITIZE})
  add_link_options(-fsanitize=${PORTATUNE_SANITIZE})
  set(suppressions ${PROJECT_SOURCE_DIR}/tests/sanitizers)
  # Tests expect the end by SIGBUS, and std::bad_alloc for too large an array. A process that ends with the exit code of
  # another does not wait for its threads.
  set(options "handle_sigbus=0 allocator_may_return_null=1")
  set(PORTATUNE_TEST_ENVIRONMENT OMP_NUM_THREADS=1 "ASAN_OPTIONS=${options}"
    "TSAN_OPTIONS=${options} suppressions=${suppressions}/thread.txt second_deadlock_stack=1 report_thread_leaks=0"
    "LSAN_OPTIONS=suppressions=${suppressions}/leak.txt")
endif()
