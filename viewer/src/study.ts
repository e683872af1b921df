// study.ts: the page of a parameter study: a table of its members, parallel coordinates, responses, sensitivities. Ranges that are drawn on axes
// select members everywhere.
import { rampColor, type Theme } from './compare';
import type { Study } from './data';
import { button, download, h, icon, icons, replace, show, showKeys } from './dom';
import { Parallel, Scatter } from './studyplots';
import { sensitivities } from './sensitivity';
import { type Column, Table } from './table';

/** A parameter, a measure or the number of the member: values of all members and where they lie on an axis from 0 to 1. */
export class Axis {
    readonly low: number;
    readonly high: number;
    readonly log: boolean;
    readonly levels: number; // different values
    constructor(readonly name: string, readonly unit: string, readonly isMeasure: boolean, readonly values: ArrayLike<number>, scale: string) {
        const finite = Array.from(values).filter(Number.isFinite), size = (f: (a: number, b: number) => number, from: number) => finite.reduce((a, b) => f(a, b), from);
        this.low = size(Math.min, Infinity);
        this.high = size(Math.max, -Infinity);
        this.log = scale === 'log' && this.low > 0;
        this.levels = new Set(finite).size;
    }
    get title(): string {
        return this.unit ? `${this.name} [${this.unit}]` : this.name;
    }
    /** nan: not a number. */
    place(x: number): number {
        if (!Number.isFinite(x)) return NaN;
        if (!(this.high > this.low)) return 0.5;
        return this.log ? Math.log(x / this.low) / Math.log(this.high / this.low) : (x - this.low) / (this.high - this.low);
    }
    at(place: number): number {
        if (!(this.high > this.low)) return this.low;
        return this.log ? this.low * (this.high / this.low) ** place : this.low + place * (this.high - this.low);
    }
}

export type Range = [number, number]; // of places

const statusNames: Record<number, string> = { [-1]: 'not run', 0: 'done', 1: 'solver failure', 2: 'invalid input', 3: 'system error' };
const keys: [string, string][] = [['\u2191 \u2193', 'previous or next member'], ['Esc', 'clear the selection'], ['D', 'toggle theme'], ['?', 'keyboard shortcuts']];
const mouse = 'Mouse: drag along an axis or across the plot to select members, click a point to see one, click an axis or double-click the plot to clear.';

export class StudyApp {
    readonly axes: Axis[]; // parameters that vary, then measures
    readonly ranges = new Map<Axis, Range>();
    color: Axis;
    chosen: number | null = null;
    theme: Theme = 'light';
    private readonly table: Table;
    private readonly parallel: Parallel;
    private readonly scatter: Scatter;
    private readonly about = h('div', { class: 'member' });
    private readonly count = h('output', { class: 'count' });
    private readonly indices = h('section', { class: 'indices' });
    private readonly colorSelect = h('select', { 'aria-label': 'Colour', title: 'Colour' });

    constructor(readonly study: Study) {
        const { header, values, measured } = study;
        const parameters = header.parameters.map((p, k) => new Axis(p.name, '', false, values.column(k), p.scale)).filter((a) => a.levels > 1);
        const measures = header.measures.map((m, k) => new Axis(m.name, m.unit, true, this.done(measured.column(k)), 'linear'));
        this.axes = [...parameters, ...measures];
        this.color = (parameters.length === 2 ? parameters[1] : measures.find((a) => a.levels > 1)) ?? this.axes[0] ?? new Axis('member', '', false, [], 'linear');
        this.table = new Table(this.columns(), Array.from({ length: study.members }, (_, k) => k));
        this.table.onselect = (k) => this.choose(k);
        this.parallel = new Parallel(this);
        this.scatter = new Scatter(this);
        this.layout();
        this.listen();
    }
    // failed members have no measures
    private done(values: ArrayLike<number>): Float64Array {
        return Float64Array.from(values, (x, k) => (this.study.status[k] === 0 ? x : NaN));
    }
    private columns(): Column[] {
        const { study } = this, { header } = study;
        return [
            { name: 'member', value: (k) => k + 1 },
            ...header.parameters.map((p, j): Column => ({ name: p.name, title: `${p.name} = ${p.source}`, value: (k) => study.values.column(j)[k] })),
            ...header.measures.map((m, j): Column => ({ name: m.unit ? `${m.name} [${m.unit}]` : m.name, title: `${m.name} = ${m.source}`, value: (k) => study.measured.column(j)[k] })),
            { name: 'status', value: (k) => statusNames[study.status[k]] ?? String(study.status[k]) },
            { name: 's', title: 'seconds', value: (k) => study.seconds[k] },
        ];
    }

