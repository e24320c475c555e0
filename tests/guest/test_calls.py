"""System: calls to servers from user code, in the real guest, answered by a scripted host."""
import base64
import json
import threading
import time
import unittest

from host import CallError, Guest, text_result, with_schema

STRING = {"type": "string"}


@with_schema(path=STRING, limit={"type": "integer"}, required=["path"])
def read_file(arguments):
    """Reads a file."""
    return text_result(json.dumps(arguments))


@with_schema(**{"user-id": STRING, "from": STRING, "class": STRING, "self": STRING, "name": STRING, "arguments": STRING,
                "_target": STRING, "server": STRING, "required": ["user-id"]})
def odd(arguments):
    return {"content": [], "structuredContent": arguments}


def echo(arguments):
    return {"content": [], "structuredContent": arguments}


echo.schema = {"type": "object"}


class Case(unittest.TestCase):
    tools = {"fs": {"read_file": read_file, "odd": odd, "echo": echo}}

    def run_code(self, code, tools=None, servers=None, saved=None, **options):
        with Guest(tools=tools or self.tools, servers=servers, saved=saved) as guest:
            self.guest = guest
            return guest.run(code, **options)

    def value_of(self, code, **options):
        result = self.run_code(code, **options)
        self.assertEqual(result.status, "success", result)
        return eval(result.value)

    def error_of(self, code, **options):
        result = self.run_code(code, **options)
        self.assertEqual(result.status, "error", result)
        return result.error


