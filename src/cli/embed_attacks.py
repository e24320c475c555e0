"""At build time: the attacks of tests/attack as a C++ table (attack_suite.h). Usage: embed_attacks.py FOLDER OUT.cc"""
import pathlib
import sys

NOT_ATTACKS = {"run.py"}
MOST = 65000  # bytes of one literal; compilers need not take more than 65536


def raw_literal(name, source):
    if ')attack"' in source or "\r" in source or len(source.encode()) > MOST:
        raise SystemExit("%s cannot be a C++ string literal" % name)
    return 'R"attack(%s)attack"' % source


def main():
    folder, out = sys.argv[1:]
    paths = sorted(path for path in pathlib.Path(folder).glob("*.py") if path.name not in NOT_ATTACKS)
    if not paths:
        raise SystemExit("no attacks in " + folder)
    rows = ["    {\"%s\", %s},\n" % (path.stem, raw_literal(path.name, path.read_text(encoding="utf-8"))) for path in paths]
    with open(out, "w", encoding="utf-8") as file:
        file.write("// Made by embed_attacks.py from tests/attack/*.py.\n#include \"src/cli/attack_suite.h\"\n\nnamespace cli {\nnamespace {\n\n")
        file.write("constexpr AttackSource table[] = {\n%s};\n" % "".join(rows))
        file.write("\n} // namespace\n\nstd::span<const AttackSource> attack_suite() { return table; }\n\n} // namespace cli\n")


if __name__ == "__main__":
    main()
