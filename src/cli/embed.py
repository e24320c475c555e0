"""At build time: files of this project as a C++ table. Usage: embed.py ROOT HEADER FUNCTION OUT.cc FILE...

HEADER (below src/cli) declares `std::span<const EmbeddedFile> FUNCTION()`. A name is the file's path below ROOT, without the ending of a
Python file."""
import pathlib
import sys

MOST = 65000  # bytes of one literal; compilers need not take more than 65536


def raw_literal(name, source):
    if ')embed"' in source or "\r" in source or len(source.encode()) > MOST:
        raise SystemExit("%s cannot be a C++ string literal" % name)
    return 'R"embed(%s)embed"' % source


def main():
    root, header, function, out, *files = sys.argv[1:]
    rows = []
    for path in map(pathlib.Path, files):
        name = path.relative_to(root).as_posix().removesuffix(".py")
        rows.append("    {\"%s\", %s},\n" % (name, raw_literal(name, path.read_text(encoding="utf-8"))))
    with open(out, "w", encoding="utf-8") as file:
        file.write("// Made by embed.py.\n#include \"src/cli/%s\"\n\nnamespace cli {\nnamespace {\n\n" % header)
        file.write("constexpr EmbeddedFile table[] = {\n%s};\n" % "".join(rows))
        file.write("\n} // namespace\n\nstd::span<const EmbeddedFile> %s() { return table; }\n\n} // namespace cli\n" % function)


if __name__ == "__main__":
    main()
