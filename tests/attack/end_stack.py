"""Overflows the stack, of the interpreter and of C."""
# expect: status=error,out_of_memory
# needs-limit: memory
# expect-out: RecursionError|SIGSEGV|SIGABRT|out of memory|MemoryError
import sys

sys.setrecursionlimit(10**9)


def deeper(x):
    return [deeper(x), str([x])]


deeper(0)