    // ---- state ---------------------------------------------------------------------------------

    get parameters(): Axis[] {
        return this.axes.filter((a) => !a.isMeasure);
    }
    get measures(): Axis[] {
        return this.axes.filter((a) => a.isMeasure);
    }
    selected(k: number): boolean {
        for (const [axis, [a, b]] of this.ranges) {
            const at = axis.place(axis.values[k]);
            if (!(at >= a - 1e-9 && at <= b + 1e-9)) return false;
        }
        return true;
    }
    colorOf(k: number): string {
        return rampColor(this.study.ramp[this.theme], this.color.place(this.color.values[k]));
    }
    /** Selects members in a range of an axis; null: all. */
    setRange(axis: Axis, range: Range | null): void {
        if (range) this.ranges.set(axis, [Math.min(...range), Math.max(...range)]);
        else this.ranges.delete(axis);
        this.table.filter((k) => this.selected(k));
        this.draw();
    }
    clear(): void {
        this.ranges.clear();
        this.table.filter(() => true);
        this.choose(null);
    }
    choose(k: number | null): void {
        this.chosen = k;
        this.table.select(k);
        this.showMember();
        this.draw();
    }
    setTheme(theme: Theme): void {
        this.theme = theme;
        document.documentElement.dataset.theme = theme;
        this.draw();
    }
    begin({ x, y, member }: { x?: string; y?: string; member: number }): void {
        this.scatter.setAxes(this.axes.find((a) => a.name === x) ?? null, this.axes.find((a) => a.name === y) ?? null);
        this.choose(member >= 1 && member <= this.study.members ? member - 1 : null);
    }
    draw(): void {
        const { members } = this.study;
        let some = 0;
        for (let k = 0; k < members; k++) some += Number(this.selected(k));
        this.count.textContent = this.ranges.size > 0 ? `${some} of ${members} members selected` : '';
        this.parallel.draw();
        this.scatter.draw();
    }

    // ---- layout --------------------------------------------------------------------------------

