"""Takes memory without end, in the interpreter itself."""
# expect: status=out_of_memory,error
# expect-out: memory|MemoryError
# needs-limit: memory
# hits-limit: memory
# timeout: 30
# alone: yes
print("before", flush=True)
hoard = []
while True:
    hoard.append(b"x" * (16 << 20))
