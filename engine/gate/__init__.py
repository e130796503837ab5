"""Write, audit and publish: stage a candidate, evaluate it, publish or discard it."""
