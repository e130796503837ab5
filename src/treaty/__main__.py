"""Run the `treaty` command: `python -m treaty`."""

from treaty.registry.cli.main import main

if __name__ == "__main__":
    main()
