"""Process lineage events: fold them into runs and react to their triggers."""
