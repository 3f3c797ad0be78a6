"""A model put behind HTTP, to be asked as services are, and to fail as they do."""

from facetwise.serve.loading import load_model
from facetwise.serve.server import Server, serve
from facetwise.serve.settings import Settings

__all__ = ["Server", "Settings", "load_model", "serve"]
