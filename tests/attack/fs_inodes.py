"""Makes files until something ends it: their inodes are the kernel's memory and count as ours."""
# expect: status=success,out_of_memory,timeout,error
# expect-out: ^began
# needs-limit: memory
# timeout: 20
# alone: yes
import os

os.mkdir("/dev/shm/d")
os.chdir("/dev/shm/d")
try:
    for number in range(20_000_000):
        os.close(os.open(str(number), os.O_CREAT | os.O_WRONLY))
        if number == 0:
            print("began", flush=True)
    print("WON", number)
except OSError as e:
    print("HELD", e, number)
