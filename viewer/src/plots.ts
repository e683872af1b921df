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

/** Another run whose curves are drawn, too. */
export interface Overlay {
    label: string;
    color: string;
    analysis: Analysis;
}

// columns differ by dashes where colours show runs
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 5]];

/** A column of another run; null: it has none of this name. */
function columnIn(a: Analysis, c: Column): Numbers | null {
    const table = a.series(c.table), k = table.names.indexOf(c.name);
    return k >= 0 ? table.column(k) : null;
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
    private window: [number, number] = [-Infinity, Infinity];
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
        if (this.panel.own) return this.panel.own.color;
        const pair = this.panel.analysis.curves === 'response' ? (this.columns[i].index - 1) >> 1 : i;
        return colors[pair % colors.length];
    }
    /** The abscissa, then the columns. */
    data(a = this.panel.analysis, columns = this.columns): Numbers[] {
        return [a.abscissa.values, ...columns.map((c) => a.series(c.table).column(c.index))];
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
        if (this.panel.overlays.length > 0) this.resetZoom();
        this.setTime(this.time);
    }
    private dash(i: number): number[] | undefined {
        if (this.panel.own) return dashes[i % dashes.length];
        return isOrder(this.columns[i]) ? [6, 4] : undefined;
    }

    // ---- other runs ------------------------------------------------------------------------------

    /** Curves of other runs, each over its own abscissa. */
    private *others(): Generator<{ over: Numbers; values: Numbers; column: number; color: string }> {
        for (const o of this.panel.overlays)
            for (const [column, c] of this.columns.entries()) {
                const values = columnIn(o.analysis, c);
                if (values) yield { over: o.analysis.abscissa.values, values, column, color: o.color };
            }
    }
    /** The range of a unit with those of other runs, as far as they are in the picture. */
    private reach(unit: string, low: number | null, high: number | null): [number | null, number | null] {
        const [min, max] = this.window, positive = isLogarithmic(this.panel.analysis, unit);
        let [a, b] = [low ?? Infinity, high ?? -Infinity];
        for (const { over, values, column } of this.others()) {
            if (this.columns[column].unit !== unit) continue;
            for (let i = 0; i < values.length; i++) {
                const y = values[i];
                if (over[i] < min || over[i] > max || !Number.isFinite(y) || (positive && y <= 0)) continue;
                if (y < a) a = y;
                if (y > b) b = y;
            }
        }
        return a <= b ? [a, b] : [low, high];
    }
    // of the abscissa; called before those of the ordinates
    private look(low: number | null, high: number | null): uPlot.Range.MinMax {
        if (low === null || high === null) return [null, null];
        this.window = [low, high];
        return this.panel.analysis.curves === 'response' ? uPlot.rangeLog(low, high, 10, false) : [low, high];
    }
    private drawOthers(u: uPlot): void {
        const { ctx, bbox } = u;
        ctx.save();
        ctx.beginPath();
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
        ctx.clip();
        ctx.lineWidth = devicePixelRatio;
        ctx.lineJoin = 'round';
        for (const { over, values, column, color } of this.others()) {
            ctx.strokeStyle = color;
            ctx.setLineDash((this.dash(column) ?? []).map((x) => x * devicePixelRatio));
            ctx.stroke(pathOf(u, `u ${this.columns[column].unit}`, over, values));
        }
        ctx.restore();
    }

    /** banded: the columns with a band, whose two ends are the series behind those of all columns. */
    private options(banded: number[]): uPlot.Options {
        const a = this.panel.analysis, { name, unit: per, values } = a.abscissa;
        const units = [...new Set(this.columns.map((c) => c.unit))];
        const reached = (f: (u: uPlot, low: number | null, high: number | null) => [number | null, number | null], unit: string) => (u: uPlot, low: number | null, high: number | null) => f(u, ...this.reach(unit, low, high));
        const scale = (u: string): uPlot.Scale => (isLogarithmic(a, u) ? { distr: 3, range: reached(decades, u) } : { range: reached(padded, u) as uPlot.Range.Function });
        const several = this.panel.own !== null;
        const marks = (digits: number) => (_u: uPlot, v: number[]) => v.map((x: number | null) => (x === null ? '' : show(x, digits)));
        const ink = () => variable('--muted'), grid = { stroke: () => variable('--line'), width: 1 };
        const font = '11px system-ui, sans-serif';
        const { width, height } = this.inner();
        return {
            width, height,
            legend: { show: false },
            cursor: { drag: { x: true, y: false, dist: 6 }, points: { size: 6 }, sync: { key: 'limber', setSeries: false }, bind: several ? { dblclick: () => () => (this.resetZoom(), null) } : undefined },
            scales: { x: { time: false, distr: a.curves === 'response' ? 3 : 1, range: several ? (_u, low, high) => this.look(low, high) : undefined }, ...Object.fromEntries(units.map((u) => [`u ${u}`, scale(u)])) },
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
                    label: c.name, scale: `u ${c.unit}`, stroke: this.color(i), width: several ? 2.5 : 1.5, pxAlign: 0, points: { show: values.length < 3 }, dash: this.dash(i),
                })),
                ...banded.flatMap((i): uPlot.Series[] => [0, 1].map(() => ({ scale: `u ${this.columns[i].unit}`, stroke: 'transparent', width: 0, pxAlign: 0, points: { show: false } }))),
            ],
            bands: banded.map((i, k): uPlot.Band => ({ series: [1 + this.columns.length + 2 * k, 2 + this.columns.length + 2 * k], fill: `${this.color(i)}40` })),
            hooks: { drawAxes: [(u) => this.drawOthers(u)], draw: [() => this.setTime(this.time)], setCursor: a.curves ? [(u) => this.showRow(u.cursor.idx ?? null)] : [] },
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
        let min = values[0], max = values[values.length - 1];
        for (const { analysis } of this.panel.overlays) {
            const over = analysis.abscissa.values;
            if (over.length > 0) (min = Math.min(min, over[0])), (max = Math.max(max, over[over.length - 1]));
        }
        this.plot?.setScale('x', { min, max });
    }

    private showLegend(): void {
        this.values = this.columns.map(() => h('b', {}));
        const { curves, abscissa } = this.panel.analysis;
        this.over.textContent = '';
        replace(this.legend, curves && h('span', { class: 'key' }, h('span', {}, abscissa.name), this.over, h('small', {}, abscissa.unit)), ...this.columns.map((c, i) =>
            h('span', { class: 'key' },
                this.sample(i),
                h('span', {}, c.name), this.values[i], h('small', {}, c.unit),
                button(`Remove ${c.name}`, '\u00d7', () => this.toggle(c, false)))));
    }

    private sample(i: number): Element {
        const dash = this.panel.own && this.columns.length > 1 ? this.dash(i) : undefined;
        if (!dash?.length) return h('i', { style: `background:${this.color(i)}` });
        const svg = icon('M0 12H48');
        svg.setAttribute('class', 'sample');
        svg.setAttribute('style', `stroke:${this.color(i)};stroke-dasharray:${dash.join(' ')}`);
        return svg;
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

    /** Of several runs one below the other, with their names in the first column. */
    csv(): string {
        const { own, overlays, analysis } = this.panel;
        const parts = [this.rowsOf(analysis, this.columns, own?.label)];
        for (const o of overlays) {
            const all = columnsOf(o.analysis), same = this.columns.flatMap((c) => all.find((k) => k.table === c.table && k.name === c.name) ?? []);
            if (same.length === this.columns.length) parts.push(this.rowsOf(o.analysis, same, o.label).slice(1));
        }
        return parts.flat().join('\n') + '\n';
    }
    private rowsOf(a: Analysis, columns: Column[], run?: string): string[] {
        const quote = (s: string) => (/[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s), first = run === undefined ? [] : [quote(run)];
        const heading = (c: Column, suffix = '') => (c.unit ? `${c.name}${suffix} [${c.unit}]` : c.name + suffix);
        const barred = columns.filter((c) => barsOf(a, c));
        const data = [...this.data(a, columns), ...barred.map((c) => barsOf(a, c)!)];
        const { name, unit } = a.abscissa;
        const lines = [[...(run === undefined ? [] : ['run']), `${name} [${unit}]`, ...columns.map((c) => heading(c)), ...barred.map((c) => heading(c, '.bar'))].map(quote).join(',')];
        for (let r = 0; r < data[0].length; r++) lines.push([...first, ...data.map((d) => String(d[r]).replace('NaN', 'nan'))].join(','));
        return lines;
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

// A curve as a path; of more points than pixels the least and the largest in each.
function pathOf(u: uPlot, scale: string, over: Numbers, values: Numbers): Path2D {
    const path = new Path2D(), log = u.scales[scale].distr === 3, { left, width } = u.bbox;
    const near = (i: number) => over[Math.min(over.length - 1, Math.max(0, i))];
    let pen = false, column = -Infinity, low = 0, high = 0;
    for (let i = 0; i < values.length; i++) {
        const value = values[i];
        if (!Number.isFinite(value) || (log && value <= 0)) {
            pen = false;
            column = -Infinity;
            continue;
        }
        if (near(i + 1) < u.scales.x.min! || near(i - 1) > u.scales.x.max!) continue;
        const x = u.valToPos(over[i], 'x', true), y = u.valToPos(value, scale, true);
        const dense = pen && Math.floor(x) === column && x > left && x < left + width;
        if (dense && y >= low && y <= high) continue;
        low = dense ? Math.min(low, y) : y;
        high = dense ? Math.max(high, y) : y;
        column = Math.floor(x);
        if (pen) path.lineTo(x, y);
        else path.moveTo(x, y);
        pen = true;
    }
    return path;
}

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
    /** Of several runs: this one, and the others that are shown. */
    own: { label: string; color: string } | null = null;
    overlays: Overlay[] = [];
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
        if (this.own && sensors.length > 0) return sensors.slice(0, 2).map((c) => [c]); // colours are for the runs
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
