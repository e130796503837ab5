"""The task queue: leases, priorities, coalesced triggers."""
