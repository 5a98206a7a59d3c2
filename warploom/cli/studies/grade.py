"""`warploom grade`: what a submission is worth, and the puzzles that ship."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import DONE, FAULT, UserError, check_targets, json_option, print_json, say, write_file
from warploom.cli.terminal import screen

if TYPE_CHECKING:
    from warploom.grade.outcome import Outcome
    from warploom.grade.task import Task


@click.command()
@click.argument("words", metavar="[TASK] [SUBMISSION]...", nargs=-1)
@click.option("--puzzle", metavar="NAME|N", help="A puzzle that ships, in place of TASK; without a SUBMISSION its text is shown.")
@click.option("--list", "listing", is_flag=True, help="List the puzzles.")
@click.option("--hint", metavar="N", type=int, help="Show hint N of the task, from 1.")
@click.option("--start", metavar="FILE", help="Write the file that the task begins with; an existing one is not overwritten.")
@click.option("--picture", metavar="FILE.svg", help="Write the task's picture.")
@click.option("--copy", "target", metavar="FOLDER", help="Copy the task, to change it.")
@click.option("--self-test", "test", is_flag=True, help="Grade the task's reference and its wrong answers, on both engines.")
@click.option("--workflow", metavar="FILE.yml", help="Write a workflow for GitHub Classroom that grades SUBMISSION at each push.")
@click.option("--seed", type=int, metavar="N", help="Draw the inputs of an earlier report. [default: a new one, which is printed]")
@click.option("--jobs", type=int, metavar="N", help="Submissions at a time. [default: one per processor]")
@click.option("--engine", type=click.Choice(["auto", "python", "native"]), default="auto", help="[default: auto]")
@click.option("--csv", "csv_file", metavar="FILE", help="Write a table, a row for each submission; - for standard output.")
@click.option("--junit", metavar="FILE", help="Write JUnit's XML.")
@click.option("--gradescope", metavar="FILE", help="Write Gradescope's results.json, of one submission.")
@json_option
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], **options: Any) -> None:
    """Grade SUBMISSION, a file or a folder of them, by TASK, a task.toml or its folder.

    A submission is run on fresh inputs; its results, the findings of `warploom check`, and its figures beside a reference solution give
    points. Its Python runs in a process of its own, locked in as far as the system can; counts come from a different process, which
    executes none of it. The exit status is 0 where every submission gets all points, 1 where one does not, 2 for a mistake in the task.

    \b
    Examples:
      warploom grade --list                            the puzzles
      warploom grade --puzzle guard                    what one asks
      warploom grade --puzzle guard --start mine.py    a file to begin with
      warploom grade --puzzle guard mine.py
      warploom grade --puzzle guard --hint 1
      warploom grade task.toml class/ --csv grades.csv
      warploom grade task.toml one.py --seed 7 --gradescope results.json
      warploom grade --puzzle scan --copy my_task      a task to change
      warploom grade my_task --self-test
      warploom new task.toml                           a task of your own
    """
    if options["listing"]:
        _list(options["as_json"])
        return
    task, files = _asked(words, options["puzzle"])
    asked = [name for name in ("hint", "start", "picture", "target", "workflow", "test") if options[name] not in (None, False)]
    if asked:
        status = _extras(task, files, asked, options)
        ctx.exit(status)
    if not files:
        _show_task(task, options["as_json"])
        return
    ctx.exit(_grade(task, files, options))


def _asked(words: tuple[str, ...], puzzle: str | None) -> tuple[Task, list[str]]:
    from warploom.grade.puzzle import puzzle as shipped
    from warploom.grade.task_file import load_task

    if puzzle is not None:
        return shipped(puzzle), list(words)
    if not words:
        raise UserError("name a task and a submission: `warploom grade task.toml mine.py`; `warploom grade --list` shows puzzles that ship")
    return load_task(words[0]), list(words[1:])


def _list(as_json: bool) -> None:
    from warploom.grade.puzzle import PUZZLES, puzzle

    tasks = [puzzle(name) for name in PUZZLES]
    if as_json:
        print_json({"puzzles": [{"name": one.name, "title": one.title, "hints": len(one.hints)} for one in tasks]})
        return
    longest = max(map(len, PUZZLES))
    for number, one in enumerate(tasks, 1):
        say(f"{number:>2}  {one.name:<{longest}}  {one.title}")
    say("\nwarploom grade --puzzle NAME shows what is asked", err=True)


def _show_task(task: Task, as_json: bool) -> None:
    if as_json:
        print_json({"name": task.name, "title": task.title, "text": task.text, "hints": list(task.hints), "points": dict(task.points)})
        return
    say(f"{task.title}\n")
    for paragraph in task.text.strip().split("\n\n"):
        say(paragraph if paragraph.startswith("    ") else screen.wrapped(" ".join(paragraph.split()), "", ""))
        say("")
    points = ", ".join(f"{of:g} for {name}" for name, of in task.points.items() if of)
    say(screen.wrapped(f"points: {points}", "", "  "))
    start = f"warploom grade {_of(task)} --start {task.name}.py" if task.starter else ""
    say(f"next: {start}\n" if start else "", nl=False)
    shown = f"hints: {len(task.hints)}, with --hint 1" if task.hints else "hints: none"
    say(f"{shown}; a picture with --picture {task.name}.svg" if task.picture else shown)


def _is_shipped(task: Task) -> bool:
    from warploom.grade.puzzle import FOLDER

    return task.folder.resolve().parent == FOLDER.resolve()


def _extras(task: Task, files: list[str], asked: list[str], options: dict[str, Any]) -> int:
    """What is wanted of a task beside grades."""
    from warploom.grade.puzzle import copy_task

    if len(asked) > 1:
        said = {"target": "copy", "test": "self-test"}
        names = " and ".join(f"--{said.get(name, name)}" for name in asked)
        raise UserError(f"{names} are different things: ask for one at a time")
    match asked[0]:
        case "hint":
            if not 1 <= options["hint"] <= len(task.hints):
                there = f"there are {len(task.hints)}" if task.hints else "the task has none"
                raise UserError(f"--hint {options['hint']}: {there}")
            say(screen.wrapped(f"hint {options['hint']} of {len(task.hints)}: {task.hints[options['hint'] - 1]}", "", "  "))
        case "start":
            if not task.starter:
                raise UserError(f"{task.file} names no starter: begin with an empty file")
            if Path(options["start"]).exists():
                raise UserError(f"{options['start']} exists already: name a different file, or remove it")
            write_file(options["start"], (task.folder / task.starter).read_bytes())
            say(f"{options['start']} is written; what is asked: {_command(task)}", err=True)
        case "picture":
            from warploom.grade.drawn import svg

            if not task.picture:
                raise UserError(f"{task.file} has no [picture]")
            write_file(options["picture"], svg(task.picture, task.title))
            say(f"{options['picture']} is written", err=True)
        case "target":
            copy_task(task, Path(options["target"]))
            place = options["target"]
            say(f"{place} is written: change {place}/task.toml, then `warploom grade {place} --self-test`", err=True)
        case "workflow":
            from warploom.grade.formats import workflow

            if len(files) != 1:
                raise UserError(
                    "--workflow needs the SUBMISSION's path in the repository, as `warploom grade task.toml kernel.py --workflow FILE`"
                )
            write_file(options["workflow"], workflow(task.name if _is_shipped(task) else str(task.file), files[0]))
            say(f"{options['workflow']} is written: put it into .github/workflows of the assignment's repository", err=True)
        case _:
            return _self_test(task, options)
    return DONE


def _of(task: Task) -> str:
    return f"--puzzle {task.name}" if _is_shipped(task) else shlex.quote(str(task.file))


def _command(task: Task) -> str:
    return f"`warploom grade {_of(task)}`"


def _self_test(task: Task, options: dict[str, Any]) -> int:
    from warploom.grade.classroom import new_seed
    from warploom.grade.self_test import self_test

    seed = new_seed() if options["seed"] is None else options["seed"]
    engines = ("python", "native") if options["engine"] == "auto" else (options["engine"],)
    checks = []
    for one in self_test(task, seed, engines):
        checks.append(one)
        if not options["as_json"]:
            say(
                screen.wrapped(
                    f"{'ok   ' if not one.problem else 'wrong'} {one.what}{': ' if one.problem else ''}{one.problem}", "", "      "
                )
            )
    wrong = [one for one in checks if one.problem]
    if options["as_json"]:
        print_json({"task": task.name, "seed": seed, "checks": [one._asdict() for one in checks], "passed": not wrong})
    else:
        say(f"{len(checks)} checks, {len(wrong)} wrong (seed {seed})", err=True)
    return FAULT if wrong else DONE


def _grade(task: Task, files: list[str], options: dict[str, Any]) -> int:
    from warploom.grade.classroom import grade_all, new_seed, submissions_in
    from warploom.grade.formats import as_gradescope, as_junit
    from warploom.grade.report import as_csv, protection, report, table

    paths: list[Path] = []
    for name in files:
        path = Path(name)
        if not path.exists():
            raise UserError(f"{name}: there is no such file or folder")
        paths += submissions_in(path, task) if path.is_dir() else [path]
    jobs = options["jobs"]
    if jobs is not None and jobs < 1:
        raise UserError(f"--jobs {jobs}: write how many submissions are graded at a time, 1 or more")
    if options["seed"] is not None and options["seed"] < 0:
        raise UserError(f"--seed {options['seed']}: a seed is 0 or more")
    if options["gradescope"] and len(paths) != 1:
        raise UserError(f"--gradescope is about one submission, and there are {len(paths)}: use --csv for a class")
    taken = {"-": "--json"} if options["as_json"] else {}
    outputs = {f"--{name}": options["csv_file" if name == "csv" else name] for name in ("csv", "junit", "gradescope")}
    check_targets(outputs, [str(one) for one in (*paths, task.file)], taken)
    seed = new_seed() if options["seed"] is None else options["seed"]
    quiet = options["as_json"] or options["csv_file"] == "-"
    alone = len(paths) == 1

    def heard(outcome: Outcome) -> None:
        if alone and not quiet:
            say(report(outcome, min(screen.width(), 80)))
        elif not quiet:
            say(f"{outcome.submission}: {outcome.got:g} of {outcome.of:g}", err=True)

    found = grade_all(task, paths, seed, engine=options["engine"], jobs=jobs or os.cpu_count() or 1, heard=heard)
    if options["csv_file"] == "-":
        say(as_csv(found), nl=False)
    elif options["csv_file"]:
        write_file(options["csv_file"], as_csv(found))
    if options["junit"]:
        write_file(options["junit"], as_junit(found))
    if options["gradescope"]:
        write_file(options["gradescope"], as_gradescope(found[0]))
    if options["as_json"]:
        print_json({"task": task.name, "seed": seed, "submissions": [one.as_dict() for one in found]})
    elif not alone and not quiet:
        say("\n".join([f"{task.title}, seed {seed}", *table(found)]))
        if (one := next((each for each in found if each.got < each.of), None)) is not None:
            said = f"what is wrong with one: `warploom grade {_of(task)} {shlex.quote(one.submission)} --seed {seed}`"
            say(screen.wrapped(said, "", "  "), err=True)
    if missing := protection(found):
        say(f"note: {missing}", err=True)
    return DONE if all(one.passed for one in found) else FAULT
