"""Plan which components one scan computes."""
