"""The paper's figures, and what it lacks, drawn from the table alone."""
