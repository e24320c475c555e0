"""What people expect of Python in a container: localhost, process pools in a session, bars, stacks, code as a chat has it."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cordon_case import Case  # noqa: E402

LOCALHOST = """
import asyncio, http.server, socket, threading, urllib.request
print(socket.gethostbyname("localhost"), socket.gethostbyname(socket.gethostname()), socket.getaddrinfo("localhost", 0)[0][4][0])
async def main():
    async def serve(reader, writer):
        writer.write(await reader.readline())
        writer.close()
    server = await asyncio.start_server(serve, "localhost", 0)
    reader, writer = await asyncio.open_connection("localhost", server.sockets[0].getsockname()[1])
    writer.write(b"hello\\n")
    print(await reader.read())
    writer.close()
    server.close()
asyncio.run(main())
server = http.server.HTTPServer(("localhost", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen("http://localhost:%d/" % server.server_port).status)
try: socket.gethostbyname("example.org")
except socket.gaierror: print("no network")
"""


class Expected(Case):
    def test_localhost(self):
        text = self.check(LOCALHOST)
        for words in ("127.0.0.1 127.0.0.1 127.0.0.1", "b'hello\\n'", "200", "no network"):
            self.assertIn(words, text)

    def test_a_pool_with_a_function_of_an_earlier_call(self):
        self.check("def double(x): return 2 * x", session="pools")
        for method in ("fork", "spawn", "forkserver"):
            self.assertIn("[2, 4]", self.check("import multiprocessing\nwith multiprocessing.get_context(%r).Pool(2) as pool: print(pool.map(double, [1, 2]))" % method,
                                               session="pools", timeout=60))

    def test_a_bar_of_a_thousand_redraws(self):
        text = self.check("for n in range(1000): print('\\r%d of 1000' % (n + 1), end='')\nprint()")
        self.assertIn("1000 of 1000", text)
        self.assertLess(len(text), 200)

    def test_no_line_of_ours(self):
        text = self.check("import traceback, inspect, faulthandler, logging\ndef f():\n    traceback.print_stack()\n    faulthandler.dump_traceback()\n"
                          "    logging.warning('w', stack_info=True)\n    print([info.filename for info in inspect.stack()])\nf()")
        self.assertNotIn("<cordon", text)
        self.assertNotIn('"<string>"', text)
        self.assertIn("in <module>", text)

    def test_code_as_a_chat_has_it(self):
        self.assertIn("6", self.check("```python\nprint(6)\n```"))
        self.fails("!pip install requests", "cannot be installed")
        self.fails(">>> print(1)\n1", "transcript")
        self.fails("%matplotlib inline\nprint(1)", "shown by themselves")


if __name__ == "__main__":
    unittest.main()
