"""Saves functions whose files do something when they are imported: at the top level, in decorators, defaults, annotations, classes."""
# expect: status=success
import builtins

context = runtime.save_tool.__globals__["context"].current
builtins.ran = []
DO = "__import__('builtins').ran.append(1)"
FILES = {
    "statement": "%s\ndef attack_file(): return 7\n",
    "default": "def attack_file(x=%s): return 7\n",
    "annotation": "def attack_file(x: %s = 0): return 7\n",
    "decorator": "@(lambda f: %s or f)\ndef attack_file(): return 7\n",
    "class body": "class A:\n    %s\ndef attack_file(): return 7\n",
    "metaclass": "class M(type):\n    def __init__(*a): %s\nclass A(metaclass=M): pass\ndef attack_file(): return 7\n",
    "subclass": "class A:\n    def __init_subclass__(c): %s\nclass B(A): pass\ndef attack_file(): return 7\n",
    "item of a class": "class A:\n    def __class_getitem__(c, k): %s\ndef attack_file(x: A[0] = 0): return 7\n",
    "comprehension": "X = [%s for n in (1,)]\ndef attack_file(): return 7\n",
    "branch": "if %s or True:\n    def attack_file(): return 7\n",
    "handler": "try:\n    import nowhere_at_all\nexcept (%s or ImportError): pass\ndef attack_file(): return 7\n",
    "with": "import io\nwith io.StringIO(str(%s)): pass\ndef attack_file(): return 7\n",
}
kept = True
for name, source in FILES.items():
    tool = {"name": "attack_file", "source": source % DO}
    try:
        context.ask("save_tool", tool)
    except Exception:  # nothing is kept here: the file comes as from a host that keeps them
        kept, context.ask = False, lambda method, params, tool=tool: {"tools": [tool]}
    if "attack_file" not in context.saved_tools:
        context.saved_tools.append("attack_file")
    runtime.save_tool.__globals__["saved"].forget_all()
    del ran[:]  # noqa: F821
    from mcp.tools import attack_file
    before = len(ran)  # noqa: F821
    attack_file()
    print("WON" if before else "HELD" if ran else "WRONG", name)  # noqa: F821
if kept:
    runtime.delete_tool("attack_file")
