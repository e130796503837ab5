"""Run the `treaty` command: `python -m treaty`."""

import sys


def main() -> None:
    """Run the command. The supervisor of a worker is started without the libraries of the other commands."""
    if sys.argv[1:] == ["worker"]:
        from treaty.registry.worker import supervisor

        supervisor.main()
    from treaty.registry.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
