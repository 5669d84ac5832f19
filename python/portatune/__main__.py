"""`python -m portatune`: the command."""

from portatune._command import main

main()
