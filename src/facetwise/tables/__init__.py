"""Tables of pandas and polars, in and out, and settings by the names they bring."""
