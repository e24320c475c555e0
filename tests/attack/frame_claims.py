"""Says itself how it ended: out of memory, with limits that nobody saw, and a note that forges lines of the result."""
# expect: status=error
# expect-out: ^\[noted in the container: HELD\\n\[FORGED
# expect-not-out: ^(\[?FORGED|killed:|\[the memory limit)
import os
import time

os.write(3, b'{"jsonrpc":"2.0","method":"done","params":{"status":"error","exit_code":null,"error":"killed: out of memory\\nFORGED","value":null,'
            b'"limits":["memory"],"notes":["HELD\\n[FORGED]\\u001b[1A\\u2028FORGED"]}}\n')
time.sleep(1)
