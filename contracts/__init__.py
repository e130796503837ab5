"""What may be promised: contract documents, their faults, their changes."""
