// studyplots.ts: parallel coordinates and responses of a study, on canvases; ranges are drawn with the pointer.
import { scaleTicks } from './compare';
import { h, show } from './dom';
import type { Axis, Range, StudyApp } from './study';

const failure = '#d23b30';
const variable = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

abstract class Picture {
    readonly element = h('canvas', { class: 'study-canvas' });
    protected width = 0;
    protected height = 0;
    protected c!: CanvasRenderingContext2D;

    constructor(readonly app: StudyApp, label: string) {
        this.element.setAttribute('aria-label', label);
    }
    draw(): void {
        const { clientWidth, clientHeight } = this.element, ratio = Math.min(2, devicePixelRatio);
        if (clientWidth === 0 || clientHeight === 0) return;
        this.width = clientWidth;
        this.height = clientHeight;
        this.element.width = clientWidth * ratio;
        this.element.height = clientHeight * ratio;
        this.c = this.element.getContext('2d')!;
        this.c.scale(ratio, ratio);
        this.c.font = '11.5px system-ui, sans-serif';
        this.c.lineJoin = 'round';
        this.paint();
    }
    protected abstract paint(): void;
    /** Members as they are drawn: those that are not selected first, the chosen one last. */
    protected *members(): Generator<{ k: number; on: boolean }> {
        const { study, chosen } = this.app;
        for (const wanted of [false, true]) for (let k = 0; k < study.members; k++) if (k !== chosen && this.app.selected(k) === wanted) yield { k, on: wanted };
        if (chosen !== null) yield { k: chosen, on: true };
    }
    protected position(e: PointerEvent | MouseEvent): [number, number] {
        const box = this.element.getBoundingClientRect();
        return [e.clientX - box.left, e.clientY - box.top];
    }
}

const most = 14; // axes that fit side by side

export class Parallel extends Picture {
    constructor(app: StudyApp) {
        super(app, 'Parallel coordinates');
        let from: { axis: Axis; y: number } | null = null;
        this.element.addEventListener('pointerdown', (e) => {
            const [x, y] = this.position(e), axis = this.axisAt(x);
            if (!axis) return;
            from = { axis, y };
            this.element.setPointerCapture(e.pointerId);
        });
        this.element.addEventListener('pointermove', (e) => {
            const [, y] = this.position(e);
            if (from && Math.abs(y - from.y) > 4) this.app.setRange(from.axis, [this.placeOf(from.y), this.placeOf(y)]);
        });
        this.element.addEventListener('pointerup', (e) => {
            const [, y] = this.position(e);
            if (from && Math.abs(y - from.y) <= 4) this.app.setRange(from.axis, null);
            from = null;
        });
        this.element.addEventListener('pointercancel', () => (from = null));
    }
    private get axes(): Axis[] {
        return this.app.axes.slice(0, most);
    }
    xOf(i: number): number {
        const side = 52, n = this.axes.length;
        return n < 2 ? this.width / 2 : side + (i * (this.width - 2 * side)) / (n - 1);
    }
    yOf(place: number): number {
        return this.height - 16 - place * (this.height - 48);
    }
    private placeOf(y: number): number {
        return Math.min(1, Math.max(0, (this.height - 16 - y) / (this.height - 48)));
    }
    private axisAt(x: number): Axis | null {
        const near = this.axes.map((_, i) => Math.abs(this.xOf(i) - x)), i = near.indexOf(Math.min(...near));
        return near[i] < 18 ? this.axes[i] : null;
    }

    protected paint(): void {
        const { c, axes } = this, { study, chosen } = this.app, ink = variable('--ink'), muted = variable('--muted'), line = variable('--line');
        for (const { k, on } of this.members()) {
            c.strokeStyle = !on ? line : study.status[k] > 0 ? failure : this.app.colorOf(k);
            c.globalAlpha = k === chosen ? 1 : !on ? 0.5 : study.members > 300 ? 0.35 : 0.75;
            c.lineWidth = k === chosen ? 3 : 1;
            c.setLineDash(study.status[k] > 0 ? [4, 3] : []);
            c.beginPath();
            let pen = false;
            axes.forEach((a, i) => {
                const at = a.place(a.values[k]);
                if (!Number.isFinite(at)) return (pen = false);
                if (pen) c.lineTo(this.xOf(i), this.yOf(at));
                else c.moveTo(this.xOf(i), this.yOf(at));
                return (pen = true);
            });
            c.stroke();
        }
        c.globalAlpha = 1;
        c.setLineDash([]);
        axes.forEach((a, i) => {
            const x = this.xOf(i), range = this.app.ranges.get(a);
            c.textAlign = 'center';
            c.strokeStyle = muted;
            c.lineWidth = 1;
            c.beginPath();
            c.moveTo(x, this.yOf(0));
            c.lineTo(x, this.yOf(1));
            c.stroke();
            c.fillStyle = ink;
            c.fillText(shorten(c, a.title, Math.max(60, (this.width - 104) / Math.max(1, axes.length - 1) - 10)), x, 12);
            c.fillStyle = muted;
            c.fillText(show(a.high, 3), x, 25);
            c.fillText(show(a.low, 3), x, this.height - 3);
            if (!range) return;
            c.fillStyle = `${variable('--accent')}55`;
            c.strokeStyle = variable('--accent');
            c.fillRect(x - 6, this.yOf(range[1]), 12, this.yOf(range[0]) - this.yOf(range[1]));
            c.strokeRect(x - 6, this.yOf(range[1]), 12, this.yOf(range[0]) - this.yOf(range[1]));
        });
        if (this.app.axes.length > most) {
            c.textAlign = 'right';
            c.fillText(`${most} of ${this.app.axes.length} axes`, this.width - 4, this.height - 3);
        }
    }
}

