"""How the package hangs together: one direction of imports, nothing private taken from another module."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyterrier_diversity

PACKAGE = "pyterrier_diversity"
SOURCE = Path(pyterrier_diversity.__file__).parent
TESTS = Path(__file__).parent
# Its commands import what they need when they are called.
LAZY = f"{PACKAGE}.cli"

Graph = dict[str, set[str]]


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    return {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in FILES.items()}


def statements(tree: ast.Module, *, inside_functions: bool = True) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements of a module that are carried out."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            nodes += node.orelse
        elif inside_functions or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            nodes += ast.iter_child_nodes(node)


def origin(statement: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    """The module that names are imported from."""
    if not statement.level:
        return statement.module or ""
    above = module.split(".")
    above = above[: len(above) - statement.level + is_package]
    return ".".join([*above, *([statement.module] if statement.module else [])])


def imported(module: str) -> set[str]:
    """The modules of the package that a module imports, with the packages that these are in."""
    found = set()
    for statement in statements(trees()[module], inside_functions=module != LAZY):
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        else:
            source = origin(statement, module, is_package=FILES[module].name == "__init__.py")
            found |= {f"{source}.{alias.name}" for alias in statement.names} & FILES.keys()
            # What a package offers, it has imported.
            found |= {source} if any(f"{source}.{alias.name}" not in FILES for alias in statement.names) else set()
    inside = {name for name in found if name in FILES}
    around = {".".join(name.split(".")[:n]) for name in inside for n in range(1, name.count(".") + 1)}
    return (inside | {name for name in around if not f"{module}.".startswith(f"{name}.")}) - {module}


def part_of(module: str) -> str:
    """The folder or file at the top of the package that a module is in."""
    return ".".join(module.split(".")[:2])


@cache
def module_graph() -> Graph:
    """Which modules each module imports."""
    return {module: imported(module) for module in FILES}


@cache
def part_graph() -> Graph:
    """Which parts of the package each part imports."""
    return {
        part: {part_of(to) for module in FILES if part_of(module) == part for to in module_graph()[module]} - {part}
        for part in map(part_of, FILES)
    }


def circles(graph: Graph) -> list[list[str]]:
    """Groups of nodes that can all be reached from each other."""
    reached = {}
    for start in graph:
        seen: set[str] = set()
        nodes = [start]
        while nodes:
            new = graph[nodes.pop()] - seen
            seen |= new
            nodes += new
        reached[start] = seen
    together = {tuple(sorted(b for b in reached[a] if a in reached[b])) for a in graph if a in reached[a]}
    return sorted(map(list, together))


def test_circles_are_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}

    assert circles(graph) == [["b", "c"]]


def test_imports_are_found():
    assert f"{PACKAGE}.judged" in module_graph()[f"{PACKAGE}.ideal.orders"]
    assert f"{PACKAGE}.judged.entries" in module_graph()[f"{PACKAGE}.judged.ranked"]
    assert f"{PACKAGE}.measures" in part_graph()[f"{PACKAGE}.evaluate"]


def test_no_modules_import_each_other():
    assert circles(module_graph()) == []


def test_no_parts_of_the_package_import_each_other():
    assert circles({part: to - {PACKAGE} for part, to in part_graph().items() if part != PACKAGE}) == []


ORDER = [
    ["arithmetic", "docstrings", "interrupts", "parameters", "progress", "randomness", "warnings"],
    ["parallel", "frames"],
    ["io", "judged"],
    ["qrels"],
    ["ideal"],
    ["measures"],
    ["evaluate"],
    ["provider"],
    ["transformers"],
    ["datasets"],
    ["meta"],
    ["simulate"],
    ["plots"],
    ["report"],
    ["cli", "__main__"],
]


def test_each_part_imports_only_from_parts_above_it():
    height = {f"{PACKAGE}.{part}": at for at, parts in enumerate(ORDER) for part in parts}

    below = [
        f"{part} imports {to}"
        for part, imports in part_graph().items()
        if part in height
        for to in imports - {PACKAGE}
        if height.get(to, 0) > height[part]
    ]

    assert part_graph().keys() - {PACKAGE} == height.keys()
    assert sorted(below) == []


def test_the_map_names_each_part_after_those_that_it_imports_and_the_functions_of_the_walk(request):
    text = (request.config.rootpath / "CONTRIBUTING.md").read_text(encoding="utf-8")
    map_ = text[text.index("## The map") : text.index("## Add a measure")]
    rooms = [room for names in re.findall(r"^- \*\*(.+)\*\*:", map_, flags=re.MULTILINE) for room in names.split(", ")]
    walked = re.findall(r"`([\w.]+)` \(`([\w/.]+\.py)`\)", map_)
    height = {part: at for at, parts in enumerate(ORDER) for part in parts}

    assert sorted([*rooms, "__main__"]) == sorted(height)
    assert [height[room] for room in rooms] == sorted(height[room] for room in rooms)
    assert len(walked) >= 7
    for name, file in walked:
        tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
        known = {node.name for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        assert known.issuperset(name.split(".")), f"{name} is not in {file}"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def private_names(module: str, tree: ast.Module, *, is_package: bool = False) -> list[str]:
    """The private names that a module takes from modules of the package, by import or through a module's name."""
    taken, modules = [], set()
    for statement in statements(tree):
        if isinstance(statement, ast.ImportFrom):
            source = origin(statement, module, is_package=is_package)
            if source.split(".")[0] == PACKAGE:
                taken += [f"{source}.{alias.name}" for alias in statement.names if is_private(alias.name)]
                names = [(f"{source}.{alias.name}", alias.asname or alias.name) for alias in statement.names]
                modules |= {name for full, name in names if full in FILES}
    taken += [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and is_private(node.attr)
        and isinstance(node.value, ast.Name)
        and node.value.id in modules
    ]
    return taken


def test_no_module_takes_a_private_name_of_another():
    taken = {
        module: private_names(module, trees()[module], is_package=path.name == "__init__.py")
        for module, path in FILES.items()
    }

    assert {module: names for module, names in taken.items() if names} == {}


def test_no_test_takes_a_private_name_of_the_package():
    taken = {
        str(path.relative_to(TESTS)): private_names("tests", ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(TESTS.rglob("*.py"))
    }

    assert {path: names for path, names in taken.items() if names} == {}


def test_no_two_modules_have_one_name():
    names = Counter(path.name for path in FILES.values() if path.name != "__init__.py")

    assert [name for name, n in names.items() if n > 1] == []


def names_of(node: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module gives."""
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)} - {"__all__"}


def test_no_two_modules_give_one_name_to_two_things():
    modules = [module for module, path in FILES.items() if path.name != "__init__.py"]
    n = Counter(name for module in modules for name in set().union(*map(names_of, trees()[module].body)))

    # A type variable, and functions that are also commands or pictures.
    assert {name for name, times in n.items() if times > 1} == {"T", "compare", "explain", "missed_intents"}


def test_no_module_relies_on_an_assertion():
    lines = {
        module: [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert)]
        for module, tree in trees().items()
    }

    assert {module: found for module, found in lines.items() if found} == {}
