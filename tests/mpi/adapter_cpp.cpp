// The adapter in C++, where C's casts between enum and int would not compile if forgotten.
#include "adapter.h"

int main(int argc, char** argv) { return run_all(argc, argv); }
