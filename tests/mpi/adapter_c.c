/* The adapter in C99. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "adapter.h"

int main(int argc, char** argv) { return run_all(argc, argv); }
