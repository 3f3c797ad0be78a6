"""Explanations made readable for people."""

from facetwise.report.terminal import render, summary

__all__ = ["render", "summary"]
