// plots.ts: curves over time, tied to the animation; frequency responses and Campbell diagrams, which have no time.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Analysis, Numbers } from './data';
import { button, download, h, icon, icons, replace, show } from './dom';
import { nearestRow } from './motion';

export interface Column {
    table: string;
    index: number;
    name: string;
    unit: string;
}

const tables: [string, string][] = [
    ['sensors', 'Sensors'], ['energies', 'Energies'], ['reactions', 'Joint reactions'], ['forces', 'Forces'],
    ['response', 'Frequency response'], ['campbell', 'Campbell diagram'],
];
const colors = ['#2f6fd0', '#e07b1f', '#2e9e5b', '#c8434f', '#8457c6', '#8a6d4b', '#d15ea0', '#5f6b76', '#a3a11d', '#1aa7b8'];

export function columnsOf(analysis: Analysis): Column[] {
    const out: Column[] = [], taken = new Set<string>();
    for (const [table] of tables) { // a name that an earlier table has comes with its own, as in CSV
        const entry = analysis.header.series[table], names = entry?.names ?? [];
        names.forEach((name, index) => out.push({ table, index, name: taken.has(name) ? `${table}.${name}` : name, unit: entry?.units?.[index] ?? '' }));
        names.forEach((name) => taken.add(name));
    }
    if (!analysis.curves) return out;
    const known = (c: Column) => analysis.series(c.table).column(c.index).some(Number.isFinite); // a diagram has room for more modes than there may be
    return out.filter((c) => c.index > 0 && known(c));
}

/** Amplitudes of responses have a logarithmic axis, phases (deg) do not. */
const isLogarithmic = (analysis: Analysis, unit: string) => analysis.curves === 'response' && unit !== 'deg';

/** Error bars of a column; null: it has none, or they are unknown. */
export function barsOf(analysis: Analysis, c: Column): Numbers | null {
    const t = analysis.series('bars'), k = c.table === 'sensors' ? t.names.indexOf(c.name) : -1;
    return k >= 0 && t.column(k).some(Number.isFinite) ? t.column(k) : null;
}

