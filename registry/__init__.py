"""Memory and procedure: versions, approval, audit, tasks, lineage, HTTP."""
