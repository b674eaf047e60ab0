"""Links each compiled function once, which takes less time than numba's own way (README.md).

A function that another compiled function calls becomes a *part*: lowered to LLVM code, not optimised. A
function that Python calls is lowered too, linked with its parts, and optimised once. Parts accept coarse
argument types: a literal becomes a plain number, a small integer a 64-bit one.
"""

# mypy: disable-error-code="attr-defined, assignment, misc, no-untyped-call"
# (Numba's stubs omit internals.)

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import numba
from llvmlite import binding as llvm
from numba.core import compiler, errors, event, sigutils, types, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from spacemission_env.core.compiling.cache import Numba, alone, compiling

OPTIMISED = 2  # LLVM's optimisation level, unless NUMBA_OPT is lower


class Part(JITCodeLibrary):
    """The unoptimised code of one function, and the libraries that it calls."""

    def add_linking_library(self, library: Numba) -> None:
        """Add a library that the function calls."""
        if not isinstance(library, Part):
            library._ensure_finalized()
        self._linking_libraries.append(library)

    def add_llvm_module(self, ll_module: Numba) -> None:
        """Add code without optimising it."""
        ll_module.data_layout = self._codegen._data_layout
        self._final_module.link_in(ll_module)

    def lowered(self) -> None:
        """Mark the part as complete."""
        self._finalized = True

    def finalize(self) -> None:
        """Refuse: a part alone has no machine code."""
        raise RuntimeError(f"{self.name}: a part cannot run by itself")

    def with_all(self) -> Numba:
        """A module with this code and all code that it calls."""
        module = self._final_module.clone()
        for library in self._called():
            self._reload_init.update(library._reload_init)
            # LLVM drops functions that nothing has called yet, so callers are linked before what they call.
            own = library._own() if isinstance(library, Part) else library._get_module_for_linking()
            module.link_in(own, preserve=True)
        return module

    def _called(self) -> list[Numba]:
        found: dict[int, Numba] = {}
        left = list(reversed(self._linking_libraries))
        while left:
            library = left.pop()
            if id(library) not in found:
                found[id(library)] = library
                if isinstance(library, Part):
                    left += reversed(library._linking_libraries)
        return list(found.values())

    def _own(self) -> Numba:
        # This code alone; several copies of it may be linked.
        if self._shared_module is None:
            self._shared_module = _shared(self._final_module.clone())
        return self._shared_module

    def _ensure_finalized(self) -> None:
        pass  # numba calls this before it links

    def _get_module_for_linking(self) -> Numba:
        return _shared(self.with_all())  # for a user's function that numba itself compiles


def _shared(module: Numba) -> Numba:
    for function in module.functions:
        if not function.is_declaration and function.linkage == llvm.Linkage.external:
            function.linkage = llvm.Linkage.linkonce_odr
    return module


class Whole(JITCodeLibrary):
    """The machine code of a function that Python calls, linked from its parts."""

    def __init__(self, part: Part, description: Numba, once: bool) -> None:
        """Link, optimise and load; `description`: numba's function descriptor; `once`: one round of
        optimisation.
        """
        super().__init__(part.codegen, part.name)
        self._once = once
        self.enable_object_caching()
        module = part.with_all()
        module.name = self._final_module.name
        entries = description.llvm_func_name, description.llvm_cpython_wrapper_name
        for function in module.functions:
            if not function.is_declaration and function.name not in entries:
                function.linkage = llvm.Linkage.internal  # LLVM may inline and drop it
        self._final_module = module
        self._reload_init.update(part._reload_init)
        self.finalize()

    def _optimize_final_module(self) -> None:
        # LLVM level 2 instead of numba's 3 takes a fifth less time, and the code is as fast. The cheap round
        # before it is needed to vectorise loops over bytes and floats.
        passes = self._codegen._module_pass_manager
        if not self._once:
            cheap, builder = passes(
                loop_vectorize=self._codegen._loopvect, slp_vectorize=False,
                opt=self._codegen._opt_level, cost="cheap",
            )  # fmt: skip
            cheap.run(self._final_module, builder)
        full, builder = passes(opt=min(int(numba.config.OPT), OPTIMISED))
        full.run(self._final_module, builder)


