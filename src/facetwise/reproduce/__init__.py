"""The paper, done again: Cong et al., ICDE 2020."""
