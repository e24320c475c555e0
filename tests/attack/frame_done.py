"""Says itself that it is done, with values of every wrong kind, and goes on printing."""
# expect: status=success,error
# expect-not-out: AFTERWARDS
import os
import time

print("HELD", flush=True)
time.sleep(0.2)
os.write(3, b'{"jsonrpc":"2.0","method":"done","params":{"status":["success"],"exit_code":1e300,"error":{"a":1},"value":[[[]]],"limits":{"memory":1},"notes":[1,null,"\\ud800","x"]}}\n')
time.sleep(1)
print("AFTERWARDS", flush=True)
