// Exports the view library: preact with htm's templates.
import { h, render } from "preact";
import htm from "htm";

export { render };
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export const html = htm.bind(h);
