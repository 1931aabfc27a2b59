"""`python -m retentive.cli`: the command line where the script is not on the path."""

from retentive.cli import main

if __name__ == "__main__":
    main(prog_name="retentive")
