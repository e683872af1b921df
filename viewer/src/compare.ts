// compare.ts: several runs in one page: their colours by value, a key, and a table of their parameters and statistics.
import type { Analysis, Page } from './data';
import { button, h, replace, show } from './dom';
import { modesOf } from './modes';
import { type Column, Table } from './table';

export type Theme = 'light' | 'dark';

/** A colour scale, from the first to the last colour. */
export type Ramp = Record<Theme, string[]>;

/** How the runs compare: what varies, in which order they are, and where in the scale of colours (src/draw/varied.h). */
export interface Compare {
    ramp: Ramp;
    names: string[]; // of the parameters that vary; none: other models
    title: string | null; // what colours show
    by_value: boolean; // colours are values of the first parameter; else places in the order
    low: number | null;
    high: number | null;
    log: boolean;
    order: number[];
    runs: { label: string; place: number | null; values: (number | null)[] }[];
}

const named = 12; // so many runs have names in the key

/** The colour at t, 0 to 1, between those of the scale; grey: unknown. */
export function rampColor(stops: string[], t: number | null): string {
    if (t === null || !Number.isFinite(t)) return '#8d8d8d';
    const at = Math.min(1, Math.max(0, t)) * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(at));
    const part = (i: number, c: number) => parseInt(stops[i].slice(1 + 2 * c, 3 + 2 * c), 16);
    return `rgb(${[0, 1, 2].map((c) => Math.round(part(k, c) + (at - k) * (part(k + 1, c) - part(k, c)))).join(' ')})`;
}

const others = ['#2f6fd0', '#e07b1f', '#2e9e5b', '#c8434f', '#8457c6', '#8a6d4b', '#d15ea0', '#5f6b76', '#a3a11d', '#1aa7b8'];

/** Runs of other models have no values: they differ by hue. */
export function runColor(c: Compare, run: number, theme: Theme): string {
    return c.names.length > 0 ? rampColor(c.ramp[theme], c.runs[run].place) : others[run % others.length];
}

/** The analysis of another run that is like one: of the same name and type. */
export function like(a: Analysis, all: Analysis[]): Analysis | null {
    return all.find((b) => b.header.name === a.header.name && b.curves === a.curves) ?? null;
}

/** Five values of a scale at equal distances; of a logarithmic one at equal factors. */
export function scaleTicks(low: number, high: number, log: boolean): number[] {
    return [0, 0.25, 0.5, 0.75, 1].map((f) => (log ? low * (high / low) ** f : low + f * (high - low)));
}

export class RunsPanel {
    readonly element = h('div', { class: 'runs' });
    /** Above the plots. */
    readonly key = h('div', { class: 'runs-key' });
    readonly hidden = new Set<number>();
    chosen = 0;
    ghost: number | null = null;
    onchoose: (run: number) => void = () => undefined;
    onghost: (run: number | null) => void = () => undefined;
    onshow: () => void = () => undefined;
    private theme: Theme = 'light';
    private analysis: Analysis | null = null;
    private table: Table | null = null;
    private readonly ghostSelect = h('select', { class: 'ghost', 'aria-label': 'Compare with', title: 'Draw another run as a ghost (B)' });

    constructor(readonly page: Page, readonly compare: Compare) {
        this.ghostSelect.addEventListener('change', () => this.setGhost(this.ghostSelect.value === '' ? null : Number(this.ghostSelect.value)));
        replace(this.ghostSelect, h('option', { value: '' }, 'no ghost'), ...compare.order.map((i) => h('option', { value: i }, compare.runs[i].label)));
    }

    color(run: number): string {
        return runColor(this.compare, run, this.theme);
    }
    /** The next run in the order of values, n places away. */
    step(n: number): void {
        const { order } = this.compare, at = order.indexOf(this.chosen) + n;
        if (order[at] !== undefined) this.onchoose(order[at]);
    }
    setGhost(run: number | null): void {
        this.ghost = run === this.chosen ? null : run;
        this.ghostSelect.value = this.ghost === null ? '' : String(this.ghost);
        this.onghost(this.ghost);
    }
    /** The last or the first run as ghost, or none again. */
    toggleGhost(): void {
        const { order } = this.compare, last = order[order.length - 1];
        this.setGhost(this.ghost !== null ? null : last !== this.chosen ? last : order[0]);
    }
    private setHidden(run: number, hidden: boolean): void {
        if (hidden) this.hidden.add(run);
        else this.hidden.delete(run);
        this.show(this.analysis!, this.chosen, this.theme);
        this.onshow();
    }
    private hideOthers(): void {
        const all = this.compare.order.filter((i) => i !== this.chosen), some = all.every((i) => this.hidden.has(i));
        for (const i of all) if (some) this.hidden.delete(i);
            else this.hidden.add(i);
        this.show(this.analysis!, this.chosen, this.theme);
        this.onshow();
    }

