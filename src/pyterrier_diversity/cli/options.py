"""Options made from signatures and docstrings: those of functions, of classes, and of the commands themselves."""

import inspect
import re
from collections.abc import Callable
from functools import wraps
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

from ..docstrings import parameters_of, section_of
from .outputs import Command

Decorated = Callable[..., Any]


class MeasureText(click.types.StringParamType):
    """Measures as text. Tab completes the names of measures and groups."""

    name = "measure"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with the last word of a text."""
        from ..measures import registered
        from ..measures.groups import GROUPS

        begun = incomplete.rpartition(" ")[0]
        texts = [f"{begun} {name}".strip() for name in (*GROUPS, *(measure.NAME for measure in registered()))]
        return [CompletionItem(text) for text in texts if text.lower().startswith(incomplete.lower())]


class QrelsText(click.types.StringParamType):
    """A file, or the name of a dataset."""

    name = "qrels"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the datasets that begin with a text, and leave files to the shell."""
        from ..datasets import described

        known = [CompletionItem(name) for name in described() if name.startswith(incomplete)]
        return [*known, CompletionItem(incomplete, type="file")]


def of(source: Callable[..., Any], *names: str, **helps: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that gives a command options for parameters of a function or class, by default all.

    Types, choices and defaults are those of the signature, which may also be annotated with a type of click and with
    the names of the option. Ranges and help are those of the docstring, unless ``helps`` has another text. A kind in
    capital letters is shown in place of the value. A parameter before ``*`` without a default is an argument, which
    ``helps`` describes by what stands for its value. The command gets the parameters of a class as one object.
    """
    hints, parameters = get_type_hints(source, include_extras=True), inspect.signature(source).parameters
    told: dict[str, tuple[str, str]] = {}
    for each in reversed(getattr(source, "__mro__", [source])):
        told |= parameters_of(each.__doc__)
    chosen = [*names, *helps] or list(parameters)

    def decorate(command: Decorated) -> Decorated:
        @wraps(command)
        def with_object(**given: Any) -> Any:
            return command(**{source.__name__.lower(): source(**{name: given.pop(name) for name in chosen})}, **given)

        decorated = with_object if inspect.isclass(source) else command
        for name in reversed(chosen):
            kind, help = told.get(name, ("", ""))
            decorated = _parameter(parameters[name], hints[name], kind, helps.get(name), help)(decorated)
        return decorated

    return decorate


def command(function: Decorated) -> click.Command:
    """Make a command of a function: options are its parameters that are annotated or keyword-only."""
    hints = get_type_hints(function, include_extras=True)
    own = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY or get_origin(hints[name]) is Annotated
    ]
    return click.command(cls=Command, help=section_of(function.__doc__))(
        of(function, *own)(function) if own else function
    )


def _parameter(parameter: inspect.Parameter, hint: Any, kind: str, other: str | None, help: str) -> Any:
    """Return the argument or option for a parameter."""
    hint, *extras = get_args(hint) if get_origin(hint) is Annotated else [hint]
    flags = [extra for extra in extras if isinstance(extra, str)]
    type = next((extra for extra in extras if extra not in flags), None) or _type_of(hint, kind)
    several, required = get_origin(hint) is tuple, parameter.default is parameter.empty
    if required and parameter.kind is not parameter.KEYWORD_ONLY:
        shown, may_miss = other or kind or None, NoneType in get_args(hint) or str(other).startswith("[")
        return click.argument(
            parameter.name, metavar=shown, nargs=-1 if several else 1, required=not may_miss, type=type
        )
    if not any(flag.startswith("--") for flag in flags):
        flags.append(f"--{parameter.name.replace('_', '-')}")
    return click.option(
        parameter.name,
        *flags,
        type=type,
        is_flag=hint is bool,
        multiple=several,
        show_default=True,
        metavar=kind if kind.isupper() else None,
        help=other or help,
        **({"required": True} if required else {"default": parameter.default}),
    )


def _type_of(hint: Any, of_docstring: str) -> Any:
    """Return the type of an option: a choice for a literal, a range for a number with a least value."""
    if get_origin(hint) is not Literal:
        hint = next((kind for kind in get_args(hint) if kind is not NoneType), hint)
    if get_origin(hint) is Literal:
        return click.Choice(get_args(hint))
    least = re.search(r">= (\d+)", of_docstring)
    ranges = {int: click.IntRange, float: click.FloatRange}
    return ranges[hint](min=hint(least[1])) if least and hint in ranges else hint
