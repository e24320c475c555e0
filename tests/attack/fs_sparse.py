"""Leaves a sparse file of a tebibyte among the artifacts: nobody may read it whole, or wait for it."""
# expect: status=success
# expect-out: artifacts/big
# within: 15
import os

os.makedirs("artifacts", exist_ok=True)
with open("artifacts/big", "wb") as file:
    file.truncate(1 << 40)
with open("artifacts/holes", "wb") as file:
    for n in range(1000):
        file.seek(n << 20)
        file.write(b"x")
print("HELD")