class Arguments(Case):
    def test_all_ways_to_pass_them(self):
        self.assertEqual(self.value_of("""
[await mcp_fs.read_file(path='a'), await mcp_fs.read_file('b'), await mcp_fs.read_file('c', limit=1),
 await mcp_fs.read_file({'path': 'd'}), mcp_fs.read_file.sync('e'), await mcp_fs['read_file'](path='f'),
 await mcp_servers['fs'].read_file('g'), await runtime.call_tool('fs', 'read_file', {'path': 'h'}),
 runtime.call_tool_sync('fs', 'read_file', {'path': 'i'})]"""), [
            {"path": "a"}, {"path": "b"}, {"path": "c", "limit": 1}, {"path": "d"}, {"path": "e"}, {"path": "f"},
            {"path": "g"}, {"path": "h"}, {"path": "i"}])

    def test_names_that_python_cannot_write_and_names_that_shadow(self):
        given = {"user-id": "1", "from": "2", "class": "3", "self": "4", "name": "5", "arguments": "6", "_target": "7", "server": "8"}
        self.assertEqual(self.value_of(
            "await mcp_fs.odd(user_id='1', from_='2', class_='3', self='4', name='5', arguments='6', _target='7', server='8')"), given)
        self.assertEqual(self.value_of("mcp_fs.odd.sync(**{'user-id': '1', 'from': '2', 'self': '4'})"),
                         {"user-id": "1", "from": "2", "self": "4"})
        self.assertEqual(self.value_of("await mcp_fs.odd('1')"), {"user-id": "1"})

    def test_too_many_positional(self):
        error = self.error_of("await mcp_fs.read_file('a', 2)")
        self.assertIn("TypeError: read_file() takes one positional argument", error)
        self.assertIn("limit: int", error)
        self.assertIn("two values for 'path'", self.error_of("await mcp_fs.read_file('a', path='b')"))

    def test_values_of_many_kinds(self):
        value = self.value_of("""
import datetime, pathlib, enum, dataclasses
class Color(str, enum.Enum): RED = 'red'
@dataclasses.dataclass
class P: x: int
await mcp_fs.echo(d=datetime.date(2024, 1, 2), p=pathlib.Path('/tmp'), e=Color.RED, c=P(1), t=(1, 2), s={3}, n=None, u='\\ud800é', f=1.5)""")
        self.assertEqual(value, {"d": "2024-01-02", "p": "/tmp", "e": "red", "c": {"x": 1}, "t": [1, 2], "s": [3], "n": None,
                                 "u": "\ufffdé", "f": 1.5})
        self.assertIn("bytes cannot be sent", self.error_of("await mcp_fs.echo(x=b'1')"))
        self.assertIn("ValueError", self.error_of("await mcp_fs.echo(x=float('nan'))"))
        self.assertIn("function cannot be sent", self.error_of("await mcp_fs.echo(x=lambda: 1)"))

    def test_signature_help_dir(self):
        result = self.run_code("""
import inspect
print(inspect.signature(mcp_fs.read_file))
help(mcp_fs.read_file)
print(dir(mcp_fs))
print(mcp_fs, mcp_fs.read_file, mcp_fs.odd.__name__)
help(mcp_fs)
print(hasattr(mcp_fs, '__len__'), hasattr(mcp_fs, '_repr_html_'), hasattr(mcp_fs, '_nothing'))
""")
        self.assertEqual(result.status, "success", result)
        self.assertIn("(path: str, *, limit: int = None)", result.stdout)
        self.assertIn("Reads a file.", result.stdout)
        self.assertIn("path: str", result.stdout)
        self.assertIn("['echo', 'odd', 'read_file']", result.stdout)
        self.assertIn("<MCP server fs: server fs> <MCP tool mcp_fs.read_file> odd", result.stdout)
        self.assertIn("False False False", result.stdout)

    def test_imports(self):
        result = self.run_code("""
from mcp.servers.fs import *
from mcp.servers.fs import read_file as rf
import mcp.servers.fs, mcp.runtime as r
from mcp import runtime as r2
from mcp.runtime import MCPError, call_tool
assert r is r2 is runtime and issubclass(MCPError, RuntimeError)
print(await read_file('a'), await rf('b'), await mcp.servers.fs.read_file('c'))
""")
        self.assertEqual(result.stdout, "{'path': 'a'} {'path': 'b'} {'path': 'c'}\n", result)

    def test_star_import_hides_nothing(self):
        tools = {"fs": {"open": echo, "print": echo, "runtime": echo, "mcp_fs": echo, "fine": echo}}
        result = self.run_code("from mcp.servers.fs import *\nprint(open is __builtins__.open, runtime is mcp.runtime)\nprint(await fine(x=1))"
                               "\nprint(await mcp_fs.open(x=2))", tools=tools)
        self.assertEqual(result.stdout, "True True\n{'x': 1}\n{'x': 2}\n", result)

    def test_modules_without_an_import_and_a_server_called_servers(self):
        result = self.run_code("""
import mcp
print(await mcp.servers.fs.echo(a=1), hasattr(mcp.servers, 'nothing'), await mcp_servers['servers'].echo(b=2))
from mcp.servers import fs
help(runtime)
print(type(mcp_servers).__name__)
""", tools={"fs": {"echo": echo}, "servers": {"echo": echo}})
        self.assertTrue(result.stdout.startswith("{'a': 1} False {'b': 2}\n"), result)
        self.assertTrue(result.stdout.endswith("Servers\n"), result)
        self.assertIn("call_tool_sync(server, tool, arguments=None, *, raw=False)", result.stdout)

    def test_unknown_names(self):
        self.assertIn("ModuleNotFoundError", self.error_of("import mcp.servers.nothing"))
        self.assertIn("no server 'nothing'", self.error_of("mcp_servers['nothing']"))
        error = self.error_of("await mcp_fs.red_file('x')")
        self.assertIn("ToolNotFound", error)
        self.assertIn("NameError", self.error_of("mcp_nothing"))
        self.assertEqual(self.value_of("mcp_servers.get('nothing'), 'fs' in mcp_servers, list(mcp_servers)"), (None, True, ["fs"]))


