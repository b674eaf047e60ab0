"""Scripts that measured something once; run one as `python -m studies.NAME`."""
