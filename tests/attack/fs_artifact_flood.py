"""Leaves a hundred thousand artifacts, names that are no text, and folders a thousand deep."""
# expect: status=success,out_of_memory,timeout
# expect-out: ^began
# timeout: 30
# within: 60
import os

os.makedirs("artifacts", exist_ok=True)
os.chdir("artifacts")
for name in (b"\xff\xfe", b"a\nb", b"\x1b[31m", b"..  ", b"x" * 255):
    open(name, "w").write("x")
print("began", flush=True)
for n in range(100_000):
    os.close(os.open("f%d" % n, os.O_CREAT | os.O_WRONLY))
for n in range(1000):
    os.mkdir("d")
    os.chdir("d")
print("HELD")
