"""`python -m facetwise`: the same as the command `facetwise`."""

from facetwise.cli.main import main

if __name__ == "__main__":
    main(prog_name="facetwise")
