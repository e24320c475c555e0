#include "src/bridge/manual.h"

#include "src/base/shown.h"

namespace bridge {

const std::string& manual() {
    static const std::string text = R"manual(# run_python: the manual

Your code runs in a fresh, sealed container: CPython, no network, no host files. 30 s unless you ask for more (`timeout`). Top-level `await`, `asyncio.run`, threads and
`subprocess` work. What you print is the output; the value of a last expression is shown too. Nothing survives the call unless you name a `session`.

## Find tools, then call them

```python
from mcp import runtime
print(runtime.discovered_servers())                       # names of the configured servers
for doc in await runtime.search_tool_docs("read a file", limit=3):
    print(doc["server_alias"], doc["alias"], doc["signature"])
```

```python
print(await runtime.list_tools("filesystem"))             # all tools of one server
print(await runtime.query_tool_docs("filesystem", "read_text_file", detail="full"))
```

```python
text = await mcp_filesystem.read_text_file(path="/data/a.txt")   # mcp_<alias>.<tool>(…)
same = mcp_servers["filesystem"].read_text_file.sync(path="/data/a.txt")   # without await, also from threads
also = await runtime.call_tool("filesystem", "read_text_file", {"path": "/data/a.txt"})
```

Several calls at once: `a, b = await asyncio.gather(mcp_x.one(), mcp_y.two())`. One positional argument goes to the tool's only or first required parameter.
`None` for an optional parameter is not sent where null is not allowed; `timeout=5` limits the call where the tool has no such parameter.

## What a call returns

Structured content as a Python value; JSON text parsed; other text as `str`; images and files as objects with `.mime_type`, `.data`, `.save(path)`; several
kinds as a list; nothing as `None`. Objects are dicts that answer attributes too: `issue.id` is `issue["id"]` (but `issue["items"]`: dict's own names stay
its methods). A tool that fails raises `runtime.MCPError` with `.server`, `.tool`, `.content`, `.structured`:

```python
try:
    await mcp_filesystem.read_text_file(path="/no/such/file")
except runtime.MCPError as error:
    print(error)
```

A call that the user's policy refuses raises `runtime.NotAllowed` (an `MCPError`): its message names the rule, and what the
user can write to allow it. Tell the user; do not look for another way.

`runtime.call_tool(…, raw=True)` gives the whole result as a dict.

## Show, keep, report

```python
display("any text, a dict, a DataFrame, a PIL image or a matplotlib figure")   # becomes part of the result; open figures are shown by themselves
```

```python
import os
os.makedirs("/workspace/artifacts", exist_ok=True)
open("/workspace/artifacts/report.csv", "w").write("a,b\n1,2\n")   # offered to the client as a file
```

```python
def plus(a, b):
    return a + b
save_tool(plus)                                           # kept for later runs: from mcp.tools import plus
print([tool["name"] for tool in runtime.saved_tools()])
```

```python
for step in range(3):
    runtime.progress(step + 1, 3, "working")
```

Writable: `/workspace` (128 MiB), `/tmp` (64 MiB). Output beyond 30,000 characters a stream loses its middle: print less, or write a file.
)manual";
    return text;
}

std::string describe_image(const std::string& contents) {
    if (contents.empty()) return "";
    return "\n## This image\n\n" + base::Shown::line(contents, 500).text() + '\n';
}

} // namespace bridge
