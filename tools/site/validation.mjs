// validation.mjs: docs/validation.md as a report: a summary, and one folded line for each case with a plot of how much of its
// tolerance each comparison uses.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { read } from './book.mjs';
import { escape } from './markdown.mjs';

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
    const cells = (line) => line.slice(1, -1).split(/(?<!\\)\|/).map((c) => c.trim());
    const names = cells(table[0]);
    return table.slice(2).map((line) => {
        const row = Object.fromEntries(cells(line).map((c, i) => [names[i], c]));
        const ratio = Number(row.difference) / Number(row.tolerance);
        return { ...row, ratio: Number.isFinite(ratio) ? ratio : 0, kind: kindOf(row) };
    });
}

// share of the tolerance on a logarithmic scale: 1e-6 and less is 0, the tolerance itself is 1
const height = (ratio) => Math.max(0, Math.min(1.15, 1 + Math.log10(Math.max(ratio, 1e-9)) / 6));
const verdictClass = (row) => (row.verdict === 'passed' ? 'ok' : row.verdict === 'skipped' ? 'skip' : 'bad');
const percent = (ratio) => (ratio >= 0.1 ? `${Math.round(ratio * 100)} %` : ratio > 0 ? `${(ratio * 100).toPrecision(1)} %` : '0');

function bars(rows) {
    const width = 240, high = 30, step = Math.min(12, width / rows.length);
    const bar = (row, i) => {
        const h = Math.max(1, height(row.ratio) * (high - 6));
        return `<rect class="${verdictClass(row)}" x="${(i * step).toFixed(1)}" y="${(high - h).toFixed(1)}" width="${Math.max(step - 1, 0.8).toFixed(1)}" height="${h.toFixed(1)}"/>`;
    };
    return `<svg class="bars" viewBox="0 0 ${width} ${high}" role="img" aria-label="share of the tolerance used by each comparison">
<line x1="0" x2="${width}" y1="6" y2="6"/>${rows.map(bar).join('')}</svg>`;
}
const meter = (row) => `<svg class="meter" viewBox="0 0 60 8" aria-hidden="true"><rect class="frame" width="60" height="8"/>
<rect class="${verdictClass(row)}" width="${(Math.min(1, row.ratio) * 60).toFixed(1)}" height="8"/></svg>`;

// what the case's own file says at its head
function description(root, name) {
    const path = [`validation/${name}.yaml`, `examples/${name}.yaml`].find((p) => existsSync(join(root, p)));
    if (!path) return { text: '' };
    const lines = /^(#.*\n)*/.exec(read(root, path))[0].split('\n').map((l) => l.replace(/^# ?/, ''));
    return { path, text: lines.join('\n').trim() };
}

function caseHtml(root, shown, name, rows) {
    const worst = rows.reduce((a, b) => (b.ratio > a.ratio ? b : a));
    const failed = rows.filter((r) => verdictClass(r) === 'bad').length, skipped = rows.filter((r) => verdictClass(r) === 'skip').length;
    const state = failed ? `${failed} failed` : skipped ? `${skipped} skipped` : 'passed';
    const about = description(root, name);
    if (about.path) shown.add(about.path);
    const row = (r) => `<tr><td>${escape(r.quantity)}</td><td>${r.ours}</td><td>${r.reference}</td><td>${r.difference}</td><td>${r.tolerance}</td>
<td>${meter(r)} ${percent(r.ratio)}</td><td class="${verdictClass(r)}">${r.verdict}</td><td>${escape(r.source)}</td></tr>`;
    return `<details class="fold case" id="${name}"><summary><b>${name}</b><span class="count">${rows.length}</span>${bars(rows)}
<span class="worst" title="${escape(worst.quantity)}">${percent(worst.ratio)}</span><span class="${failed ? 'bad' : skipped ? 'skip' : 'ok'}">${state}</span></summary>
${about.text ? `<pre class="about">${escape(about.text)}</pre><p><a href="files/${about.path}.html">${about.path}</a></p>` : ''}
<div class="table"><table><thead><tr><th>quantity</th><th>ours</th><th>reference</th><th>difference</th><th>tolerance</th><th>used</th><th>verdict</th><th>source</th></tr></thead>
<tbody>${rows.map(row).join('\n')}</tbody></table></div></details>`;
}

function summary(rows, cases) {
    const count = (verdict, list = rows) => list.filter((r) => verdictClass(r) === verdict).length;
    const line = ([kind]) => {
        const mine = rows.filter((r) => r.kind === kind);
        if (!mine.length) return '';
        const sorted = mine.map((r) => r.ratio).sort((a, b) => a - b);
        return `<tr><td>${kind}</td><td>${mine.length}</td><td>${count('ok', mine)}</td><td>${count('bad', mine)}</td><td>${count('skip', mine)}</td>
<td>${percent(sorted[sorted.length >> 1])}</td><td>${percent(sorted.at(-1))}</td></tr>`;
    };
    return `<p class="numbers"><span><b>${rows.length}</b> comparisons</span><span><b>${cases}</b> cases</span>
<span class="ok"><b>${count('ok')}</b> passed</span><span class="${count('bad') ? 'bad' : ''}"><b>${count('bad')}</b> failed</span><span><b>${count('skip')}</b> skipped</span></p>
<h2 id="by-source">By source</h2><div class="table"><table><thead><tr><th>source</th><th>comparisons</th><th>passed</th><th>failed</th><th>skipped</th>
<th>tolerance used, median</th><th>worst</th></tr></thead><tbody>${kinds.map(line).join('')}</tbody></table></div>`;
}

export function makeValidation(root, page, texts, render, shown) {
    const markdown = texts.get(page.source);
    const rows = parse(markdown), cases = Map.groupBy ? Map.groupBy(rows, (r) => r.case) : new Map();
    if (!cases.size) for (const r of rows) cases.set(r.case, [...(cases.get(r.case) ?? []), r]);
    const intro = render(markdown.slice(markdown.indexOf('\n'), markdown.indexOf('\n|')), page);
    page.toc = [{ level: 2, id: 'by-source', text: 'By source' }, { level: 2, id: 'cases', text: 'Cases' }];
    page.sections = [...cases].map(([name, list]) => ({ title: name, anchor: name, text: `${description(root, name).text} ${[...new Set(list.map((r) => r.source))].join(' ')}` }));
    page.wide = true;
    page.html = `<h1>Validation</h1>${summary(rows, cases.size)}
<h2 id="cases">Cases</h2><p>One bar for each comparison: the share of its tolerance that the difference uses, on a logarithmic scale from 10<sup>−6</sup> to the
tolerance itself (the line). The number behind it is the worst of the case. Open a case for its numbers and its source.</p>
<p><input id="filter" type="search" placeholder="Filter cases, for example: pendulum" aria-label="Filter cases"></p>
${[...cases].map(([name, list]) => caseHtml(root, shown, name, list)).join('\n')}
<h2 id="how">How it is made</h2>${intro}`;
}
