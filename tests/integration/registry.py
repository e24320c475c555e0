"""A real registry on loopback (Debian's docker-registry) with TLS by a CA of its own and a login, and images made by hand to fill it."""
import base64
import gzip
import hashlib
import http.client
import io
import json
import os
import pathlib
import re
import socket
import ssl
import struct
import subprocess
import tarfile
import tempfile

from cordon_client import LIMIT, until

USER, PASSWORD = "tester", "secret"
# bcrypt of PASSWORD, the one form that the registry takes
HTPASSWD = "tester:$2b$04$AKAzrdBNBfBUjPxLXED4/eXTCBCQWmvZ/xZSereSb778P4.swocj6\n"
CONFIG = """version: 0.1
log: {accesslog: {disabled: false}, level: info}
storage: {filesystem: {rootdirectory: %(folder)s/store}, delete: {enabled: true}}
http: {addr: "%(address)s", tls: {certificate: %(folder)s/cert.pem, key: %(folder)s/key.pem}}
auth: {htpasswd: {realm: cordon, path: %(folder)s/htpasswd}}
"""
MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def basic():
    return base64.b64encode(("%s:%s" % (USER, PASSWORD)).encode()).decode()


def make_certificate(folder, name):
    """ca.pem, and cert.pem with key.pem for a name ("IP:127.0.0.1"), signed by it; for servers and clients."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=LIMIT)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=cordon test CA",
            "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=registry", "-keyout", "key.pem", "-out", "csr.pem")
    pathlib.Path(folder, "names").write_text("subjectAltName=%s\n" % name)
    openssl("x509", "-req", "-in", "csr.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names",
            "-out", "cert.pem")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def tar_of(content):
    """A layer with one file."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        member = tarfile.TarInfo("content")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return raw.getvalue()


def outside_address():
    """One of this host's that is not loopback; None: it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return None
        return asking.getsockname()[0]


class Registry:
    def __init__(self, address="127.0.0.1"):
        self.folder = tempfile.TemporaryDirectory(prefix="cordon-registry-")
        folder = pathlib.Path(self.folder.name)
        self.address, self.port = address, free_port()
        self.host = "%s:%d" % (address, self.port)
        make_certificate(folder, "IP:" + address)
        self.ca = folder / "ca.pem"
        (folder / "htpasswd").write_text(HTPASSWD)
        (folder / "config.yml").write_text(CONFIG % {"folder": folder, "address": self.host})
        self.log_file = open(folder / "log", "wb")
        self.process = subprocess.Popen(["docker-registry", "serve", str(folder / "config.yml")], stdin=subprocess.DEVNULL,
                                        stdout=self.log_file, stderr=self.log_file)
        until(lambda: self.request("GET", "/v2/")[0] == 200, limit=LIMIT)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log_file.close()
        self.folder.cleanup()

    def asked(self, pattern):
        """How many requests, by the access log, fit a pattern: "GET /v2/x/manifests/"."""
        return len(re.findall('"' + pattern, pathlib.Path(self.log_file.name).read_text(errors="replace")))

    def request(self, method, target, body=None, **headers):
        context = ssl.create_default_context(cafile=str(self.ca))
        connection = http.client.HTTPSConnection(self.address, self.port, context=context, timeout=LIMIT)
        try:
            connection.request(method, target, body, {"Authorization": "Basic " + basic(), **headers})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except ConnectionRefusedError:
            return 0, {}, b""
        finally:
            connection.close()

    def put_blob(self, name, data):
        digest = digest_of(data)
        status, headers, body = self.request("POST", "/v2/%s/blobs/uploads/" % name)
        assert status == 202, body
        place = headers["Location"].split(self.host, 1)[-1]
        status, _, body = self.request("PUT", place + ("&" if "?" in place else "?") + "digest=" + digest, data)
        assert status == 201, body
        return {"digest": digest, "size": len(data)}

    def put_image(self, name, tag, content):
        """An image of one layer that holds one file with this content; gives its digest."""
        layer = tar_of(content)
        config = json.dumps({"architecture": "amd64" if os.uname().machine == "x86_64" else "arm64", "os": "linux", "config": {},
                             "rootfs": {"type": "layers", "diff_ids": [digest_of(layer)]}}).encode()
        manifest = json.dumps({
            "schemaVersion": 2, "mediaType": MANIFEST,
            "config": {"mediaType": "application/vnd.docker.container.image.v1+json", **self.put_blob(name, config)},
            "layers": [{"mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip",
                        **self.put_blob(name, gzip.compress(layer, 1))}]}).encode()
        return self.put_manifest(name, tag, manifest, MANIFEST)

    def put_manifest(self, name, tag, manifest, kind):
        status, headers, body = self.request("PUT", "/v2/%s/manifests/%s" % (name, tag), manifest, **{"Content-Type": kind})
        assert status == 201, body
        return headers["Docker-Content-Digest"]

    def put_above(self, name, below, tag, content):
        """An image that is there, with one layer more."""
        status, headers, body = self.request("GET", "/v2/%s/manifests/%s" % (name, below), Accept=MANIFEST + "," + OCI_MANIFEST)
        assert status == 200, body
        manifest, layer = json.loads(body), tar_of(content)
        config = json.loads(self.request("GET", "/v2/%s/blobs/%s" % (name, manifest["config"]["digest"]))[2])
        config["rootfs"]["diff_ids"].append(digest_of(layer))
        config.setdefault("history", []).append({"created_by": "put_above"})
        manifest["config"].update(self.put_blob(name, json.dumps(config).encode()))
        manifest["layers"].append({**manifest["layers"][-1], **self.put_blob(name, gzip.compress(layer, 1))})
        return self.put_manifest(name, tag, json.dumps(manifest).encode(), headers["Content-Type"])


class Trust:
    """The registry's CA, where the engine behind a socket looks for it in its own root: podman below its home. (Docker trusts loopback.)"""

    def __init__(self, engine, registry):
        self.engine, self.host, self.made = engine, registry.host, 0
        self.needed = engine.podman or not registry.host.startswith("127.")
        if self.needed:
            file = self.file()
            self.made = sum(not each.exists() for each in file.parents)
            file.parent.mkdir(parents=True)
            file.write_bytes(registry.ca.read_bytes())

    def file(self):
        """As its process is now: it may have been restarted."""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(self.engine.path)
            pid = struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        environment = pathlib.Path("/proc", str(pid), "environ").read_bytes().split(b"\0")
        home = next(each[5:].decode() for each in environment if each.startswith(b"HOME="))
        rootless = pathlib.Path("/proc", str(pid)).stat().st_uid != 0
        settings = home + "/.config/containers" if self.engine.podman else home + "/.config/docker" if rootless else "/etc/docker"
        return pathlib.Path("/proc/%d/root%s/certs.d/%s/ca.crt" % (pid, settings, self.host))

    def close(self):
        if self.needed:
            file = self.file()
            file.unlink()
            for folder in list(file.parents)[:self.made]:
                folder.rmdir()
