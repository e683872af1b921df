// validation.mjs: docs/validation.md as a report: a summary, and one folded line for each case with a plot of ours against
// the reference and one of how much of its tolerance each comparison uses.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { read } from './book.mjs';
import { escape, htmlTable } from './markdown.mjs';

// kinds of sources, by what their texts say; the first that fits counts
const kinds = [
    ['other programs', /adams|calculix|abaqus|openfast/i],
    ['published results', /et al\.|nafems|ivp test set|fryba|\b(19|20)\d\d\b/i],
    ['conservation and symmetry', /conserv|constant|symmetry|^energy|start value|mean of/i],
    ['independent computation', /independent|apart|other formulation|modal bodies|parts,|integration/i],
    ['exact solution', /./],
];
const kindOf = (row) => kinds.find(([, words]) => words.test(row.source))[0];

function parse(markdown) {
    const table = markdown.split('\n').filter((l) => l.startsWith('|'));
    const cells = (line) =>
        line
            .slice(1, -1)
            .split(/(?<!\\)\|/)
            .map((c) => c.trim());
    const names = cells(table[0]);
    return table.slice(2).map((line) => {
        const row = Object.fromEntries(cells(line).map((c, i) => [names[i], c]));
        const ratio = Number(row.difference) / Number(row.tolerance);
        return { ...row, ratio: Number.isFinite(ratio) ? ratio : 0, kind: kindOf(row) };
    });
}

// ---- plots: the share of the tolerance that a difference uses ------------------------------------

// logarithmic: 1e-6 and less is 0, the tolerance itself is 1
const height = (ratio) => Math.max(0, Math.min(1.15, 1 + Math.log10(Math.max(ratio, 1e-9)) / 6));
const state = (row) => ({ passed: 'ok', skipped: 'skip' })[row.verdict] ?? 'bad';
const count = (rows, wanted) => rows.filter((r) => state(r) === wanted).length;
function percent(ratio) {
    if (ratio >= 0.1) return `${Math.round(ratio * 100)} %`;
    return ratio > 0 ? `${(ratio * 100).toPrecision(1)} %` : '0';
}

const box = (row, x, y, w, h) =>
    `<rect class="${state(row)}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${w.toFixed(1)}" height="${h.toFixed(1)}"/>`;

function bars(rows) {
    const width = 240,
        high = 30,
        step = Math.min(12, width / rows.length);
    const heights = rows.map((row) => Math.max(1, height(row.ratio) * (high - 6)));
    const boxes = rows.map((row, i) => box(row, i * step, high - heights[i], Math.max(step - 1, 0.8), heights[i]));
    return `<svg class="bars" viewBox="0 0 ${width} ${high}" role="img" aria-label="tolerance used by each comparison">
<line x1="0" x2="${width}" y1="6" y2="6"/>${boxes.join('')}</svg>`;
}
// ours over reference, on the diagonal where they agree; signed logarithms, since a case has lengths beside pressures
function parity(rows) {
    const pairs = rows.map((r) => [Number(r.reference), Number(r.ours), r]).filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));
    const least = Math.min(...pairs.flatMap(([a, b]) => [Math.abs(a), Math.abs(b)]).filter((v) => v > 0));
    const scale = (v) => Math.sign(v) * Math.log10(1 + Math.abs(v) / least);
    const all = pairs.flatMap(([a, b]) => [scale(a), scale(b)]), from = Math.min(...all), range = Math.max(...all) - from || 1;
    const place = (v) => (2 + (26 * (scale(v) - from)) / range).toFixed(1);
    const dots = pairs.map(([a, b, r]) => `<circle class="${state(r)}" cx="${place(a)}" cy="${30 - place(b)}" r="1.6"/>`);
    return `<svg class="parity" viewBox="0 0 30 30" role="img" aria-label="ours against reference">
<line x1="0" y1="30" x2="30" y2="0"/>${dots.join('')}</svg>`;
}
const meter = (row) => `<svg class="meter" viewBox="0 0 60 8" aria-hidden="true">
<rect class="frame" width="60" height="8"/>${box(row, 0, 0, Math.min(1, row.ratio) * 60, 8)}</svg> ${percent(row.ratio)}`;

// ---- the page -----------------------------------------------------------------------------------

