"""Everything that who decides about a proposal should see of it, together."""

from pydantic import BaseModel

from registry.api import schemas


class Reviewed(BaseModel):
    """A proposal, the document that it would make a version, and what that changes, breaks and would have told."""

    proposal: schemas.ProposalOut
    preview: schemas.PreviewOut
    diff: schemas.DiffOut
    impact: tuple[schemas.ImpactOut, ...]
    replay: schemas.ReplayOut