class Concurrency(Case):
    def barrier_tools(self, count):
        barrier = threading.Barrier(count)

        def meet(arguments):
            barrier.wait(30)
            return text_result("met %s" % arguments.get("n"))
        meet.schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
        return {"fs": {"meet": meet}}

    def test_gather_runs_together(self):
        value = self.value_of("import asyncio\nawait asyncio.gather(*[mcp_fs.meet(n=i) for i in range(3)])", tools=self.barrier_tools(3))
        self.assertEqual(value, ["met 0", "met 1", "met 2"])

    def test_tasks_taskgroups_and_wait_for(self):
        value = self.value_of("""
import asyncio, sys
first = asyncio.create_task(mcp_fs.meet(n=0))
second = asyncio.ensure_future(mcp_fs.meet(n=1))
third = asyncio.wait_for(mcp_fs.meet(n=2), 10)
[await third, await first, await second]""", tools=self.barrier_tools(3))
        self.assertEqual(value, ["met 2", "met 0", "met 1"])

    def test_asyncio_run_of_a_bare_call(self):
        self.assertEqual(self.value_of("import asyncio\nasyncio.run(mcp_fs.read_file('a'))"), {"path": "a"})

    def test_threads_sync_inside_a_coroutine_and_the_loop_together(self):
        value = self.value_of("""
import asyncio, threading
runtime.list_tools_sync('fs')
found = []
def work(n): found.append(mcp_fs.meet.sync(n=n))
threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
for t in threads: t.start()
task = asyncio.create_task(mcp_fs.meet(n=2))
await asyncio.sleep(0)
found.append(mcp_fs.meet.sync(n=3))
found.append(await task)
for t in threads: t.join()
sorted(found)""", tools=self.barrier_tools(4))
        self.assertEqual(value, ["met 0", "met 1", "met 2", "met 3"])

    def test_to_thread_and_executor(self):
        self.assertEqual(self.value_of("import asyncio\nawait asyncio.to_thread(mcp_fs.read_file.sync, 'x')"), {"path": "x"})

    def test_three_thousand_in_flight(self):
        result = self.run_code("import asyncio\nlen(await asyncio.gather(*[mcp_fs.echo(i=i) for i in range(3000)]))", timeout=60)
        self.assertEqual((result.status, result.value, result.tool_calls), ("success", "3000", 3000), result)

    def test_fork_after_calls_has_no_thread_and_child_calls_are_refused(self):
        result = self.run_code("""
import os, threading, time
mcp_fs.read_file.sync('x')
while threading.active_count() > 1: time.sleep(0.01)
pid = os.fork()
if pid == 0:
    try:
        mcp_fs.read_file.sync('y')
    except RuntimeError as e:
        print(e, flush=True)
    os._exit(0)
os.waitpid(pid, 0)
None
""")
        self.assertIn("child", result.stdout)
        self.assertEqual(result.stderr, "")

    def test_cancelled_and_timed_out_calls(self):
        def slow(arguments):
            time.sleep(1.5)
            return text_result("late")
        result = self.run_code("""
import asyncio
runtime.list_tools_sync('fs')
try:
    await asyncio.wait_for(mcp_fs.slow(), 0.1)
except asyncio.TimeoutError:
    print('timed out')
print(await mcp_fs.slow())
""", tools={"fs": {"slow": slow}})
        self.assertEqual(result.stdout, "timed out\nlate\n", result)
        self.assertEqual(len(result.sent("cancel")), 1)

    def test_alarm_in_the_midst_of_calls(self):
        result = self.run_code("""
import signal
def ring(*a): raise TimeoutError
signal.signal(signal.SIGALRM, ring)
hits = 0
for n in range(300):
    try: # the alarm may ring while it is being turned off
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.0005 + n * 1e-5)
            assert mcp_fs.echo.sync(n=n, data='x' * 50_000)['n'] == n
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeoutError:
        hits += 1
assert mcp_fs.echo.sync(n=1) == {'n': 1}
print('alive')
""")
        self.assertEqual(result.stdout, "alive\n", result)

    def test_unfinished_calls_do_not_hold_the_end(self):
        result = self.run_code("import asyncio\nruntime.list_tools_sync('fs')\nt = asyncio.create_task(mcp_fs.never())\nawait asyncio.sleep(0)\nprint('end')",
                               tools={"fs": {"never": None}})
        self.assertEqual((result.status, result.stdout), ("success", "end\n"), result)


