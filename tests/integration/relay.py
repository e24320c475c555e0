"""A slow way to an address, and a hand on it: what one puts between two hosts where the kernel has no netem.

    relay.py ADDRESS PORT TO_PORT DELAY_MS

Carries the bytes of all connections to ADDRESS:PORT on to 127.0.0.1:TO_PORT, each piece DELAY_MS later, and every fiftieth ten times that,
as one that was lost and sent again. It sees bytes, whatever is in them. A line of stdin is a command, answered with a line of JSON: `open`
(as at the start), `known` (new connections are made and carry nothing), `cut` (all are reset, new ones too), `events` (what was carried
since the last time: pairs of a connection's number and "up" or "down")."""
import asyncio
import json
import socket
import struct
import subprocess
import sys


class Relay:
    def __init__(self, to_port, delay):
        self.to_port, self.delay = to_port, delay
        self.mode, self.events, self.connections, self.pieces, self.ends = "open", [], 0, 0, set()
        self.opened = asyncio.Event()

    async def listen(self, listening):
        self.loop, tasks = asyncio.get_running_loop(), set()
        while True:
            near = (await self.loop.sock_accept(listening))[0]
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.mode == "cut":
                reset(near)
                near.close()
                continue
            tasks.add(task := asyncio.create_task(self.connect(near)))
            task.add_done_callback(tasks.discard)

    async def connect(self, near):
        self.connections += 1
        number = self.connections
        far = socket.socket()
        far.setblocking(False)
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ends |= {near, far}
        try:
            while self.mode == "known":
                await self.opened.wait()
            await self.loop.sock_connect(far, ("127.0.0.1", self.to_port))
            await asyncio.gather(self.carry(number, "up", near, far), self.carry(number, "down", far, near))
        except OSError:
            pass
        self.ends -= {near, far}
        near.close()
        far.close()

    async def carry(self, number, way, source, sink):
        queue, due = asyncio.Queue(256), 0
        sender = asyncio.create_task(self.send(queue, sink))
        data = True
        while data:
            try:
                data = await self.loop.sock_recv(source, 65536)
            except OSError:
                data = b""
            if data:
                self.events.append((number, way))
                self.pieces += 1
            due = max(due, self.loop.time() + self.delay * (10 if data and self.pieces % 50 == 0 else 1))  # in order, as TCP has it
            await queue.put((due, data))
        await sender

    async def send(self, queue, sink):
        data = True
        while data:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - self.loop.time()))
            try:
                await self.loop.sock_sendall(sink, data) if data else sink.shutdown(socket.SHUT_WR)
            except OSError:  # the other way ends, too
                pass

    def obey(self, command):
        if command == "events":
            answer, self.events = self.events, []
            return answer
        self.mode = command
        self.opened.set() if command == "open" else self.opened.clear()
        if command == "cut":
            for end in self.ends:
                reset(end)
        return command

    async def commands(self):
        reader = asyncio.StreamReader()
        await self.loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            print(json.dumps(self.obey(line.decode().strip())), flush=True)


def reset(end):
    """What is at the other side of a connection finds it broken; whoever waits for it here finds its end."""
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class RelayProcess:
    """This program, run by a test; `wrapper`: the words of what runs it where it belongs."""

    def __init__(self, address, port, to_port, delay_ms, wrapper=()):
        command = [*wrapper, sys.executable, __file__, address, str(port), str(to_port), str(delay_ms)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert json.loads(self.process.stdout.readline()) == "ready"

    def tell(self, command):
        """A command, and its answer."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


async def main():
    address, port, to_port, delay = sys.argv[1:]
    relay = Relay(int(to_port), float(delay) / 1000)
    listening = socket.create_server((address, int(port)), backlog=256)
    listening.setblocking(False)
    accepting = asyncio.create_task(relay.listen(listening))
    await asyncio.sleep(0)
    print(json.dumps("ready"), flush=True)
    await relay.commands()
    accepting.cancel()


if __name__ == "__main__":
    asyncio.run(main())
