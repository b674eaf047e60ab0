"""Runs a command in this process."""

from click.testing import Result
from typer.testing import CliRunner

from spacemission_env import cli

run_in_process = CliRunner()


def run(*arguments: str, status: int = 0) -> Result:
    """Run a command; a refusal must be one line on standard error."""
    result = run_in_process.invoke(cli.app, arguments)
    assert result.exit_code == status, result.output + repr(result.exception)
    if status == 1:
        assert result.stderr.startswith("spacemission: ")
        assert result.stderr.count("\n") == 1, result.stderr
    else:
        assert result.stderr == "" or status == 2
    return result
