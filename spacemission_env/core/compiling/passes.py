"""Lowers plain functions with numba's necessary passes only, which takes a fifth less time.

A plain function has no closure, `with`, `literally`, `literal_unroll`, inlined overload or exception with
variables. If these passes fail, all of numba's passes are used (linking.py).
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from types import CodeType
from typing import Any

from numba.core import typed_passes as typed
from numba.core import types
from numba.core import untyped_passes as untyped
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.ir import Assign, Expr


@register_pass(mutates_CFG=True, analysis_only=False)
class RewriteArrays(typed.NopythonRewrites):
    """Numba's rewriting of whole-array arithmetic, skipped if there is none."""

    _name = "rewrite_arrays"

    def run_pass(self, state: Any) -> bool:
        arrays = any(
            isinstance(state.typemap.get(one.target.name), types.Array)
            for block in state.func_ir.blocks.values()
            for one in block.find_insts(Assign)
            if isinstance(one.value, Expr) and one.value.op in _ARITHMETIC
        )
        return bool(super().run_pass(state)) if arrays else False


_ARITHMETIC = ("binop", "unary", "inplace_binop")


class PlainPipeline(CompilerBase):
    """Numba's compiler for plain functions."""

    def define_pipelines(self) -> list[PassManager]:
        steps = [
            untyped.TranslateByteCode,
            untyped.FixupArgs,
            untyped.IRProcessing,
            untyped.RewriteSemanticConstants,
            untyped.DeadBranchPrune,
            untyped.GenericRewrites,
            untyped.ReconstructSSA,
            untyped.DeadBranchPrune,
            typed.NopythonTypeInference,
            typed.PreLowerStripPhis,
            RewriteArrays,
            typed.IRLegalization,
            typed.AnnotateTypes,
            typed.NativeLowering,
            typed.NoPythonBackend,
        ]
        manager = PassManager("plain")
        for step in steps:
            manager.add_pass(step, "")
        manager.finalize()
        return [manager]


def is_plain(code: CodeType) -> bool:
    """Whether a function contains no other function."""
    return not any(isinstance(constant, CodeType) for constant in code.co_consts)
