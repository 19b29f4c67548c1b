"""Includes and CMake links keep to the table of rooms.py."""
import os
import re

import rooms

INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>[<"])(?P<name>[^>"]+)[>"]')
# Where the compiler looks for an include of ours: -I of the rooms, in cmake/weft_room.cmake.
ROOTS = ("src/", "", "include/")


def includes(tree, path):
    for number, line in tree.lines(path):
        found = INCLUDE.match(line)
        if found:
            yield number, found["open"], found["name"]


def resolve(tree, path, name):
    """The file of ours that an include names, or None."""
    own = os.path.normpath(os.path.join(os.path.dirname(path), name))
    return next((c for c in [own] + [r + name for r in ROOTS] if c in tree.known), None)


def check_includes(tree):
    """A room includes only rooms that it may know, and foreign headers only where they belong."""
    for path in tree.code:
        room = rooms.room_of(path)
        free = path.startswith(rooms.FREE)
        if room is None and not free:
            yield f"{path}: lies in no room of tests/tidy/rooms.py"
            continue
        for number, opening, name in includes(tree, path):
            where = f"{path}:{number}"
            for header, homes in rooms.FOREIGN.items():
                if name.startswith(header) and not path.startswith(homes):
                    yield f"{where}: {name} belongs to {' and '.join(homes)} only"
            target = resolve(tree, path, name)
            if target is None:
                if opening == '"' and not free:
                    yield f'{where}: "{name}" is not in the tree'
                continue
            other = rooms.room_of(target)
            if room and other != room and other not in rooms.allowed(room):
                yield f"{where}: {room} may not know {other or target}"


LINKS = re.compile(r"\b(?P<call>weft_room|target_link_libraries)\s*\(\s*(?P<body>[^()]*)\)")


def links(text):
    """{target: rooms' targets that it links}, from the text of one CMakeLists.txt."""
    found = {}
    text = re.sub(r"#.*", "", text)
    for call in LINKS.finditer(text):
        words = call["body"].split()
        if call["call"] == "weft_room":
            target = "weft_" + words[0]
            part = None
            linked = set()
            for word in words[1:]:
                if word in ("SOURCES", "LINKS", "PRIVATE"):
                    part = word
                elif part == "LINKS":
                    linked.add("weft_" + word)
                elif part == "PRIVATE" and word.startswith("weft_"):
                    linked.add(word)
        else:
            target = words[0]
            linked = {w for w in words[1:] if w.startswith("weft_")}
        found.setdefault(target, set()).update(linked - {"weft_flags"})
    return found


def check_links(tree):
    """A room's target links only rooms that it may know, and every room that it includes."""
    by_target = {rooms.target_of(r): r for r in rooms.ROOMS}
    linked = {}  # room -> rooms
    for room in rooms.ROOMS:
        path = room + "/CMakeLists.txt"
        if path not in tree.files:
            continue
        targets = links(tree.text(path))
        ours = {rooms.target_of(room)} | {t for t in targets if t not in by_target}
        linked[room] = {by_target[l] for t in ours for l in targets.get(t, ()) if l in by_target}
        linked[room].discard(room)
        for other in sorted(linked[room] - rooms.allowed(room)):
            yield f"{path}: {room} links {other}, which it may not know"

    def reach(room, seen):
        for other in linked.get(room, ()):
            if other not in seen:
                seen.add(other)
                reach(other, seen)
        return seen

    for room in linked:
        reached = reach(room, {room, "include"})
        for path in tree.code:
            if rooms.room_of(path) != room:
                continue
            for number, _, name in includes(tree, path):
                target = resolve(tree, path, name)
                other = target and rooms.room_of(target)
                if other and other not in reached and other in rooms.allowed(room):
                    yield f"{path}:{number}: {room} includes {other} but does not link it"


def check_table(tree):
    """The table itself has no cycle and names no room twice; rooms with code have a CMake list."""
    order = list(rooms.ROOMS)
    for index, room in enumerate(order):
        for other in rooms.allowed(room):
            if other not in order[:index]:
                yield f"tests/tidy/rooms.py: {room} names {other}, which is not above it"
    for room in order:
        sources = [f for f in tree.with_suffix(".cpp") if rooms.room_of(f) == room]
        if sources and room + "/CMakeLists.txt" not in tree.files:
            yield f"{room}: has sources but no CMakeLists.txt"


CHECKS = {"includes": check_includes, "links": check_links, "table": check_table}
