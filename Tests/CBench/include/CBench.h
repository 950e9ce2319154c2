#pragma once
/// How often memory was asked for since the process started.
unsigned long bench_allocations(void);
