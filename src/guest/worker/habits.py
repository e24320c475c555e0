"""The worker: code as people and models write it in chats, notebooks and shells. Looked at only where Python does not take the text as it is."""
import re

FENCE = re.compile(r"[ \t]*(```+|~~~+)[ \t]*\w*[ \t]*$")
SHELL = re.compile(r"(?:\w+\s*=\s*)?!\s*(\S.*)|\$ +(\S.*)|%%?(?:sx|system|bash|sh)\b *(.*)")
INSTALL = re.compile(r"(?:[!%$]\s*)?(?:sudo +)?(?:python[\d.]* +-m +)?(?:uv +)?(?:pip[\d.]*|conda|mamba|poetry|apt|apt-get) +(?:-\S+ +)*(?:install|add)\b")
HELP = re.compile(r"\?{1,2}([\w.]+)$|([\w.]+)\?{1,2}$")

NO_INSTALL = ("packages cannot be installed in here: there is no network. Leave out this line, and use what the image has: "
              "[d.metadata['Name'] for d in importlib.metadata.distributions()]")
NO_SHELL = "this is a shell command; in Python it is subprocess.run(%r, shell=True)"
NO_FENCES = "this is Markdown: send the code alone, without the lines of ``` and without the text around them"
NO_PROMPTS = "this is a session's transcript: take `>>> ` and `... ` off, and leave out the lines that were printed"
MAGIC = {"matplotlib": "leave out this line: figures are shown by themselves",
         "timeit": "write timeit.timeit(...), after `import timeit`", "time": "take time.perf_counter() before and after",
         "load_ext": "leave out this line: there is no IPython in here", "autoreload": "leave out this line: there is no IPython in here"}
NO_MAGIC = "lines that begin with % are IPython's, which is not in here: write this in Python, or leave it out"


def unfenced(source):
    """The code, where the text as a whole is one fenced block; else None. The lines keep their numbers."""
    lines = source.rstrip().split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    opened, closed = FENCE.match(lines[first]), FENCE.match(lines[-1])
    if not (opened and closed) or len(lines) < first + 2 or opened[1] != lines[-1].strip():
        return None
    inner = lines[first + 1:-1]
    if any(line.strip().startswith(opened[1]) for line in inner):
        return None  # several blocks, with text between them
    return "\n" * (first + 1) + "\n".join(inner) + "\n"


def explained(failure, source):
    """The SyntaxError, with what to write instead where the line is a known habit."""
    lines = source.split("\n")
    number = failure.lineno if isinstance(failure.lineno, int) else 0
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    words = words_for(line) or around_fences(lines, number)
    if words:
        failure.msg = words
    return failure


def words_for(line):
    if INSTALL.match(line):
        return NO_INSTALL
    if line.startswith(">>>"):
        return NO_PROMPTS
    if FENCE.match(line) or line.startswith("```"):
        return NO_FENCES
    shell = SHELL.match(line)
    if shell and (shell[1] or shell[2] or shell[3]):
        return NO_SHELL % (shell[1] or shell[2] or shell[3])[:200]
    if line.startswith("%") and line[1:2] and (line[1] == "%" or line[1].isalpha()):
        return MAGIC.get(re.match(r"%+(\w*)", line)[1], NO_MAGIC)
    asked = HELP.match(line)
    return "write help(%s)" % (asked[1] or asked[2]) if asked else None


def around_fences(lines, number):
    """Text before, between or behind fenced code; where a string of several lines may hold the fences, nothing is said."""
    fences = [index for index, line in enumerate(lines, 1) if FENCE.match(line)]
    quotes = any(quote in line for line in lines[:fences[0]] for quote in ("'''", '"""')) if fences else True
    return NO_FENCES if fences and not quotes and number <= fences[0] else None
