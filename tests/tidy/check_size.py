"""Files and functions stay short enough to be read in one go."""
import re
import statistics

from tree import CODE

FILE_LINES = 600
MEDIAN_LINES = 150  # "near 100"
FUNCTION_LINES = 70  # a function has fewer

# Comments, strings and character literals, which may hold braces; raw strings first.
COMMENT = r"//[^\n]*|/\*.*?\*/"
STRING = r'R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
LETTER = r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
OPAQUE = re.compile(f"{COMMENT}|{STRING}|{LETTER}", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
ATTRIBUTE = re.compile(r"\b(?:alignas|__attribute__|WEFT_[A-Z_]+)\s*\(+[^()]*\)+")
CONTAINER = re.compile(r"(?:(?:public|private|protected)\s*:\s*)*(?:typedef\s+|inline\s+)?"
                       r"(?:(?:namespace|class|struct|union|enum)\b[^(]*|extern\s*\"\"\s*)$")


def blank(match):
    """As many lines, and nothing that looks like code but that a string was there."""
    was_string = not match.group().startswith(("/", " ", "#"))
    return ('""' if was_string else "") + "\n" * match.group().count("\n")


def without_template(head):
    """A head without its leading template <...>, whose parameters look like classes."""
    opening = re.match(r"\s*template\s*<", head)
    if not opening:
        return head
    depth = 1
    for index in range(opening.end(), len(head)):
        depth += {"<": 1, ">": -1}.get(head[index], 0)
        if depth == 0:
            return without_template(head[index + 1:])
    return head


def kind_of(head):
    """What a brace outside all functions opens, from the text before it."""
    if head[-1:].isidentifier() or head.count("(") != head.count(")"):
        return "initialiser"  # a_{a}, log{"x"}; or a default argument
    head = without_template(ATTRIBUTE.sub("", head)).strip()
    if CONTAINER.match(head):
        return "container"
    return "function" if "(" in head else "block"


def functions(text):
    """(name, first line, lines) of each function body that is not inside another function."""
    text = DIRECTIVE.sub(blank, OPAQUE.sub(blank, text))
    stack = []  # of (kind, where its head begins)
    head = 0  # where the text before the next brace begins
    for found in re.finditer("[{};]", text):
        index = found.start()
        if found.group() == "{":
            outside = all(kind == "container" for kind, _ in stack)
            stack.append((kind_of(text[head:index]) if outside else "block", head))
        elif found.group() == "}" and stack:
            kind, start = stack.pop()
            if kind == "initialiser":
                head = start  # the head goes on
                continue
            if kind == "function":
                start += len(text[start:index]) - len(text[start:index].lstrip())
                first = text.count("\n", 0, start) + 1
                yield (text[start:index].split("(")[0].split()[-1], first,
                       text.count("\n", start, index) + 1)
        head = index + 1


def check_sizes(tree):
    """No file over 600 lines, the median near 100, and every function under 70."""
    lengths = []
    for path in tree.code + tree.with_suffix(".py") + tree.scripts:
        lines = tree.text(path).count("\n")
        lengths.append(lines)
        if lines > FILE_LINES:
            yield f"{path}: {lines} lines, the most is {FILE_LINES}"
    if lengths and statistics.median(lengths) > MEDIAN_LINES:
        yield f"the median file has {statistics.median(lengths)} lines, aim for 100"
    for path in tree.with_suffix(*CODE):
        for name, first, lines in functions(tree.text(path)):
            if lines >= FUNCTION_LINES:
                yield f"{path}:{first}: {name} has {lines} lines, the most is {FUNCTION_LINES - 1}"


CHECKS = {"sizes": check_sizes}
