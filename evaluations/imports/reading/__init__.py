"""Workers read a file into examples and outputs: new datasets, changes of one, outputs, exports of other tools."""
