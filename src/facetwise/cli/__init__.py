"""The command line, a file for each command: parse, call, show."""