const variable = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class Chart {
    readonly element: HTMLElement;
    readonly columns: Column[] = [];
    private readonly area = h('div', { class: 'chart-area' });
    private readonly legend = h('div', { class: 'chart-legend' });
    private readonly line = h('div', { class: 'chart-now' });
    private values: HTMLElement[] = [];
    private readonly over = h('b', {});
    private plot: uPlot | null = null;
    private time = 0;

    constructor(readonly panel: PlotPanel, columns: Column[]) {
        this.columns.push(...columns);
        this.element = h('section', { class: 'chart' },
            h('header', {},
                this.legend,
                h('div', { class: 'tools' },
                    button('Select curves', icon(...icons.plus), () => panel.choose(this), { class: 'chart-choose' }),
                    button('Show full range', icon(...icons.fit), () => this.resetZoom()),
                    button('Save as PNG', icon(...icons.camera), () => this.savePng()),
                    button('Save as CSV', icon(...icons.save), () => download(`${panel.fileName()}_plot.csv`, new Blob([this.csv()], { type: 'text/csv' })), { class: 'chart-csv' }),
                    button('Close plot', icon(...icons.close), () => panel.remove(this)))),
            this.area);
        new ResizeObserver(() => this.fitSize()).observe(this.area);
    }

    get uplot(): uPlot | null {
        return this.plot;
    }
    has(c: Column): boolean {
        return this.columns.some((o) => o.table === c.table && o.index === c.index);
    }
    toggle(c: Column, on: boolean): void {
        const i = this.columns.findIndex((o) => o.table === c.table && o.index === c.index);
        if (on && i < 0) this.columns.push(c);
        if (!on && i >= 0) this.columns.splice(i, 1);
        this.draw();
    }
    /** A phase has the colour of its amplitude. */
    color(i: number): string {
        const pair = this.panel.analysis.curves === 'response' ? (this.columns[i].index - 1) >> 1 : i;
        return colors[pair % colors.length];
    }
    /** The abscissa, then the columns. */
    data(): Numbers[] {
        const a = this.panel.analysis;
        return [a.abscissa.values, ...this.columns.map((c) => a.series(c.table).column(c.index))];
    }
    /** The same with gaps where there is nothing to draw. */
    private drawn(): (Numbers | (number | null)[])[] {
        const a = this.panel.analysis, [over, ...columns] = this.data();
        if (!a.curves) return [over, ...columns];
        const seen = (x: number, c: Column) => Number.isFinite(x) && (x > 0 || !isLogarithmic(a, c.unit));
        return [over, ...columns.map((v, i) => Array.from(v, (x) => (seen(x, this.columns[i]) ? x : null)))];
    }
    /** Bands value + bar, value - bar of the columns that have error bars. */
    private bands(): { column: number; ends: [(number | null)[], (number | null)[]] }[] {
        const a = this.panel.analysis;
        return this.columns.flatMap((c, column) => {
            const bars = barsOf(a, c), values = Array.from(a.series(c.table).column(c.index));
            const end = (sign: number) => values.map((x, i) => (Number.isFinite(x + bars![i]) ? x + sign * bars![i] : null));
            return bars ? [{ column, ends: [end(1), end(-1)] }] : [];
        });
    }

    draw(): void {
        this.plot?.destroy();
        this.plot = null;
        this.showLegend();
        if (this.columns.length === 0) {
            replace(this.area, h('p', { class: 'empty' }, 'Click + to select curves'));
            return;
        }
        this.area.replaceChildren();
        const bands = this.bands();
        this.plot = new uPlot(this.options(bands.map((b) => b.column)), [...this.drawn(), ...bands.flatMap((b) => b.ends)] as uPlot.AlignedData, this.area);
        if (!this.panel.analysis.curves) {
            this.plot.over.append(this.line);
            this.plot.over.addEventListener('click', (e) => this.clicked(e));
        }
        this.setTime(this.time);
    }

    /** banded: the columns with a band, whose two ends are the series behind those of all columns. */
    private options(banded: number[]): uPlot.Options {
        const a = this.panel.analysis, { name, unit: per, values } = a.abscissa;
        const units = [...new Set(this.columns.map((c) => c.unit))];
        const scale = (u: string): uPlot.Scale => (isLogarithmic(a, u) ? { distr: 3, range: decades } : { range: padded });
        const marks = (digits: number) => (_u: uPlot, v: number[]) => v.map((x: number | null) => (x === null ? '' : show(x, digits)));
        const ink = () => variable('--muted'), grid = { stroke: () => variable('--line'), width: 1 };
        const font = '11px system-ui, sans-serif';
        const { width, height } = this.inner();
        return {
            width, height,
            legend: { show: false },
            cursor: { drag: { x: true, y: false, dist: 6 }, points: { size: 6 }, sync: { key: 'limber', setSeries: false } },
            scales: { x: { time: false, distr: a.curves === 'response' ? 3 : 1 }, ...Object.fromEntries(units.map((u) => [`u ${u}`, scale(u)])) },
            axes: [
                { stroke: ink, grid, ticks: grid, font, size: 34, label: `${name} [${per}]`, labelSize: 14, labelGap: 0, labelFont: font, values: marks(6) },
                ...units.map((u, i): uPlot.Axis => ({
                    scale: `u ${u}`, side: i === 0 ? 3 : 1, stroke: ink, font, size: 52,
                    grid: i === 0 ? grid : { show: false }, ticks: grid,
                    label: u ? `[${u}]` : '[-]', labelSize: 16, labelGap: 0, labelFont: font,
                    values: marks(4),
                    incrs: u === 'deg' && a.curves ? degrees : undefined,
                })),
            ],
            series: [
                {},
                ...this.columns.map((c, i): uPlot.Series => ({
                    label: c.name, scale: `u ${c.unit}`, stroke: this.color(i), width: 1.5, pxAlign: 0, points: { show: values.length < 3 }, dash: isOrder(c) ? [6, 4] : undefined,
                })),
                ...banded.flatMap((i): uPlot.Series[] => [0, 1].map(() => ({ scale: `u ${this.columns[i].unit}`, stroke: 'transparent', width: 0, pxAlign: 0, points: { show: false } }))),
            ],
            bands: banded.map((i, k): uPlot.Band => ({ series: [1 + this.columns.length + 2 * k, 2 + this.columns.length + 2 * k], fill: `${this.color(i)}40` })),
            hooks: { draw: [() => this.setTime(this.time)], setCursor: a.curves ? [(u) => this.showRow(u.cursor.idx ?? null)] : [] },
        };
    }
    private inner(): { width: number; height: number } {
        return { width: Math.max(160, this.area.clientWidth), height: Math.max(90, this.area.clientHeight) };
    }
    fitSize(): void {
        const size = this.inner();
        if (this.plot && (this.plot.width !== size.width || this.plot.height !== size.height)) this.plot.setSize(size);
    }
    redraw(): void {
        this.plot?.redraw(false, true);
    }
    resetZoom(): void {
        const { values } = this.panel.analysis.abscissa;
        this.plot?.setScale('x', { min: values[0], max: values[values.length - 1] });
    }

    private showLegend(): void {
        this.values = this.columns.map(() => h('b', {}));
        const { curves, abscissa } = this.panel.analysis;
        this.over.textContent = '';
        replace(this.legend, curves && h('span', { class: 'key' }, h('span', {}, abscissa.name), this.over, h('small', {}, abscissa.unit)), ...this.columns.map((c, i) =>
            h('span', { class: 'key' },
                h('i', { style: `background:${this.color(i)}` }),
                h('span', {}, c.name), this.values[i], h('small', {}, c.unit),
                button(`Remove ${c.name}`, '\u00d7', () => this.toggle(c, false)))));
    }

    setTime(t: number): void {
        this.time = t;
        if (!this.plot) return;
        const x = this.plot.valToPos(t, 'x');
        this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
        this.line.style.visibility = x >= 0 && x <= this.plot.over.clientWidth ? 'visible' : 'hidden';
    }
    showValues(t: number): void {
        const a = this.panel.analysis;
        if (!a.curves) this.showRow(nearestRow(a.seriesTime, t));
    }
    /** Numbers of a row beside the names; null: none. */
    private showRow(row: number | null): void {
        const a = this.panel.analysis;
        this.over.textContent = row === null ? '' : show(a.abscissa.values[row]);
        this.columns.forEach((c, i) => {
            if (row === null) return (this.values[i].textContent = '');
            const x = a.series(c.table).column(c.index)[row], { min = 0, max = 0 } = this.plot?.scales[`u ${c.unit}`] ?? {};
            const bar = barsOf(a, c)?.[row] ?? NaN, zero = !isLogarithmic(a, c.unit) && Math.abs(x) < 1e-12 * (max! - min!);
            this.values[i].textContent = show(zero ? 0 : x) + (Number.isFinite(bar) ? ` \u00b1 ${show(bar, 2)}` : '');
        });
    }
    // a click goes to that time; a drag was a zoom
    private clicked(e: MouseEvent): void {
        const plot = this.plot!;
        if (plot.select.width > 0) return;
        const box = plot.over.getBoundingClientRect();
        this.panel.onseek(plot.posToVal(e.clientX - box.left, 'x'));
    }

    csv(): string {
        const quote = (s: string) => (/[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
        const heading = (c: Column, suffix = '') => (c.unit ? `${c.name}${suffix} [${c.unit}]` : c.name + suffix);
        const barred = this.columns.filter((c) => barsOf(this.panel.analysis, c));
        const data = [...this.data(), ...barred.map((c) => barsOf(this.panel.analysis, c)!)];
        const { name, unit } = this.panel.analysis.abscissa;
        const lines = [[`${name} [${unit}]`, ...this.columns.map((c) => heading(c)), ...barred.map((c) => heading(c, '.bar'))].map(quote).join(',')];
        for (let r = 0; r < data[0].length; r++) lines.push(data.map((d) => String(d[r]).replace('NaN', 'nan')).join(','));
        return lines.join('\n') + '\n';
    }
    png(): HTMLCanvasElement {
        const from = this.plot!.ctx.canvas, ratio = from.width / this.plot!.width, top = 26 * ratio;
        const out = h('canvas', { width: from.width, height: from.height + top });
        const c = out.getContext('2d')!;
        c.fillStyle = variable('--panel');
        c.fillRect(0, 0, out.width, out.height);
        c.drawImage(from, 0, top);
        c.font = `${12 * ratio}px system-ui, sans-serif`;
        let x = 10 * ratio;
        this.columns.forEach((col, i) => {
            c.fillStyle = this.color(i);
            c.fillRect(x, 11 * ratio, 12 * ratio, 4 * ratio);
            c.fillStyle = variable('--ink');
            const text = col.unit ? `${col.name} [${col.unit}]` : col.name;
            c.fillText(text, x + 16 * ratio, 17 * ratio);
            x += 32 * ratio + c.measureText(text).width;
        });
        return out;
    }
    private savePng(): void {
        if (this.plot) this.png().toBlob((b) => b && download(`${this.panel.fileName()}_plot.png`, b));
    }
}

const isOrder = (c: Column) => c.table === 'campbell' && c.name.startsWith('order ');

// ticks of phases, deg
const degrees = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45, 90, 180, 360, 720, 1800, 3600, 7200, 18000, 36000];

// at most twelve decades: amplitudes vanish at zeros of a transfer
function decades(_u: uPlot, low: number | null, high: number | null): [number | null, number | null] {
    return low === null || high === null ? [null, null] : uPlot.rangeLog(Math.max(low, 1e-12 * high), high, 10, false) as [number, number];
}

// five per cent margin; a constant gets a band around it
function padded(_u: uPlot, low: number | null, high: number | null): [number, number] {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
    const span = high - low, size = Math.max(Math.abs(low), Math.abs(high));
    if (span <= 1e-9 * size || span === 0) return size === 0 ? [-1, 1] : [low - 0.1 * size, high + 0.1 * size];
    return [low - 0.05 * span, high + 0.05 * span];
}

export class PlotPanel {
    readonly charts: Chart[] = [];
    readonly element = h('div', { class: 'plots' });
    analysis!: Analysis;
    onseek: (t: number) => void = () => undefined;
    fileName: () => string = () => 'plot';
    private time = 0;
    private shownAt = 0;
    private readonly list = h('div', { class: 'charts' });
    readonly dialog = h('dialog', { class: 'chooser' });

    constructor() {
        this.element.append(this.list, h('div', { class: 'plots-tools' }, button('Add a plot', icon(...icons.plus), () => this.choose(this.add([])), { class: 'add-plot' })));
    }

    setAnalysis(analysis: Analysis): void {
        const kept = this.charts.map((c) => c.columns.map((k) => `${k.table} ${k.name}`));
        this.analysis = analysis;
        for (const c of [...this.charts]) this.remove(c);
        const all = columnsOf(analysis);
        const same = kept.map((names) => all.filter((c) => names.includes(`${c.table} ${c.name}`))).filter((c) => c.length > 0);
        for (const columns of same.length > 0 ? same : this.defaults(all)) this.add(columns);
    }
    // frequencies over the speed; amplitudes, a plot for each unit, and their phases below
    private ownDefaults(all: Column[]): Column[][] {
        if (this.analysis.curves === 'campbell') return [all.filter((c) => c.unit === 'Hz')];
        const answers = (c: Column) => this.analysis.series(c.table).column(c.index).some((x) => x > 0);
        const amplitudes = all.filter((c) => c.index % 2 === 1 && answers(c)).slice(0, colors.length);
        const phases = all.filter((c) => amplitudes.some((o) => o.index === c.index - 1));
        return [...new Set(amplitudes.map((c) => c.unit))].map((u) => amplitudes.filter((c) => c.unit === u)).concat([phases]);
    }
    // the first sensors that share a unit, and the energies
    private defaults(all: Column[]): Column[][] {
        if (this.analysis.curves) return this.ownDefaults(all);
        const moves = (c: Column) => {
            const v = this.analysis.series(c.table).column(c.index);
            return v.some((x) => Math.abs(x - v[0]) > 1e-9 * (1 + Math.abs(v[0])));
        };
        const sensors = all.filter((c) => c.table === 'sensors' && moves(c));
        const first = sensors[0] ?? all.find((c) => c.table !== 'energies');
        const energies = all.filter((c) => c.table === 'energies' && c.unit === 'J' && (c.name === 'balance' || moves(c)));
        const out: Column[][] = [];
        if (first) out.push(all.filter((c) => c.table === first.table && c.unit === first.unit && (sensors.includes(c) || c === first)).slice(0, 4));
        if (energies.length > 0) out.push(energies);
        return out;
    }

    add(columns: Column[]): Chart {
        const c = new Chart(this, columns);
        this.charts.push(c);
        this.list.append(c.element);
        c.draw();
        c.setTime(this.time);
        c.showValues(this.time);
        return c;
    }
    remove(c: Chart): void {
        const i = this.charts.indexOf(c);
        if (i >= 0) this.charts.splice(i, 1);
        c.uplot?.destroy();
        c.element.remove();
    }
    setTime(t: number, settled: boolean): void {
        this.time = t;
        for (const c of this.charts) c.setTime(t);
        const now = performance.now();
        if (!settled && now - this.shownAt < 100) return; // update texts ten times a second
        this.shownAt = now;
        for (const c of this.charts) c.showValues(t);
    }
    redraw(): void {
        for (const c of this.charts) c.draw();
        for (const c of this.charts) c.showValues(this.time);
    }

    choose(chart: Chart): void {
        const filter = h('input', { type: 'search', placeholder: 'Filter, e.g. tip', 'aria-label': 'Filter curves' });
        const list = h('div', { class: 'choices' });
        const all = columnsOf(this.analysis);
        const fill = () => {
            const wanted = filter.value.toLowerCase();
            list.replaceChildren();
            for (const [table, title] of tables) {
                const some = all.filter((c) => c.table === table && c.name.toLowerCase().includes(wanted));
                if (some.length === 0) continue;
                list.append(h('h4', {}, title));
                for (const c of some) {
                    const box = h('input', { type: 'checkbox' });
                    box.checked = chart.has(c);
                    box.addEventListener('change', () => (chart.toggle(c, box.checked), chart.showValues(this.time)));
                    list.append(h('label', {}, box, h('span', {}, c.name), h('small', {}, c.unit)));
                }
            }
        };
        filter.addEventListener('input', fill);
        fill();
        replace(this.dialog,
            h('header', {}, h('h3', {}, 'Curves'), button('Close', icon(...icons.close), () => this.dialog.close())),
            filter, list);
        // no return value: false would keep boxes from being ticked
        this.dialog.onclick = (e) => void (e.target === this.dialog && this.dialog.close());
        this.dialog.showModal();
    }
}