    show(a: Analysis, chosen: number, theme: Theme): void {
        Object.assign(this, { analysis: a, chosen, theme });
        if (this.ghost === chosen) this.ghost = null;
        this.ghostSelect.value = this.ghost === null ? '' : String(this.ghost);
        this.showKey();
        const table = new Table(this.columns(a), this.compare.order);
        if (this.table) table.sortLike(this.table);
        this.table = table;
        table.onselect = (run) => this.onchoose(run);
        table.select(chosen);
        replace(this.element,
            h('label', { class: 'ghost-box' }, 'compare with ', this.ghostSelect),
            h('div', { class: 'actions' }, button('Show the curves of the others, or of this run alone', 'Only this run', () => this.hideOthers(), { 'aria-pressed': this.compare.order.every((i) => i === chosen || this.hidden.has(i)) })),
            table.element,
            h('p', { class: 'note' }, this.compare.names.length > 0 ? 'Parameters in SI units. ' : 'These runs are not of one model, or no parameter differs. ', 'Click a row to show the run, a heading to sort.'));
    }

    private columns(a: Analysis): Column[] {
        const { compare, page } = this, all = page.runs.map((r) => like(a, r.analyses));
        const out: Column[] = [
            { name: '', title: 'Show its curves', cell: (i) => this.box(i), value: (i) => (this.hidden.has(i) ? 1 : 0) },
            ...(compare.names.length > 0
                ? compare.names.map((name, k): Column => ({ name, value: (i) => compare.runs[i].values[k] }))
                : [{ name: 'file', value: (i: number) => compare.runs[i].label }]),
            { name: 'status', value: (i) => (all[i] ? all[i]!.header.status : 'no such analysis') },
        ];
        if (a.modes.rows > 0)
            for (let k = 0; k < Math.min(10, a.modes.rows); k++) out.push({ name: `f${k + 1} [Hz]`, value: (i) => (all[i] && all[i]!.modes.rows > k ? modesOf(all[i]!)[k].frequency : null) });
        const stats = [...new Set(all.flatMap((b) => b?.header.stats.map((s) => s[0]) ?? []))];
        for (const name of stats) out.push({ name: name.replaceAll('_', ' '), value: (i) => all[i]?.header.stats.find((s) => s[0] === name)?.[1] ?? null });
        return out;
    }
    private box(run: number): HTMLElement {
        const box = h('input', { type: 'checkbox', 'aria-label': `Show the curves of ${this.compare.runs[run].label}` });
        box.checked = !this.hidden.has(run);
        box.addEventListener('change', () => this.setHidden(run, !box.checked));
        return h('span', { class: 'run-box' }, box, h('i', { style: `background:${this.color(run)}` }));
    }

    private showKey(): void {
        const { compare } = this, { low, high, log, by_value, title } = compare, at = compare.runs[this.chosen];
        this.key.classList.toggle('bar-key', compare.order.length > named);
        if (compare.order.length <= named || !by_value || low === null || high === null)
            return replace(this.key, ...(compare.order.length <= 4 * named ? compare.order : [this.chosen]).map((i) =>
                button(`Show ${compare.runs[i].label}`, h('span', { class: 'key' }, h('i', { style: `background:${this.color(i)}` }), compare.runs[i].label), () => this.onchoose(i), { 'aria-pressed': i === this.chosen })));
        const marks = scaleTicks(low, high, log).map((x, k) => h('span', { style: `left:${25 * k}%` }, show(x, 3)));
        replace(this.key,
            h('b', {}, title ?? ''),
            h('div', { class: 'run-scale' },
                h('div', { class: 'run-colors', style: `background:linear-gradient(to right,${compare.ramp[this.theme].join(',')})` }, at.place !== null && h('i', { style: `left:${100 * at.place}%` })),
                h('div', { class: 'run-marks' }, ...marks)),
            h('span', { class: 'key' }, h('i', { style: `background:${this.color(this.chosen)}` }), at.label));
    }
}
