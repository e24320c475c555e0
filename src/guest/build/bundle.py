"""At build time: joins the guest's modules into the blob. Usage: bundle.py OUT.cc

The blob is two parts, each after ten digits that hold its length: the program, zlib over the importer and a call of its `install()`,
and our modules' sources. Sources, not code objects: what marshal writes is for one Python only, and the image's is not known
here. Comments and most doc strings stay behind; line numbers stay true, since a guest that breaks says where.
"""
import io
import pathlib
import sys
import tokenize
import zlib

GUEST = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ("shared", "supervisor", "user", "worker")  # in the bundle all their modules are of one package: a name is there once
PACKAGE = "_cordon"
SEEN_BY_USERS = {"calls", "display", "errors", "proxies", "records", "results", "runtime"}  # help() shows their doc strings
NOT_IN_TABLE = {"loader", "importer"}


def without_comments(source, keep_docs=False):
    """The same program, line for line, without comments and, unless they are to be kept, without doc strings."""
    lines = source.splitlines(keepends=True)
    previous = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_doc = token.type == tokenize.STRING and previous in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if is_doc and not keep_docs:
            (first, column), (last, end) = token.start, token.end
            tail = lines[last - 1][end:]
            for number in range(first, last):
                lines[number] = "\n"
            # A body may be nothing but its doc string, so something must stand there.
            lines[first - 1] = lines[first - 1][:column] + "0" + (tail if first == last else "\n")
        elif token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip() + "\n"
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            previous = token.type
    return "".join(lines)


def module_files():
    """The file of each module of ours that runs in a container, by name."""
    files = sorted((path for room in ROOMS for path in (GUEST / room).glob("*.py")), key=lambda path: path.stem)
    twice = [path.stem for path, following in zip(files, files[1:]) if path.stem == following.stem]
    if twice:
        raise SystemExit("two rooms have a module of one name: %s" % ", ".join(twice))
    return {path.stem: path for path in files}


def module_sources():
    """Module name → source, of everything that goes into the table."""
    sources = {PACKAGE: ""}
    for name, path in module_files().items():
        if name not in NOT_IN_TABLE:
            sources[f"{PACKAGE}.{name}"] = without_comments(path.read_text(encoding="utf-8"), name in SEEN_BY_USERS)
    return sources


def loader_text():
    """What stands in the container's command line."""
    text = without_comments((GUEST / "supervisor" / "loader.py").read_text(encoding="utf-8"))
    lines = [line.replace("    ", " ") for line in text.splitlines() if line.strip() not in ("", "0")]
    text = "\n".join(lines) + "\n"
    if len(text) >= 500:
        raise SystemExit("loader.py is too long: %d bytes" % len(text))
    return text


def sources_part():
    """Our modules as importer.py reads them."""
    return zlib.compress("\0".join(word for pair in module_sources().items() for word in pair).encode(), 9)


def framed(part):
    return b"%010d" % len(part) + part


def blob_bytes():
    """What the guest reads from its stdin, but for the last two parts: code that was compiled before, and the image's environment."""
    importer = without_comments((GUEST / "shared" / "importer.py").read_text(encoding="utf-8"))
    program = f"{importer}\ncheck_version()\ninstall(part(), part())\n"
    return framed(zlib.compress(program.encode(), 9)) + framed(sources_part())


def cc_literal(data):
    """The bytes as C++ string literals, 60 a line; octal escapes of three digits cannot run into what follows."""
    return "\n".join('    "%s"' % "".join("\\%03o" % byte for byte in data[at:at + 60]) for at in range(0, len(data), 60))


def main():
    loader, blob = loader_text().encode(), blob_bytes()
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("// Made by bundle.py from src/guest/*/*.py.\n#include \"src/guest/bundle.h\"\n\nnamespace guest {\n")
        for name, data in (("loader", loader), ("blob", blob)):
            out.write(f"\nconst std::string_view {name}{{\n{cc_literal(data)},\n    {len(data)}}};\n")
        out.write("\n} // namespace guest\n")


if __name__ == "__main__":
    main()
