"""Has thousands of calls in flight at once, from threads and by hand; all that are legal are answered."""
# expect: status=success
# timeout: 60
# alone: yes
import asyncio
import os


async def main():
    results = await asyncio.gather(*[runtime.search_tool_docs("nothing") for _ in range(5000)], return_exceptions=True)
    failures = {type(r).__name__ for r in results if isinstance(r, BaseException)}
    print("HELD" if len(results) == 5000 else "WON", failures)

asyncio.run(main())