class QuickFlags(compiler.Flags):
    """Numba's compilation flags with fast comparison, because numba looks them up very often."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._values)))

    def __eq__(self, other: object) -> bool:
        if type(other) is type(self) and self._values == other._values:
            return True
        return bool(super().__eq__(other))


class PartKey:
    """The key under which numba finds a part; other functions are found by their machine code."""


class LinkedDispatcher(CPUDispatcher):
    """A compiled function: a linked `Whole` for Python, and a `Part` for other compiled functions."""

    def __init__(self, *arguments: Numba, **options: Numba) -> None:
        super().__init__(*arguments, **options)
        self.once = False
        self._parts: dict[tuple[Numba, ...], Numba] = {}
        self._failed: dict[tuple[Numba, ...], errors.NumbaError] = {}  # failed types are not retried

    def get_call_template(self, args: Numba, kws: Numba) -> Numba:
        """Lower the function for a caller, and return its signature (numba's protocol)."""
        signature, args = self._compiler.fold_argument_types(args, kws)
        plain = tuple(map(_plain, args))
        with global_compiler_lock, self._compiling_counter:
            try:
                self._part(plain)
            except errors.NumbaError:  # an index into a heterogeneous tuple must stay a literal
                if plain == tuple(args):
                    raise
                plain = tuple(args)
                self._part(plain)
        found = [result.signature for result in self._parts.values()]
        name = self.py_func.__name__
        return typing.make_concrete_template(f"CallTemplate({name})", name, found), signature, plain, {}

    def get_overload(self, sig: Numba) -> Numba:
        """The key of the part with this signature."""
        return self._parts[tuple(sigutils.normalize_signature(sig)[0])].entry_point

    def compile(self, sig: Numba) -> Numba:
        """Load or compile the function for a call from Python."""
        with global_compiler_lock, self._compiling_counter:
            args, return_type = sigutils.normalize_signature(sig)
            args = tuple(args)
            if args in self.overloads:
                return self.overloads[args].entry_point
            if not self._can_compile:
                raise RuntimeError("compilation disabled")
            result = self._cache.load_overload(sig, self.targetctx)
            if result is None:
                with self._event(args, return_type), alone(self._cache, sig, self.targetctx):
                    result = self._cache.load_overload(sig, self.targetctx)
                    if result is None:
                        return self._compile_whole(sig, args, return_type)
            self._cache_hits[sig] += 1
            self.add_overload(result)
            return result.entry_point

    def _compile_whole(self, sig: Numba, args: tuple[Numba, ...], return_type: Numba) -> Numba:
        self._cache_misses[sig] += 1
        with compiling(), _no_collection():
            part = self._lower(args, return_type, True)
            whole = Whole(part.library, part.fndesc, self.once)
            entry = self.targetctx.get_executable(whole, part.fndesc, part.environment)
            result = part._replace(library=whole, entry_point=entry)
            for environment in result._find_referenced_environments():
                whole.codegen.set_env(environment.env_name, environment)
            self.add_overload(result)
        self._cache.save_overload(sig, result)
        return result.entry_point

    def _part(self, args: tuple[Numba, ...]) -> None:
        if args in self._failed:
            raise self._failed[args]
        if args not in self._parts:
            with compiling(), self._event(args, None):
                try:
                    part = self._lower(args, None, False)
                except errors.NumbaError as error:
                    self._failed[args] = error.with_traceback(None)
                    raise
            part = part._replace(entry_point=PartKey())
            self.targetctx.insert_user_function(part.entry_point, part.fndesc, [part.library])
            self._parts[args] = part

    def _lower(self, args: tuple[Numba, ...], return_type: Numba, for_python: bool) -> Numba:
        flags = QuickFlags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = True
        flags.no_cfunc_wrapper = True
        flags.no_cpython_wrapper = not for_python
        library = Part(self.targetctx.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        try:
            result = compiler.compile_extra(
                self.typingctx, self.targetctx, self.py_func, args=args, return_type=return_type, flags=flags,
                locals=self.locals, library=library, pipeline_class=self._compiler.pipeline_class,
            )  # fmt: skip
        except errors.ForceLiteralArg as error:
            raise error.bind_fold_arguments(
                lambda *given: self._compiler.fold_argument_types(*given)[1]
            ) from None
        library.lowered()
        return result

    def _event(self, args: tuple[Numba, ...], return_type: Numba) -> Numba:
        details = {"dispatcher": self, "args": args, "return_type": return_type}
        return event.trigger_event("numba:compile", data=details)


def _plain(one: Numba) -> Numba:
    # The coarse type for which a part is compiled.
    one = types.unliteral(one)
    return types.int64 if isinstance(one, types.Integer) and one.signed else one


@contextmanager
def _no_collection() -> Iterator[None]:
    # Numba's objects live until the compilation ends; collecting garbage takes a tenth of the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
