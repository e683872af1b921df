// sensitivity.ts: indices of a study: those of Sobol as bars with their bounds, those of Morris in the plane of mu* and sigma.
import type { Study } from './data';
import { h, replace, show } from './dom';

const ns = 'http://www.w3.org/2000/svg';
function draw(tag: string, attributes: Record<string, string | number>, text = ''): SVGElement {
    const e = document.createElementNS(ns, tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
    e.textContent = text;
    return e;
}

/** index(parameter, column): nan: unknown. */
type Indices = (parameter: number, column: string) => number;

const percent = (x: number, low: number, high: number) => `${(100 * (x - low)) / (high - low)}%`;

/** Two bars for each parameter, those of the largest total first. */
function bars(names: string[], rows: number[], index: Indices): HTMLElement {
    const columns = ['first', 'total'], all = rows.flatMap((j) => columns.flatMap((c) => [index(j, c), index(j, `${c}_low`), index(j, `${c}_high`)])).filter(Number.isFinite);
    const low = Math.min(0, ...all), high = Math.max(1, ...all);
    const sorted = [...rows].sort((a, b) => (index(b, 'total') || 0) - (index(a, 'total') || 0));
    const bar = (j: number, column: string) => {
        const value = index(j, column), [a, b] = [index(j, `${column}_low`), index(j, `${column}_high`)];
        const text = Number.isFinite(a) && Number.isFinite(b) ? `${show(value, 3)} (${show(a, 3)} \u2026 ${show(b, 3)})` : show(value, 3);
        return h('div', { class: `index-bar ${column}`, title: `${column}: ${text}` },
            Number.isFinite(value) && h('i', { style: `left:${percent(Math.min(0, value), low, high)};width:${percent(Math.abs(value) + low, low, high)}` }),
            Number.isFinite(a) && Number.isFinite(b) && h('b', { style: `left:${percent(a, low, high)};width:${percent(b - a + low, low, high)}` }),
            h('span', {}, text));
    };
    return h('div', { class: 'index-bars' }, ...sorted.flatMap((j) => [h('div', { class: 'index-name', title: names[j] }, names[j]), h('div', {}, ...columns.map((c) => bar(j, c)))]));
}

function plane(names: string[], rows: number[], index: Indices): SVGElement {
    const width = 520, height = 300, left = 60, bottom = 40, known = rows.filter((j) => Number.isFinite(index(j, 'mu_star') + index(j, 'sigma')));
    const largest = (column: string) => Math.max(1e-300, ...known.map((j) => index(j, column))) * 1.15;
    const mu = largest('mu_star'), sigma = largest('sigma');
    const x = (v: number) => left + (v / mu) * (width - left - 20), y = (v: number) => height - bottom - (v / sigma) * (height - bottom - 14);
    const svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, class: 'plane' }), end = Math.min(mu, sigma);
    svg.append(draw('path', { d: `M${x(0)} ${y(sigma)}V${y(0)}H${x(mu)}`, class: 'axis' }), draw('path', { d: `M${x(0)} ${y(0)}L${x(end)} ${y(end)}`, class: 'equal' }));
    for (const f of [0.25, 0.5, 0.75]) {
        svg.append(draw('text', { x: x(f * mu), y: height - bottom + 15, 'text-anchor': 'middle' }, show(f * mu, 2)));
        svg.append(draw('text', { x: left - 6, y: y(f * sigma) + 4, 'text-anchor': 'end' }, show(f * sigma, 2)));
    }
    svg.append(draw('text', { x: (left + width) / 2, y: height - 6, 'text-anchor': 'middle' }, 'mu*: mean size of the effect'));
    svg.append(draw('text', { x: left + 6, y: 12 }, 'sigma: how it varies'));
    for (const j of known) {
        svg.append(draw('circle', { cx: x(index(j, 'mu_star')), cy: y(index(j, 'sigma')), r: 4 }));
        svg.append(draw('text', { x: x(index(j, 'mu_star')) + 7, y: y(index(j, 'sigma')) - 5, class: 'name' }, names[j]));
    }
    return svg;
}

/** Fills a section, unless the study has no indices. wanted: names of the parameters that vary. */
export function sensitivities(out: HTMLElement, study: Study, wanted: string[]): void {
    const { method, measures, parameters, columns } = study.header, { indices } = study;
    if (indices.rows === 0 || (method !== 'sobol' && method !== 'morris')) return;
    const names = parameters.map((p) => p.name), rows = names.map((_, j) => j).filter((j) => wanted.includes(names[j]));
    const select = h('select', { 'aria-label': 'Measure' }, ...measures.map((m, i) => h('option', { value: i }, m.name))), body = h('div', {});
    const fill = () => {
        const of: Indices = (parameter, column) => {
            const k = columns.indexOf(column);
            return k < 0 ? NaN : indices.column(k)[Number(select.value) * parameters.length + parameter];
        };
        replace(body, method === 'sobol' ? bars(names, rows, of) : plane(names, rows, of));
    };
    select.addEventListener('change', fill);
    replace(out,
        h('div', { class: 'plot-head' }, h('h4', {}, method === 'sobol' ? 'Sobol indices' : 'Morris: elementary effects'), h('label', {}, 'of ', select),
            method === 'sobol' && h('small', {}, h('i', { class: 'swatch-first' }), ' first order ', h('i', { class: 'swatch-total' }), ' total, bounds of 95 %')),
        body);
    fill();
}