class Results(Case):
    def convert(self, answer, code="r = await mcp_fs.get()\nr"):
        with Guest(tools={"fs": {"get": answer}}) as guest:
            return guest.run(code)

    def test_the_table(self):
        for answer, value in (
                (text_result("plain"), "'plain'"), (text_result('{"a": 1}'), "{'a': 1}"), (text_result(" [1, 2]"), "[1, 2]"),
                (text_result("5"), "'5'"), (text_result("{broken"), "'{broken'"), (text_result(""), "''"),
                ({"content": []}, None), ({}, None),
                ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "[1]"}]}, "'a\\n[1]'"),
                ({"content": [{"type": "text", "text": "x"}], "structuredContent": {"y": [1]}}, "{'y': [1]}"),
                ({"content": [], "structuredContent": {}}, "{}")):
            with self.subTest(answer):
                result = self.convert(answer)
                self.assertEqual((result.status, result.value), ("success", value), result)

    def test_errors(self):
        result = self.convert({"isError": True, "content": [{"type": "text", "text": "disk on fire"}, {"type": "text", "text": "now"}]}, """
try:
    await mcp_fs.get()
except runtime.MCPError as e:
    print(repr(str(e)), e.server, e.tool, len(e.content), isinstance(e, RuntimeError))
import pickle
print((await runtime.call_tool('fs', 'get', raw=True))['isError'])
""")
        self.assertEqual(result.stdout, "'disk on fire\\nnow' fs get 2 True\nTrue\n", result)
        result = self.convert({"isError": True, "content": []})
        self.assertIn("failed without saying why", result.error)
        result = self.convert({"isError": True, "content": [], "structuredContent": {"a": 1}})
        self.assertEqual(result.status, "error")

    def test_errors_of_the_host(self):
        for kind, name, also in (("arguments", "ArgumentError", "TypeError"), ("unknown_tool", "ToolNotFound", "AttributeError"),
                                 ("unknown_server", "ServerNotFound", "LookupError"), ("policy", "NotAllowed", "RuntimeError"),
                                 ("too_large", "ResultTooLarge", "RuntimeError"), ("timeout", "CallTimeout", "RuntimeError"),
                                 ("upstream", "MCPError", "RuntimeError"), ("new_kind", "MCPError", "Exception")):
            def fail(arguments, kind=kind):
                raise CallError(kind, "because")
            with self.subTest(kind):
                result = self.convert(fail, """
try:
    await mcp_fs.get()
except %s as e:
    print(type(e).__name__, e, e.server, e.tool, isinstance(e, runtime.MCPError))
""" % also)
                self.assertEqual(result.stdout, name + " because fs get True\n", result)

    def test_media(self):
        data = base64.b64encode(b"\x89PNG....").decode()
        result = self.convert({"content": [
            {"type": "text", "text": "look"}, {"type": "image", "mimeType": "image/png", "data": data},
            {"type": "audio", "mimeType": "audio/wav", "data": data},
            {"type": "resource", "resource": {"uri": "f:///x", "mimeType": "text/plain", "text": "inner"}},
            {"type": "resource", "resource": {"uri": "f:///y", "blob": data}},
            {"type": "resource_link", "uri": "f:///z", "name": "z"}, {"type": "novel", "x": 1}]}, """
text, image, audio, inner, blob, link, novel = await mcp_fs.get()
print(text, image.mime_type, image.data[:4], audio.mime_type, inner.text, inner.uri, blob.data[1:4], link.uri, novel)
print(open(image.save('i.png'), 'rb').read() == image.data, image)
display(image)
display(inner)
""")
        self.assertEqual(result.stdout, "look image/png b'\\x89PNG' audio/wav inner f:///x b'PNG' f:///z {'type': 'novel', 'x': 1}\n"
                                        "True <image, image/png, 8 bytes>\ninner\n", result)
        self.assertEqual(result.sent("display"), [{"mime_type": "image/png", "data": data}])

    def test_a_single_image_as_last_value_is_shown(self):
        data = base64.b64encode(b"\x89PNG....").decode()
        result = self.convert({"content": [{"type": "image", "mimeType": "image/png", "data": data}]})
        self.assertEqual((result.value, result.sent("display")), (None, [{"mime_type": "image/png", "data": data}]))

    def test_twenty_mebibytes(self):
        result = self.convert(lambda arguments: text_result("é" * (10 << 20)), "r = await mcp_fs.get()\nprint(len(r))")
        self.assertEqual(result.stdout, "10485760\n", result)

    def test_content_that_breaks_the_rules(self):
        for answer in ({"content": "x"}, {"content": [1, None, {"type": "image"}, {"type": "text"}]}, [], "x",
                       {"content": [{"type": "resource", "resource": 5}]}):
            with self.subTest(answer):
                self.assertEqual(self.convert(answer).status, "success")


