"""The help of commands, which is their docstrings, where Python was told to drop those (`python -OO`): read from the source again."""

from __future__ import annotations

import ast
import inspect
import sys

import click


def with_help(command: click.Command) -> click.Command:
    """The command, with the text of its function's docstring as help where it has none."""
    function = inspect.unwrap(command.callback) if command.callback is not None else None
    if command.help or function is None or sys.flags.optimize < 2:
        return command
    try:
        tree = ast.parse(inspect.getsource(sys.modules[function.__module__]))
    except (OSError, KeyError, SyntaxError):  # a package without its source
        return command
    named = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function.__name__)
    text = next((found for node in named if (found := ast.get_docstring(node))), None)
    command.help = text
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        with_help(inner)
    return command
