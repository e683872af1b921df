// fmi/streams.c: what archives that were compiled for programs take from the C library and the environment directly
// (cmake/archives.cmake: --wrap).
#include <stdio.h>

extern FILE *__real_stdin, *__real_stdout, *__real_stderr;
extern FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;
FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;

__attribute__((constructor(101))) static void open_streams(void) {
    __wrap_stdin = __real_stdin, __wrap_stdout = __real_stdout, __wrap_stderr = __real_stderr;
}

// OpenBLAS asks how many threads to start when it is loaded
int __wrap_openblas_num_threads_env(void);
int __wrap_openblas_num_threads_env(void) { return 1; }