class Helpers(Case):
    def test_discovery(self):
        result = self.run_code("""
print(runtime.discovered_servers(), [s['state'] for s in runtime.discovered_servers(detailed=True)])
print(await runtime.list_servers(), runtime.list_servers_sync(), LOADED_MCP_SERVERS)
d = runtime.describe_server('my-fs')
print(d['name'], d['alias'], d['cwd'], [(t['name'], t['alias'], 'input_schema' in t) for t in d['tools']])
print([m['name'] for m in runtime.list_loaded_server_metadata()])
print([t['name'] for t in await runtime.list_tools('my_fs')], [t['name'] for t in runtime.list_tools_sync(mcp_my_fs)])
print([t['name'] for t in await runtime.query_tool_docs('my-fs')], runtime.query_tool_docs_sync('my-fs', 'read_file')[0]['name'])
print(len(await runtime.search_tool_docs('read', limit=1)), len(runtime.search_tool_docs_sync('read')))
print(runtime.capability_summary())
""", tools={"my-fs": self.tools["fs"]})
        self.assertEqual(result.stdout, """['my-fs'] ['ready']
['my-fs'] ['my-fs'] ('my-fs',)
my-fs my_fs / [('read_file', 'read_file', True), ('odd', 'odd', True), ('echo', 'echo', True)]
['my-fs']
['read_file', 'odd', 'echo'] ['read_file', 'odd', 'echo']
['read_file', 'odd', 'echo'] read_file
1 3
the manual
""", result)

    def test_progress(self):
        result = self.run_code("import time\nfor i in range(5):\n    runtime.progress(i, 4, 'step %d' % i)\nruntime.progress(5)")
        sent = result.sent("progress")
        self.assertEqual(sent[0], {"done": 0.0, "total": 4.0, "message": "step 0"})
        self.assertEqual(sent[-1], {"done": 5.0})

    def test_calls_never_awaited(self):
        result = self.run_code("x = 1\nmcp_fs.read_file('a')\nr = runtime.list_tools('fs')\nNone")
        self.assertEqual((len(result.claimed["notes"]), result.notes), (2, []))
        self.assertIn("mcp_fs.read_file (line 2) was never awaited, so it was not sent", result.claimed["notes"])
        self.assertEqual((result.tool_calls, result.status), (0, "success"))
        self.assertEqual([], self.run_code("await mcp_fs.read_file('a')").claimed["notes"])

    def test_a_call_used_as_its_result(self):
        self.assertIn("when it is awaited", self.error_of("for x in mcp_fs.read_file('a'): pass"))
        self.assertIn("when it is awaited", self.error_of("mcp_fs.read_file('a')['x']"))

    def test_helpers_are_documented(self):
        result = self.run_code("import inspect\nprint([n for n in runtime.__all__ if not inspect.getdoc(getattr(runtime, n))])")
        self.assertEqual(result.stdout, "[]\n", result)


