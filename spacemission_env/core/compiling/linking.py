"""Links compiled functions once: much less to compile than numba compiles by itself (README.md).

A function that another one calls is only *lowered*: its code is written down, not optimised. What Python
calls is lowered likewise, linked with the parts that it is made of, and optimised once. A part takes types of
its arguments coarsely: a literal as a plain number, an integer of few bits as one of 64.
"""

# mypy: disable-error-code="attr-defined, assignment, misc, no-untyped-call"
# (Numba's stubs leave out what is inside.)

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

from spacemission_env.core.compiling.cache import Numba, alone
from spacemission_env.core.compiling.notice import announce_compiling
from spacemission_env.core.compiling.passes import PlainPipeline, is_plain

OPTIMISED = 2  # LLVM's level, unless NUMBA_OPT is lower


class Part(JITCodeLibrary):
    """The code of one function as it was lowered, and the libraries that it calls."""

    def add_linking_library(self, library: Numba) -> None:
        """Enter what the function calls."""
        if not isinstance(library, Part):
            library._ensure_finalized()
        self._linking_libraries.append(library)

    def add_llvm_module(self, ll_module: Numba) -> None:
        """Enter code, as it is."""
        ll_module.data_layout = self._codegen._data_layout
        self._final_module.link_in(ll_module)

    def lowered(self) -> None:
        """Nothing is added any more."""
        self._finalized = True

    def finalize(self) -> None:
        """There is no machine code of a part alone."""
        raise RuntimeError(f"{self.name}: a part was to be run by itself")

    def with_all(self) -> Numba:
        """A module of this code and of all that it calls."""
        module = self._final_module.clone()
        for library in self._called():
            self._reload_init.update(library._reload_init)
            # Of these, what nobody has called so far is left out: a caller comes before what it calls.
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
        # This code alone, such that several copies of it are no error.
        if self._shared_module is None:
            self._shared_module = _shared(self._final_module.clone())
        return self._shared_module

    def _ensure_finalized(self) -> None:
        pass  # numba asks for it before it links

    def _get_module_for_linking(self) -> Numba:
        return _shared(self.with_all())  # into a function of the user's that numba itself compiles


def _shared(module: Numba) -> Numba:
    for function in module.functions:
        if not function.is_declaration and function.linkage == llvm.Linkage.external:
            function.linkage = llvm.Linkage.linkonce_odr
    return module


class Whole(JITCodeLibrary):
    """The machine code of a door, made of its part and of all that this calls."""

    def __init__(self, part: Part, description: Numba, once: bool) -> None:
        """Link, optimise and load it; `description`: numba's, of the function; `once`: in one round only."""
        super().__init__(part.codegen, part.name)
        self._once = once
        self.enable_object_caching()
        module = part.with_all()
        module.name = self._final_module.name
        entries = description.llvm_func_name, description.llvm_cpython_wrapper_name
        for function in module.functions:
            if not function.is_declaration and function.name not in entries:
                function.linkage = llvm.Linkage.internal  # nobody else calls it: it need not be kept
        self._final_module = module
        self._reload_init.update(part._reload_init)
        self.finalize()

    def _optimize_final_module(self) -> None:
        # At the second of LLVM's levels, not numba's third: a fifth less to wait, and the code is as quick.
        # Before that a cheap round, without which loops over bytes and floats are not made eight at a time.
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
    """Numba's flags of a compilation, which are looked up by the ten thousand: quick to tell apart."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._values)))

    def __eq__(self, other: object) -> bool:
        if type(other) is type(self) and self._values == other._values:
            return True
        return bool(super().__eq__(other))


class PartKey:
    """What numba finds a part by, where it finds other functions by their machine code."""


class LinkedDispatcher(CPUDispatcher):
    """A compiled function: a door where Python calls it, a part where another compiled function does."""

    def __init__(self, *arguments: Numba, **options: Numba) -> None:
        """As numba's."""
        super().__init__(*arguments, **options)
        self.once = False
        self._parts: dict[tuple[Numba, ...], Numba] = {}
        self._failed: dict[tuple[Numba, ...], errors.NumbaError] = {}  # so that no type is tried again

    def get_call_template(self, args: Numba, kws: Numba) -> Numba:
        """What numba asks for a function that is called in another: lower it, and say what it returns."""
        signature, args = self._compiler.fold_argument_types(args, kws)
        plain = tuple(map(_plain, args))
        with global_compiler_lock, self._compiling_counter:
            try:
                self._part(plain)
            except (
                errors.NumbaError
            ):  # a literal may have to be one, as an index into a tuple of several types
                if plain == tuple(args):
                    raise
                plain = tuple(args)
                self._part(plain)
        found = [result.signature for result in self._parts.values()]
        name = self.py_func.__name__
        return typing.make_concrete_template(f"CallTemplate({name})", name, found), signature, plain, {}

    def get_overload(self, sig: Numba) -> Numba:
        """What the part of a signature is found by."""
        return self._parts[tuple(sigutils.normalize_signature(sig)[0])].entry_point

    def compile(self, sig: Numba) -> Numba:
        """Load or compile the door of a signature."""
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
                        return self._compile_door(sig, args, return_type)
            self._cache_hits[sig] += 1
            self.add_overload(result)
            return result.entry_point

    def _compile_door(self, sig: Numba, args: tuple[Numba, ...], return_type: Numba) -> Numba:
        self._cache_misses[sig] += 1
        announce_compiling()
        with _no_collection():
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
            announce_compiling()
            with self._event(args, None):
                try:
                    part = self._lower(args, None, False)
                except errors.NumbaError as error:
                    self._failed[args] = error.with_traceback(None)
                    raise
            part = part._replace(entry_point=PartKey())
            self.targetctx.insert_user_function(part.entry_point, part.fndesc, [part.library])
            self._parts[args] = part

    def _lower(self, args: tuple[Numba, ...], return_type: Numba, for_python: bool) -> Numba:
        if is_plain(self.py_func.__code__):
            try:
                return self._lowered(args, return_type, for_python, PlainPipeline)
            except errors.NumbaError:
                pass  # it is not plain, or wrong: numba itself says how
        return self._lowered(args, return_type, for_python, self._compiler.pipeline_class)

    def _lowered(
        self, args: tuple[Numba, ...], return_type: Numba, for_python: bool, pipeline: Numba
    ) -> Numba:
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
                locals=self.locals, library=library, pipeline_class=pipeline,
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
    # The type that a part is compiled for, where it is called with this one.
    one = types.unliteral(one)
    return types.int64 if isinstance(one, types.Integer) and one.signed else one


@contextmanager
def _no_collection() -> Iterator[None]:
    # What numba builds lives until it is done: looking through it for garbage costs a tenth of the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
