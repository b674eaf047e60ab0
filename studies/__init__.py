"""Scripts that measured something once; run one as `python -m studies.NAME`. Not in the wheel."""
