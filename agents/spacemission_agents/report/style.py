"""The report's style: light and dark, from a phone to a desk.

Categories have the colours of Okabe & Ito (2008), which people with any kind of colour vision tell apart;
shares go from orange over the page's own colour (50 %) to blue, for the same reason.
"""

CATEGORY_COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#8a8f94")

STYLE = """
:root { color-scheme: light dark; --ink: #1c2530; --soft: #55606c; --page: #fff; --rule: #d5dbe2;
        --mark: #1f6fb2; --bar: #9cc3e4; --line: #b3541e; --most: .72; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --soft: #a3adb8; --page: #14181d; --rule: #343c45;
          --mark: #6cb3ee; --bar: #2f5f88; --line: #f0a36b; --most: .5; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1.2rem 1rem 4rem;
       color: var(--ink); background: var(--page); -webkit-text-size-adjust: 100%; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .4rem; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
p { margin: .5rem 0; } .lead { font-size: 1.05rem; } .note { color: var(--soft); font-size: .9rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .3rem .6rem; text-align: right; white-space: nowrap; vertical-align: top;
         border-bottom: 1px solid var(--rule); }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; white-space: normal; }
tbody th { font-weight: normal; }
.left, tbody th { text-align: left; white-space: normal; overflow-wrap: anywhere; }
tbody th, thead th:first-child { position: sticky; left: 0; background: var(--page); text-align: left;
         min-width: 7.5rem; max-width: 15rem; }
.left { min-width: 8rem; } svg + .wide { margin-top: 1rem; } details[open] summary { margin-bottom: .5rem; }
@media (min-width: 52rem) { tbody th, thead th:first-child { min-width: 13.5rem; } }
small { display: block; color: var(--soft); font-size: .8rem; }
.heat td { text-align: center; border: 2px solid var(--page); padding: .25rem .45rem; min-width: 4.6rem; }
.heat thead th { text-align: center; } .heat thead th:first-child { text-align: left; }
.heat small { color: inherit; font-size: .72rem; }
.over { background: rgb(62 142 208 / calc(var(--d) * var(--most))); }
.under { background: rgb(226 128 40 / calc(var(--d) * var(--most))); }
.key { display: flex; flex-wrap: wrap; gap: .2rem .9rem; }
.key span { display: inline-flex; align-items: center; gap: .35rem; }
.key i { width: .9rem; height: .9rem; border-radius: 2px; display: inline-block; }
svg { display: block; font-size: 14px; overflow: visible; } svg text { fill: var(--ink); }
svg .tick { fill: var(--soft); font-size: 12px; } svg .figure { fill: var(--soft); font-size: 13px; }
svg text { paint-order: stroke; stroke: var(--page); stroke-width: 4px; stroke-linejoin: round; }
.grid { stroke: var(--rule); } .reference { stroke: var(--line); stroke-dasharray: 4 4; stroke-width: 1.5; }
.whisker { stroke: var(--ink); stroke-width: 1.5; } .bar { fill: var(--bar); }
.dot { fill: var(--mark); } .fixed { fill: var(--page); stroke: var(--mark); stroke-width: 2.5; }
code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; } a { color: var(--mark); }
summary { cursor: pointer; } img { max-width: 100%; height: auto; background: #fff; }
""" + "".join(
    f"rect.c{i} {{ fill: {colour}; stroke: var(--page); stroke-width: .5; }}\n"
    f"i.c{i} {{ background: {colour}; }}\n"
    for i, colour in enumerate(CATEGORY_COLOURS)
)
