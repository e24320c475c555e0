"""A lab guest (scripts/lab) as the far host, reached by ssh:// through the user's OpenSSH client, over a way with 50 ms each way and loss.

The way is the guest's own netem, on one port alone, where a second sshd of the guest listens; the test's own look at the guest, over the
first, is as always. Before it stands a relay that counts what goes by."""
import json
import os
import pathlib
import socket
import subprocess
import tempfile

from cordon_client import LIMIT, ROOT, Engine
from registry import free_port
from relay import RelayProcess

PORT = 2222
SLOW, CUT = "delay 50ms loss 1%", "loss 100%"
# each way has its netem: what leaves by the interface, and, by way of a device that stands in between, what comes
NETWORK = """set -e
modprobe ifb
ip link add ifb0 type ifb 2>/dev/null || true
modprobe -a sch_netem sch_prio cls_u32 act_mirred sch_ingress
ip link set ifb0 up
device=$(ip -o route get 10.0.2.2 | sed 's/.* dev \\([^ ]*\\).*/\\1/')
tc qdisc add dev $device root handle 1: prio bands 4
tc qdisc add dev $device parent 1:4 handle 30: netem {slow}
tc filter add dev $device parent 1: protocol ip u32 match ip sport {port} 0xffff flowid 1:4
tc qdisc add dev $device ingress
tc filter add dev $device parent ffff: protocol ip u32 match ip dport {port} 0xffff action mirred egress redirect dev ifb0
tc qdisc add dev ifb0 root handle 40: netem {slow}
echo $device"""
LISTEN = "/usr/sbin/sshd -p {port} -o PidFile=/run/sshd-slow.pid"
RESET = "kill -KILL $(cat /run/sshd-slow.pid) $(ss -tnpH sport = :{port} | grep -o 'pid=[0-9]*' | cut -d = -f 2)"


class LabHost:
    """The guest of CORDON_LAB, which runs (with_lab)."""

    def __init__(self):
        self.suite = os.environ["CORDON_LAB"]
        self.engine = Engine()
        self.folder = tempfile.TemporaryDirectory(prefix="cordon-lab-")
        lab = ROOT / "build" / "lab"
        self.port, behind = free_port(), free_port()
        forward = {"proto": "tcp", "host_addr": "127.0.0.1", "host_port": behind, "guest_addr": "10.0.2.15", "guest_port": PORT}
        self.forwarded = self._slirp("add_hostfwd", forward)["id"]
        self.relay = RelayProcess("127.0.0.1", self.port, behind, 0)  # delays nothing; it counts
        config = (lab / self.suite / "ssh_config").read_text()
        known = pathlib.Path(self.folder.name, "known_hosts")
        known.write_text("[127.0.0.1]:%d %s" % (self.port, (lab / "host_ed25519.pub").read_text()))
        self.config = pathlib.Path(self.folder.name, "config")
        self.config.write_text(config.replace(str(lab / self.suite / "known_hosts"), str(known)))
        self.settings = {}
        self.device = self.on_host(NETWORK.format(slow=SLOW, port=PORT)).split()[-1]
        self.on_host(LISTEN.format(port=PORT))

    def _slirp(self, what, arguments):
        find = '. scripts/lib.sh; short_directory "$cordon_root/build/lab/%s/run"' % self.suite
        run = subprocess.run(["bash", "-c", find], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(LIMIT)
            asking.connect(run + "/slirp.api")
            asking.sendall(json.dumps({"execute": what, "arguments": arguments}).encode())
            asking.shutdown(socket.SHUT_WR)
            answer = json.loads(asking.makefile().read())
        assert "return" in answer, answer
        return answer["return"]

    def on_host(self, script, user="root"):
        command = [ROOT / "scripts" / "lab", "ssh", self.suite, script]
        done = subprocess.run(command, env={**os.environ, "LAB_USER": user}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=LIMIT * 3)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def enter(self, _):
        """As on a host where our configuration is everybody's."""
        return ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/ssh/ssh_config && exec "$@"', str(self.config)]

    def url(self):
        return "ssh://dev@127.0.0.1:%d/run/user/1000/podman/podman.sock" % self.port

    def reach(self):
        return ["--runtime-socket", self.url()]

    def link(self, state):
        how = SLOW if state == "whole" else CUT
        self.on_host("tc qdisc change dev %s parent 1:4 handle 30: netem %s && tc qdisc change dev ifb0 root handle 40: netem %s" % (
            self.device, how, how))

    def restart(self, *how):
        self.on_host("systemctl --user " + ("kill -s KILL" if "--crash" in how else "restart") + " podman.service", "dev")

    def reset(self):
        self.on_host(RESET.format(port=PORT) + " || true")

    # all goes by one connection, and the next container would be made beside the call
    alone = ["--max-containers", "1"]

    def hold(self):
        pass

    def tell(self, command):
        return self.relay.tell(command)

    def mend(self):
        self.link("whole")
        self.on_host("ss -ltn | grep -q :%d || %s" % (PORT, LISTEN.format(port=PORT)))

    def close(self):
        self.mend()
        self.reset()
        self.on_host("tc qdisc del dev %s root; tc qdisc del dev %s ingress; ip link delete ifb0" % (self.device, self.device))
        self.relay.close()
        self._slirp("remove_hostfwd", {"id": self.forwarded})
        self.folder.cleanup()
