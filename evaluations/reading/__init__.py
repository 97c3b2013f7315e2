"""Texts as people read them: what a text is, how two texts differ, and which equal passages are folded. No Django."""