    private layout(): void {
        const { about, header, members, status } = this.study, count = (f: (s: number) => boolean) => Array.from(status).filter(f).length;
        const failed = count((s) => s > 0), missing = count((s) => s < 0), model = (about.model_file ?? about.file).replace(/^.*\//, '');
        const summary = `${members} members${failed ? `, ${failed} failed` : ''}${missing ? `, ${missing} not run` : ''}`;
        document.title = `${model} \u2013 ${about.file}`;
        document.body.classList.add('of-study');
        for (const a of this.axes) this.colorSelect.append(h('option', { value: a.name, selected: a === this.color }, a.title));
        this.colorSelect.addEventListener('change', () => ((this.color = this.axes.find((a) => a.name === this.colorSelect.value) ?? this.color), this.draw()));
        const top = h('header', { class: 'top' },
            h('strong', {}, 'limber'), h('h1', { title: about.file }, model), h('span', { class: 'note' }, `${header.sample}: ${summary}`),
            failed > 0 && h('span', { class: 'badge' }, `\u26a0 ${failed}`),
            h('span', { class: 'space' }), this.count,
            h('span', { class: 'tools' },
                button('Clear the selection (Esc)', icon(...icons.close), () => this.clear()),
                button('Save the selected rows as CSV', icon(...icons.save), () => download(`${about.file.replace(/\.h5$/, '')}.csv`, new Blob([this.csv()], { type: 'text/csv' })), { class: 'study-csv' }),
                button('Toggle theme (D)', icon(...icons.theme), () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'), { class: 'theme' }),
                button('Keyboard shortcuts', icon(...icons.keyboard), () => showKeys(keys, mouse))));
        sensitivities(this.indices, this.study, this.parameters.map((a) => a.name));
        const plots = h('main', { class: 'study-plots' },
            h('section', {}, h('div', { class: 'plot-head' }, h('h4', {}, 'All members'), h('label', {}, 'colour ', this.colorSelect), h('small', {}, 'drag along an axis to select a range, click it to clear')), this.parallel.element),
            h('section', { class: 'grow' }, this.scatter.head, this.scatter.element),
            this.indices.childElementCount > 0 && this.indices);
        document.body.replaceChildren(top, h('aside', { class: 'study-table', 'aria-label': 'Members' }, this.table.element, this.about), plots);
        this.showMember();
        new ResizeObserver(() => this.draw()).observe(plots);
    }
    private showMember(): void {
        const { study, chosen: k } = this, { header, about } = study;
        if (k === null) return replace(this.about, h('p', { class: 'empty' }, 'Select a member in the table or in a plot.'));
        const quote = (s: string) => (/^[\w./=:+-]+$/.test(s) ? s : `'${s.replaceAll("'", `'\\''`)}'`), model = about.model_file ?? 'MODEL';
        const sets = header.parameters.map((p, j) => `--set ${quote(`${p.name}=${study.values.column(j)[k]}`)}`).join(' ');
        const kept = header.keep === 'all' || (header.keep === 'failed' && study.status[k] > 0), stem = about.file.replace(/\.h5$/, '');
        const file = `${stem}.members/${String(Math.floor(k / 1000)).padStart(3, '0')}/${String(k + 1).padStart(6, '0')}.h5`;
        const message = header.messages[study.message[k]];
        const pair = (name: string, value: string) => [h('dt', {}, name), h('dd', {}, value)];
        replace(this.about,
            h('h4', {}, `Member ${k + 1}: ${statusNames[study.status[k]] ?? ''}`),
            message && h('p', { class: 'warning' }, message),
            h('dl', {}, ...header.parameters.flatMap((p, j) => pair(p.name, show(study.values.column(j)[k], 7))),
                ...header.measures.flatMap((m, j) => pair(m.name, Number.isFinite(study.measured.column(j)[k]) ? `${show(study.measured.column(j)[k], 7)} ${m.unit}`.trim() : '\u2013'))),
            h('h4', {}, kept ? 'Its results' : 'To run it again'),
            h('pre', { class: 'command' }, kept ? `limber view ${quote(file)}` : `limber run ${quote(model)} ${sets} -o member_${k + 1}.h5`));
    }
    private csv(): string {
        const { study } = this, columns = this.columns().slice(0, -1), quote = (s: string) => (/[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
        const lines = [columns.map((c) => quote(c.name)).join(',')];
        for (let k = 0; k < study.members; k++)
            if (this.selected(k)) lines.push(columns.map((c) => quote(String(c.value(k)).replace('NaN', 'nan'))).join(','));
        return lines.join('\n') + '\n';
    }
    private listen(): void {
        window.addEventListener('keydown', (e) => {
            if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLSelectElement || document.querySelector('dialog[open]')) return;
            const actions: Record<string, () => void> = {
                ArrowUp: () => this.choose(this.table.next(-1)), ArrowDown: () => this.choose(this.table.next(1)),
                Escape: () => this.clear(), d: () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'), '?': () => showKeys(keys, mouse),
            };
            const action = actions[e.key.length === 1 ? e.key.toLowerCase() : e.key];
            if (!action) return;
            e.preventDefault();
            action();
        });
    }
}
