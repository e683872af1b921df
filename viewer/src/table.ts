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

export class Table {
    readonly element = h('div', { class: 'table-box' });
    onselect: (row: number) => void = () => undefined;
    private by: string | null = null;
    private down = false;
    private readonly rows = new Map<number, HTMLElement>();
    private readonly body = h('tbody', {});
    private readonly heads: HTMLElement[];

    /** order: the rows, as they are shown first. */
    constructor(private readonly columns: Column[], private readonly order: number[]) {
        this.heads = columns.map((c) => h('th', { tabindex: 0, title: c.title ?? `Sort by ${c.name}`, onclick: () => this.sort(c.name), onkeydown: (e: KeyboardEvent) => e.key === 'Enter' && this.sort(c.name) }, c.name));
        for (const row of order) this.rows.set(row, this.makeRow(row));
        this.element.append(h('table', { class: 'sortable' }, h('thead', {}, h('tr', {}, ...this.heads)), this.body));
        this.fill();
    }
    private makeRow(row: number): HTMLElement {
        const cells = this.columns.map((c) => {
            const v = c.cell ? null : c.value(row);
            return h('td', { class: typeof v === 'string' ? 'text' : '' }, c.cell ? c.cell(row) : typeof v === 'string' ? v : show(v, 5));
        });
        const choose = (e: Event) => !(e.target instanceof HTMLInputElement) && this.onselect(row);
        return h('tr', { tabindex: 0, onclick: choose, onkeydown: (e: KeyboardEvent) => e.key === 'Enter' && choose(e) }, ...cells);
    }

    private fill(): void {
        const column = this.columns.find((c) => c.name === this.by), rows = [...this.order];
        if (column) rows.sort((a, b) => {
            const x = column.value(a), y = column.value(b), sign = compareValues(x, y);
            return none(x) || none(y) || !this.down ? sign : -sign;
        });
        this.body.replaceChildren(...rows.map((r) => this.rows.get(r)!));
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
        for (const [r, e] of this.rows) e.setAttribute('aria-selected', String(r === row));
        const e = row === null ? undefined : this.rows.get(row);
        if (e && this.element.isConnected) e.scrollIntoView({ block: 'nearest' });
    }
    /** Rows that are shown; the others are hidden. */
    filter(kept: (row: number) => boolean): void {
        for (const [r, e] of this.rows) e.hidden = !kept(r);
    }
}
