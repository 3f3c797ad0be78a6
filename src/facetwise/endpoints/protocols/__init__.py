"""What services speak, one protocol a file."""
