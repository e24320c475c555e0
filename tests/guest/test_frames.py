"""System: no line of ours, wherever Python shows a stack."""
import re
import unittest

import units  # noqa: F401
from _cordon.faults import FaultLines
from host import Guest, text_result

WAYS = {
    "print_stack": "import traceback\ndef f(): traceback.print_stack()\nf()",
    "format_stack": "import traceback\nprint(''.join(traceback.format_stack()))",
    "extract_stack": "import traceback\nprint([entry.filename for entry in traceback.extract_stack()])",
    "walk_stack": "import traceback\nprint(traceback.StackSummary.extract(traceback.walk_stack(None)))",
    "stack_info": "import logging\nlogging.warning('here', stack_info=True)",
    "inspect.stack": "import inspect\ndef f(): return [(info.filename, info.function) for info in inspect.stack()]\nprint(f())",
    "getouterframes": "import inspect\nprint(inspect.getouterframes(inspect.currentframe()))",
    "faulthandler": "import faulthandler\ndef f(): faulthandler.dump_traceback()\nf()",
    "faulthandler later": "import faulthandler, time\nfaulthandler.dump_traceback_later(0.05)\ntime.sleep(0.3)",
    "faulthandler, a crash": "import faulthandler\nfaulthandler.enable()\nfaulthandler._sigsegv()",
    "a task that nobody asks": "import asyncio\nasync def f(): await mcp_files.fail()\nt = asyncio.create_task(f())\nawait asyncio.sleep(0.3)\ndel t\nimport gc; gc.collect()",
    "print_exc": "import traceback\ntry: runtime.call_tool_sync('files', 'fail')\nexcept Exception: traceback.print_exc()",
    "logging.exception": "import logging\ntry: runtime.call_tool_sync('files', 'fail')\nexcept Exception: logging.exception('no')",
    "a thread": "import threading\ndef f(): runtime.call_tool_sync('files', 'fail')\nt = threading.Thread(target=f)\nt.start(); t.join()",
    "an object's end": "class A:\n    def __del__(self): runtime.call_tool_sync('files', 'fail')\na = A()\ndel a",
    "atexit": "import atexit, traceback\n@atexit.register\ndef f(): traceback.print_stack()",
    "asyncio in debug": "import asyncio\nasync def f(): 1/0\nasync def main():\n    t = asyncio.create_task(f())\n    await asyncio.sleep(0)\nasyncio.run(main(), debug=True)",
    "a task": "import asyncio\nasync def f(): await asyncio.sleep(1)\nt = asyncio.create_task(f())\nawait asyncio.sleep(0)\nt.print_stack()",
    "in a coroutine": "import traceback, inspect\nasync def f():\n    traceback.print_stack()\n    print(inspect.stack())\nawait f()",
    "in a task": "import asyncio, traceback, faulthandler\nasync def f():\n    traceback.print_stack()\n    faulthandler.dump_traceback()\nawait asyncio.create_task(f())",
}


class NoLineOfOurs(unittest.TestCase):
    def test_each_way(self):
        def fail(arguments):
            return dict(text_result("it failed"), isError=True)
        for name, code in WAYS.items():
            with self.subTest(name), Guest(tools={"files": {"fail": fail}}) as guest:
                result = guest.run(code)
                text = result.stdout + result.stderr
                self.assertNotIn("cordon", text.replace("/workspace/.run_python", ""), text)
                self.assertNotIn('"<string>"', text)
                self.assertIn("main.py", text)
                self.assertEqual(result.status, "killed" if "crash" in name else "success", result)
                if "faulthandler" in name or "stack" in name:
                    self.assertRegex(text, "in <module>|'<module>'|main.py'|print_stack")

    def test_it_is_whole_and_nothing_more(self):
        with Guest() as guest:
            result = guest.run(WAYS["print_stack"])
            self.assertEqual(re.sub(r"/\S+/", "", result.stderr).splitlines(),
                             ['  File "main.py", line 3, in <module>', "    f()", '  File "main.py", line 2, in f', "    def f(): traceback.print_stack()"])
        with Guest() as guest:
            lines = re.sub(r"/\S+/", "", guest.run(WAYS["faulthandler"]).stderr).splitlines()
            self.assertEqual(lines[1:3], ['  File "main.py", line 2 in f', '  File "main.py", line 3 in <module>'])


class FaultLinesOnly(unittest.TestCase):
    TEXT = (b'Fatal Python error: Segmentation fault\n\nCurrent thread 0x01 (most recent call first):\n  File "m.py", line 2 in f\n'
            b'  File "<cordon _cordon.calls>", line 9 in g\n  File "m.py", line 3 in <module>\n  File "<cordon _cordon.program>", line 5 in run\n'
            b'  File "<string>", line 1 in <module>\n\nExtension modules: x\n  File "m.py", line 3, in f\n  File "unfinished')
    KEPT = (b'Fatal Python error: Segmentation fault\n\nCurrent thread 0x01 (most recent call first):\n  File "m.py", line 2 in f\n'
            b'  File "m.py", line 3 in <module>\n\nExtension modules: x\n  File "m.py", line 3, in f\n  File "unfinished')

    def test_every_split(self):
        for first in range(len(self.TEXT) + 1):
            for second in (first, min(first + 7, len(self.TEXT)), len(self.TEXT)):
                lines = FaultLines()
                out = [lines.feed(part) for part in (self.TEXT[:first], self.TEXT[first:second], self.TEXT[second:])]
                self.assertEqual(b"".join(out) + lines.finish(), self.KEPT, (first, second))
        lines = FaultLines()
        self.assertEqual(b"".join(lines.feed(bytes([byte])) for byte in self.TEXT) + lines.finish(), self.KEPT)

    def test_everything_else_passes_at_once(self):
        for text in (b"", b"a", b" x", b'  File "' + b"y" * 2000, b'x  File "<cordon _cordon.program>", line 5 in run\n'):
            self.assertEqual(FaultLines().feed(b"z" + text), b"z" + text)


if __name__ == "__main__":
    unittest.main()
