"""Explanations made readable for people."""

from facetwise.report.document import write
from facetwise.report.terminal import render, summary

__all__ = ["render", "summary", "write"]
