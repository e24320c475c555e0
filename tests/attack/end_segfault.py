"""Crashes the interpreter."""
# expect: status=error
# expect-out: (?s)SIGSEGV.*last words
import ctypes

print("last words", flush=True)
ctypes.string_at(0)
