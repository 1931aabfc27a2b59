"""What keeps memory bounded and correct: erase, export and import, and the index rebuilt from the truth."""