function shorten(c: CanvasRenderingContext2D, text: string, width: number): string {
    if (c.measureText(text).width <= width) return text;
    let n = text.length;
    while (n > 1 && c.measureText(`${text.slice(0, n)}\u2026`).width > width) n--;
    return `${text.slice(0, n)}\u2026`;
}

const left = 66, right = 36, top = 10, bottom = 40;

/** One column over another; members that differ in nothing else than x are joined by lines. */
export class Scatter extends Picture {
    x: Axis | null = null;
    y: Axis | null = null;
    readonly head = h('div', { class: 'plot-head' });
    private readonly selects = (['x', 'y'] as const).map((name) => h('select', { class: `axis-${name}`, 'aria-label': `${name} axis` }));
    private readonly tip = h('small', { class: 'tip' });
    private dragged: Range[] | null = null;

    constructor(app: StudyApp) {
        super(app, 'Response');
        this.selects.forEach((s) => {
            s.append(...app.axes.map((a, i) => h('option', { value: i }, a.title)));
            s.addEventListener('change', () => this.setAxes(app.axes[Number(this.selects[0].value)] ?? null, app.axes[Number(this.selects[1].value)] ?? null));
        });
        this.head.append(h('h4', {}, 'Response'), h('label', {}, 'x ', this.selects[0]), h('label', {}, 'y ', this.selects[1]), this.tip);
        let from: [number, number] | null = null;
        this.element.addEventListener('pointerdown', (e) => {
            from = this.position(e);
            this.element.setPointerCapture(e.pointerId);
        });
        this.element.addEventListener('pointermove', (e) => {
            const at = this.position(e);
            if (!from || Math.hypot(at[0] - from[0], at[1] - from[1]) < 5) return void (this.tip.textContent = this.tell(this.nearest(...at)));
            this.dragged = [[this.placeX(from[0]), this.placeX(at[0])], [this.placeY(from[1]), this.placeY(at[1])]];
            this.draw();
        });
        this.element.addEventListener('pointerup', (e) => {
            const at = this.position(e), { dragged } = this;
            this.dragged = null;
            if (from && dragged && this.x && this.y) {
                this.app.ranges.set(this.y, [Math.min(...dragged[1]), Math.max(...dragged[1])]);
                this.app.setRange(this.x, dragged[0]);
            } else if (from) {
                const k = this.nearest(...at);
                if (k !== null) this.app.choose(k);
            }
            from = null;
        });
        this.element.addEventListener('dblclick', () => this.app.clear());
    }
    /** null: a parameter, a measure. */
    setAxes(x: Axis | null, y: Axis | null): void {
        this.x = x ?? this.app.parameters[0] ?? this.app.axes[0] ?? null;
        this.y = y ?? this.app.measures[0] ?? this.app.axes[this.app.axes.length - 1] ?? null;
        this.selects[0].value = String(this.app.axes.indexOf(this.x!));
        this.selects[1].value = String(this.app.axes.indexOf(this.y!));
        this.draw();
    }
    private placeX(x: number): number {
        return (x - left) / (this.width - left - right);
    }
    private placeY(y: number): number {
        return (this.height - bottom - y) / (this.height - top - bottom);
    }
    private toX(place: number): number {
        return left + place * (this.width - left - right);
    }
    private toY(place: number): number {
        return this.height - bottom - place * (this.height - top - bottom);
    }
    /** Where a member is; a failed one at the lower edge; null: nowhere. */
    pointOf(k: number): [number, number] | null {
        if (!this.x || !this.y) return null;
        const at = this.x.place(this.x.values[k]), value = this.app.study.status[k] > 0 ? 0 : this.y.place(this.y.values[k]);
        return Number.isFinite(at + value) ? [this.toX(at), this.toY(value)] : null;
    }
    private nearest(x: number, y: number): number | null {
        let best: number | null = null, least = 12;
        for (let k = 0; k < this.app.study.members; k++) {
            const p = this.pointOf(k), away = p && this.app.selected(k) ? Math.hypot(p[0] - x, p[1] - y) : Infinity;
            if (away < least) (least = away), (best = k);
        }
        return best;
    }
    private tell(k: number | null): string {
        if (k === null || !this.x || !this.y) return '';
        const failed = this.app.study.status[k] > 0;
        return `member ${k + 1}: ${this.x.name} = ${show(this.x.values[k])}, ${failed ? 'failed' : `${this.y.name} = ${show(this.y.values[k])} ${this.y.unit}`}`;
    }
    /** Members that differ in x alone, by x. */
    lines(): number[][] {
        const { x } = this, { members } = this.app.study, groups = new Map<string, number[]>();
        if (!x || x.isMeasure) return [];
        const others = this.app.parameters.filter((a) => a !== x);
        for (let k = 0; k < members; k++) {
            const key = others.map((a) => a.values[k]).join(' ');
            const group = groups.get(key);
            if (group) group.push(k);
            else groups.set(key, [k]);
        }
        return [...groups.values()].filter((g) => g.length > 2).map((g) => g.sort((a, b) => x.values[a] - x.values[b]));
    }