// what the case's own file says at its head
function description(root, name) {
    const path = [`validation/${name}.yaml`, `examples/${name}.yaml`].find((p) => existsSync(join(root, p)));
    if (!path) return { text: '' };
    const lines = /^(#.*\n)*/.exec(read(root, path))[0].split('\n');
    return {
        path,
        text: lines
            .map((l) => l.replace(/^# ?/, ''))
            .join('\n')
            .trim(),
    };
}

const heads = ['quantity', 'ours', 'reference', 'difference', 'tolerance', 'used', 'verdict', 'source'];
function caseHtml(name, rows, about) {
    const worst = rows.reduce((a, b) => (b.ratio > a.ratio ? b : a));
    const failed = count(rows, 'bad'),
        skipped = count(rows, 'skip');
    const [verdict, word] = failed
        ? ['bad', `${failed} failed`]
        : skipped
          ? ['skip', `${skipped} skipped`]
          : ['ok', 'passed'];
    const cells = (r) => [
        escape(r.quantity),
        r.ours,
        r.reference,
        r.difference,
        r.tolerance,
        meter(r),
        `<span class="${state(r)}">${r.verdict}</span>`,
        escape(r.source),
    ];
    const text = about.text && `<pre class="about">${escape(about.text)}</pre>`;
    const file = about.path ? `<p><a href="files/${about.path}.html">${about.path}</a></p>` : '';
    return `<details class="fold case" id="${name}">
<summary><b>${name}</b><span class="count">${rows.length}</span>${parity(rows)}${bars(rows)}
<span class="worst" title="${escape(worst.quantity)}">${percent(worst.ratio)}</span>
<span class="${verdict}">${word}</span></summary>
${text}${file}${htmlTable(heads, rows.map(cells))}</details>`;
}

function bySource(rows) {
    const line = ([kind]) => {
        const mine = rows.filter((r) => r.kind === kind);
        const used = mine.map((r) => r.ratio).sort((a, b) => a - b);
        return [
            kind,
            mine.length,
            count(mine, 'ok'),
            count(mine, 'bad'),
            count(mine, 'skip'),
            percent(used[used.length >> 1]),
            percent(used.at(-1)),
        ];
    };
    const there = kinds.filter(([kind]) => rows.some((r) => r.kind === kind));
    return htmlTable(
        ['source', 'comparisons', 'passed', 'failed', 'skipped', 'tolerance used, median', 'worst'],
        there.map(line),
    );
}

function numbers(rows, cases) {
    const entries = [
        [rows.length, 'comparisons'],
        [cases, 'cases'],
        [count(rows, 'ok'), 'passed', 'ok'],
        [count(rows, 'bad'), 'failed', count(rows, 'bad') ? 'bad' : ''],
        [count(rows, 'skip'), 'skipped'],
    ];
    const cards = entries.map(([n, word, look = '']) => `<span class="${look}"><b>${n}</b> ${word}</span>`);
    return `<p class="numbers">${cards.join('')}</p>`;
}

export function makeValidation(root, page, texts, render, shown) {
    const markdown = texts.get(page.source);
    const rows = parse(markdown);
    const names = [...new Set(rows.map((r) => r.case))];
    const cases = names.map((name) => ({
        name,
        rows: rows.filter((r) => r.case === name),
        about: description(root, name),
    }));
    for (const c of cases.filter((c) => c.about.path)) shown.add(c.about.path);
    const intro = render(markdown.slice(markdown.indexOf('\n'), markdown.indexOf('\n|')), page);
    page.toc = [
        { level: 2, id: 'by-source', text: 'By source' },
        { level: 2, id: 'cases', text: 'Cases' },
        { level: 2, id: 'how', text: 'How it is made' },
    ];
    const sources = (c) => [...new Set(c.rows.map((r) => r.source))].join(' ');
    page.sections = cases.map((c) => ({ title: c.name, anchor: c.name, text: `${c.about.text} ${sources(c)}` }));
    page.wide = true;
    page.html = `<h1>Validation</h1>${numbers(rows, cases.length)}
<h2 id="by-source">By source</h2>${bySource(rows)}
<h2 id="cases">Cases</h2><p>On the left ours against the
reference (signed logarithms; on the line they agree), then one bar for each comparison: the share of its tolerance that the difference uses, on a
logarithmic scale from 10<sup>−6</sup> to the tolerance itself (the line). The number next to it is the largest share of
the case. Open a case for its numbers and its sources.</p>
<p><input id="filter" type="search" placeholder="Filter cases, for example: pendulum" aria-label="Filter cases"></p>
${cases.map((c) => caseHtml(c.name, c.rows, c.about)).join('\n')}
<h2 id="how">How it is made</h2>${intro}`;
}
