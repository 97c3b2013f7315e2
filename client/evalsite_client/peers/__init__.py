"""The entry points of other tools, so that a program moves here with one import changed.

Each module has the names and arguments of one tool's first example; what they record is a run on this site.
"""
