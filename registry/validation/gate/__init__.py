"""Answer whether data may be read or published."""
