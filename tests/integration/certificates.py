"""Certificate authorities and what they sign, right and wrong, in a folder of the test's own."""
import pathlib
import subprocess

from cordon_client import LIMIT

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


class Authority:
    """NAME.pem and NAME.key in folder; signed by itself or by another."""

    def __init__(self, folder, name, above=None):
        self.folder, self.name = pathlib.Path(folder), name
        self.file = self.folder / (name + ".pem")
        if above:
            above.sign(name, "basicConstraints=critical,CA:TRUE")
        else:
            self._openssl("req", "-x509", *KEY, "-days", "2", "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".pem")

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True, timeout=LIMIT)

    def sign(self, name, *extensions, days=2):
        """The files of a certificate with these extensions and of its key; days may be -1, for one that has expired."""
        self._openssl("req", *KEY, "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".csr")
        (self.folder / (name + ".ext")).write_text("\n".join(extensions) + "\n")
        self._openssl("x509", "-req", "-in", name + ".csr", "-CA", self.name + ".pem", "-CAkey", self.name + ".key", "-CAcreateserial",
                      "-days", str(days), "-extfile", name + ".ext", "-out", name + ".pem")
        return self.folder / (name + ".pem"), self.folder / (name + ".key")

    def lock(self, key, name):
        """The same key with a passphrase."""
        self._openssl("pkey", "-in", str(key), "-aes256", "-passout", "pass:secret", "-out", name)
        return self.folder / name


def joined(path, *files):
    """One file that holds all of them."""
    path.write_text("".join(each.read_text() for each in files))
    return path