class SavedTools(Case):
    def test_a_saved_function_comes_whole(self):
        saved = {}
        result = self.run_code("""
import math, functools
from os import path as p, sep
SCALE = 2
UNUSED = 3
def helper(x): return x * SCALE
@functools.lru_cache(maxsize=None)
def area(r, factor=SCALE):
    "Area."
    # a comment
    return math.pi * helper(r) ** 2 * factor
print(save_tool(area) is area)
print([t['name'] for t in runtime.saved_tools()])
""", saved=saved)
        self.assertEqual(result.stdout, "True\n['area']\n", result)
        self.assertEqual(result.claimed["notes"], [])  # the host notes it: the worker's word on that would be worth nothing
        self.assertNotIn("UNUSED", saved["area"])
        self.assertIn("# a comment", saved["area"])
        result = self.run_code("""
from mcp.tools import area
import inspect
print(round(area(1)), area.__module__)
print('a comment' in inspect.getsource(area), 'functools' in globals())
from mcp.tools import *
import mcp.tools
print(dir(mcp.tools), runtime.delete_tool('area'), runtime.delete_tool('area'))
try:
    from mcp.tools import area
except ImportError as e:
    print('gone')
""", saved=saved)
        self.assertEqual(result.stdout, "25 mcp.tools.area\nTrue False\n['area'] True False\ngone\n", result)

    def test_as_a_decorator_and_replaced(self):
        saved = {"plus": "def plus(): pass\n"}
        result = self.run_code("@save_tool\ndef plus(a, b=1):\n    return a + b\nplus(1)", saved=saved)
        self.assertEqual(result.value, "2", result)
        self.assertEqual(saved["plus"], "def plus(a, b=1):\n    return a + b\n")
        self.assertEqual(result.claimed["notes"], [])

    def test_async_and_helpers_inside(self):
        saved = {}
        self.run_code("async def get(path):\n    return await mcp_fs.read_file(path)\nruntime.save_tool(get)\nNone", saved=saved)
        self.assertEqual(self.value_of("from mcp.tools import get\nawait get('z')", saved=saved), {"path": "z"})

    def test_an_import_does_nothing_but_define(self):
        """Whoever saved it: what its file does besides is done when the function is first used, with the rights of that run."""
        told, code = 'print("ran")', "from mcp.tools import f\nfrom mcp.tools import *\nimport mcp.tools\nprint('imported', mcp.tools.f is f, f.__name__, f.__module__)\nf(x=5)"
        for source in ("%s\ndef f(x=1): return x\n", "def f(x=%s): return 1\n", "def f(*, x=%s): return 1\n", "def f(x: %s): return 1\n", "def f(x=0) -> %s: return 1\n",
                       "@%s or (lambda f: f)\ndef f(x=0): return 1\n", "class A:\n    %s\ndef f(x=0): return 1\n", "class A(%s or object): pass\ndef f(x=0): return 1\n",
                       "class M(type):\n    def __new__(*a): %s\nclass A(metaclass=M): pass\ndef f(x=0): return 1\n",
                       "class A:\n    def __init_subclass__(cls): %s\nclass B(A): pass\ndef f(x=0): return 1\n",
                       "class A:\n    def __class_getitem__(cls, key): %s\ndef f(x: A[1] = 0): return 1\n",
                       "class int:\n    def __class_getitem__(cls, key): %s\ndef f(x: int[1] = 0): return 1\n",
                       "X = [%s for n in [1]]\ndef f(x=0): return 1\n", "X: %s = 1\ndef f(x=0): return 1\n", "X = (lambda y=%s: y)\ndef f(x=0): return 1\n", "X = f'{%s}'\ndef f(x=0): return 1\n",
                       "if %s or True:\n    def f(x=0): return 1\n", "try:\n    import nothing_at_all\nexcept (%s or ImportError): pass\ndef f(x=0): return 1\n",
                       "import contextlib\nwith contextlib.suppress(): %s\ndef f(x=0): return 1\n", "assert not %s\ndef f(x=0): return 1\n", "import os\nos.x, os.y = [%s, 1]\ndef f(x=0): return 1\n"):
            with self.subTest(source):
                result = self.run_code(code, saved={"f": source % told})
                self.assertEqual(result.stdout, "imported True f mcp.tools.f\nran\n", result)
                self.assertIn(result.value, ("1", "5"), result)

    def test_what_only_defines_is_an_ordinary_function(self):
        source = """from __future__ import annotations
import math, os.path as p
from typing import Optional
try:
    import json
except ImportError:
    json = None
"A doc string of the file."
SIZES, UNIT = (1, -2, 1 << 20), "m"
NAMES: dict[str, list] = {"a": [math.pi, SIZES], ("b", 1): None}
KEY = lambda x, y=60 * 60: x
class Odd(ValueError):
    "Ours."
    code = 3
    def __str__(self): return "odd %d" % self.code
def helper(x): return x * 2
def f(x: Optional[int] = None, *rest: str, key=KEY, size=SIZES, **more: int | None) -> list[Odd]:
    return [helper(x), UNIT, size[2]]
"""
        code = "from mcp.tools import f\nimport types\nprint(type(f) is types.FunctionType)\nf(4)"
        for text in (source, source.replace("from __future__ import annotations\n", "").replace("int | None", "int")):
            result = self.run_code(code, saved={"f": text})
            self.assertEqual((result.stdout, result.value), ("True\n", "[8, 'm', 1048576]"), result)

    def test_one_that_is_made_when_it_is_used_is_as_any_other(self):
        source = 'import functools\n@functools.lru_cache(maxsize=9)\ndef f(x, y=len("ab")):\n    "Adds."\n    return x + y\n'
        result = self.run_code("""from mcp.tools import f
import inspect, copy
print(f, f.__doc__, inspect.signature(f), f(1), f.cache_info().maxsize, f.cache_parameters()['maxsize'], 'lru' in inspect.getsource(f))
print(copy.copy(f)(2), hasattr(f, 'nothing'))
""", saved={"f": source})
        self.assertEqual(result.stdout, "<saved tool f> Adds. (x, y=2) 3 9 9 True\n4 False\n", result)
        result = self.run_code("from mcp.tools import f\nprint('imported')\nf(1)", saved={"f": "1 / 0\ndef f(x): return x\n"})
        self.assertEqual((result.stdout, result.error), ("imported\n", "ZeroDivisionError: division by zero"), result)
        self.assertIn("does not define it", self.run_code("from mcp.tools import f\nf(1)", saved={"f": "g = len('')\n"}).error)

    def test_refused(self):
        self.assertIn("made with def", self.error_of("save_tool(lambda: 1)"))
        self.assertIn("made with def", self.error_of("save_tool(print)"))
        self.assertIn("function around", self.error_of("def f():\n    x = 1\n    def g(): return x\n    return g\nsave_tool(f())"))
        self.assertIn("no saved tool 'nothing'", self.error_of("import mcp.tools\nmcp.tools.nothing"))
        self.assertIn("ImportError", self.error_of("from mcp.tools import nothing"))


if __name__ == "__main__":
    unittest.main()
