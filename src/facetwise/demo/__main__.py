"""Shows the tour from the command line: python -m facetwise.demo."""

from facetwise.demo.tour import main

if __name__ == "__main__":
    main()
