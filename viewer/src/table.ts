// table.ts: a table that sorts by its columns, in which a row can be chosen.
import { h, show } from './dom';

type Value = number | string | null;

export interface Column {
    name: string;
    title?: string;
    value: (row: number) => Value; // by which it sorts
    cell?: (row: number) => Node; // instead of the value
}

const none = (v: Value) => v === null || (typeof v === 'number' && !Number.isFinite(v));

/** Numbers by size, texts with numbers in them by these; what there is not comes last. */
export function compareValues(a: Value, b: Value): number {
    if (none(a) || none(b)) return Number(none(a)) - Number(none(b));
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a).localeCompare(String(b), 'en', { numeric: true });
}

const most = { rows: 1000, columns: 60 }; // in the page

export class Table {
    readonly element = h('div', { class: 'table-box' });
    readonly note = h('p', { class: 'note' });
    onselect: (row: number) => void = () => undefined;
    private by: string | null = null;
    private down = false;
    private chosen: number | null = null;
    private kept: (row: number) => boolean = () => true;
    private readonly rows = new Map<number, HTMLElement>();
    private readonly body = h('tbody', {});
    private readonly heads: HTMLElement[];
    private readonly columns: Column[];

    /** order: the rows, as they are shown first. */
    constructor(private readonly all: Column[], private readonly order: number[]) {
        this.columns = all.slice(0, most.columns);
        this.heads = this.columns.map((c) => h('th', { tabindex: 0, title: c.title ?? `Sort by ${c.name}`, onclick: () => this.sort(c.name), onkeydown: (e: KeyboardEvent) => e.key === 'Enter' && this.sort(c.name) }, c.name));
        this.element.append(h('table', { class: 'sortable' }, h('thead', {}, h('tr', {}, ...this.heads)), this.body), this.note);
        this.fill();
    }
    private makeRow(row: number): HTMLElement {
        const cells = this.columns.map((c) => {
            const v = c.cell ? null : c.value(row);
            return h('td', { class: typeof v === 'string' ? 'text' : '' }, c.cell ? c.cell(row) : typeof v === 'string' ? v : show(none(v) ? null : v, 5));
        });
        const choose = (e: Event) => !(e.target instanceof HTMLInputElement) && this.onselect(row);
        return h('tr', { tabindex: 0, onclick: choose, onkeydown: (e: KeyboardEvent) => e.key === 'Enter' && choose(e) }, ...cells);
    }

    private fill(): void {
        const column = this.columns.find((c) => c.name === this.by), rows = this.order.filter((r) => this.kept(r));
        if (column) rows.sort((a, b) => {
            const x = column.value(a), y = column.value(b), sign = compareValues(x, y);
            return none(x) || none(y) || !this.down ? sign : -sign;
        });
        const shown = rows.slice(0, most.rows), left = [];
        this.body.replaceChildren(...shown.map((r) => this.rowOf(r)));
        if (rows.length > most.rows) left.push(`The first ${most.rows} of ${rows.length} rows are listed.`);
        if (this.all.length > most.columns) left.push(`The first ${most.columns} of ${this.all.length} columns are listed.`);
        this.note.textContent = left.join(' ');
        this.heads.forEach((e, k) => e.setAttribute('aria-sort', this.columns[k].name !== this.by || !column ? 'none' : this.down ? 'descending' : 'ascending'));
    }
    /** By a column, upwards; again: downwards. */
    sort(name: string): void {
        this.down = this.by === name && !this.down;
        this.by = name;
        this.fill();
    }
    sortLike(other: Table): void {
        this.by = other.by;
        this.down = other.down;
        this.fill();
    }
    select(row: number | null): void {
        this.chosen = row;
        for (const [r, e] of this.rows) e.setAttribute('aria-selected', String(r === row));
        const e = row === null ? undefined : this.rows.get(row);
        if (e && this.element.isConnected) e.scrollIntoView({ block: 'nearest' });
    }
    /** Rows that are listed. */
    filter(kept: (row: number) => boolean): void {
        this.kept = kept;
        this.fill();
    }
    /** The row that is n places below the chosen one, as sorted. */
    next(n: number): number | null {
        const shown = [...this.body.children], at = shown.findIndex((e) => e.getAttribute('aria-selected') === 'true');
        const e = shown[Math.min(shown.length - 1, Math.max(0, at + n))];
        for (const [r, x] of this.rows) if (x === e) return r;
        return null;
    }
    private rowOf(row: number): HTMLElement {
        let e = this.rows.get(row);
        if (!e) {
            e = this.makeRow(row);
            e.setAttribute('aria-selected', String(row === this.chosen));
            this.rows.set(row, e);
        }
        return e;
    }
}