    protected paint(): void {
        const { c, x, y } = this, { study, chosen } = this.app;
        if (!x || !y) return;
        this.paintAxes(x, y);
        for (const line of this.lines())
            for (let i = 1; i < line.length; i++) {
                const [a, b] = [line[i - 1], line[i]], p = this.pointOf(a), q = this.pointOf(b);
                if (!p || !q || study.status[a] !== 0 || study.status[b] !== 0) continue;
                c.strokeStyle = this.app.colorOf(b);
                c.globalAlpha = this.app.selected(a) && this.app.selected(b) ? 0.7 : 0.12;
                c.beginPath();
                c.moveTo(...p);
                c.lineTo(...q);
                c.stroke();
            }
        for (const { k, on } of this.members()) {
            const p = this.pointOf(k);
            if (!p) continue;
            c.globalAlpha = on ? 0.9 : 0.12;
            if (study.status[k] > 0) this.cross(...p);
            else this.dot(...p, this.app.colorOf(k), k === chosen);
        }
        c.globalAlpha = 1;
        if (!this.dragged) return;
        const [[a, b], [d, e]] = this.dragged;
        c.fillStyle = `${variable('--accent')}33`;
        c.fillRect(this.toX(a), this.toY(d), this.toX(b) - this.toX(a), this.toY(e) - this.toY(d));
    }
    private dot(x: number, y: number, color: string, big: boolean): void {
        const { c } = this;
        c.fillStyle = color;
        c.beginPath();
        c.arc(x, y, big ? 6 : 3.2, 0, 7);
        c.fill();
        if (!big) return;
        c.strokeStyle = variable('--ink');
        c.lineWidth = 2;
        c.stroke();
        c.lineWidth = 1;
    }
    private cross(x: number, y: number): void {
        const { c } = this;
        c.strokeStyle = failure;
        c.beginPath();
        for (const s of [1, -1]) c.moveTo(x - 4, y - 4 * s), c.lineTo(x + 4, y + 4 * s);
        c.stroke();
    }
    private paintAxes(x: Axis, y: Axis): void {
        const { c } = this, muted = variable('--muted'), marks = (a: Axis) => (Number.isFinite(a.low) ? (a.high > a.low ? scaleTicks(a.low, a.high, a.log) : [a.low]) : []);
        c.strokeStyle = variable('--line');
        c.fillStyle = muted;
        c.lineWidth = 1;
        for (const v of marks(x)) {
            const at = this.toX(x.place(v));
            c.beginPath();
            c.moveTo(at, this.toY(0) + 4);
            c.lineTo(at, this.toY(1));
            c.stroke();
            c.textAlign = 'center';
            c.fillText(show(v, 3), at, this.height - bottom + 16);
        }
        for (const v of marks(y)) {
            const at = this.toY(y.place(v));
            c.beginPath();
            c.moveTo(left - 4, at);
            c.lineTo(this.width - right, at);
            c.stroke();
            c.textAlign = 'right';
            c.fillText(show(v, 3), left - 7, at + 4);
        }
        c.fillStyle = variable('--ink');
        c.textAlign = 'center';
        c.fillText(x.title, (left + this.width - right) / 2, this.height - 6);
        c.save();
        c.translate(12, (top + this.height - bottom) / 2);
        c.rotate(-Math.PI / 2);
        c.fillText(y.title, 0, 0);
        c.restore();
    }
}
