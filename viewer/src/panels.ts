// panels.ts: model tree, selection, run, model text.
import type { Analysis, Life, Place, Results } from './data';
import { button, h, icon, icons, replace, show } from './dom';
import type { BodyPart, Layer, View3D } from './view3d';

const layerNames: [Layer, string][] = [
    ['joints', 'Joints'], ['forces', 'Forces'], ['reactions', 'Reactions'], ['frames', 'Frames'], ['traces', 'Traces'],
    ['labels', 'Names'], ['grid', 'Grid'],
];

const kindNames: Record<string, string> = { point_on_line: 'point on line', applied: 'force', bristle: 'friction' };
const kindName = (k: string) => kindNames[k] ?? k;

// ---- tree --------------------------------------------------------------------------------------

export class Tree {
    readonly element = h('div', { class: 'tree' });
    private rows = new Map<BodyPart, { row: HTMLElement; eye: HTMLButtonElement }>();
    private chips = new Map<Layer, HTMLButtonElement>();

    constructor(private view: View3D, private onselect: (b: BodyPart | null) => void) {
        this.build();
    }

    private build(): void {
        const { view } = this, { scene } = view.results;
        const layers = h('div', { class: 'chips' });
        for (const [layer, name] of layerNames) {
            const chip = button(`Show ${name.toLowerCase()}`, name, () => (view.setLayer(layer, !view.layers[layer]), this.update()));
            this.chips.set(layer, chip);
            layers.append(chip);
        }
        const bodies = view.bodies.filter((b) => b.group[0] === b && (b.drawn || b.scene.q >= 0 || b.scene.flex)).map((b) => this.bodyRow(b));
        const links = (title: string, list: { name: string; kind: string; markers: number[] }[]) =>
            list.length === 0 ? null
            : h('details', { open: list.length <= 30 },
                h('summary', {}, `${title} `, h('small', {}, list.length)),
                ...list.map((l) => h('div', { class: 'leaf', title: l.markers.map((m) => this.ownerOf(m)).join(' \u2013 ') }, h('span', {}, l.name), h('small', {}, kindName(l.kind)))));
        replace(this.element,
            layers,
            h('details', { open: true },
                h('summary', {}, 'Bodies ', h('small', {}, bodies.length),
                    button('Show all', 'all', () => (view.bodies.forEach((b) => (b.hidden = false)), this.update(), view.onchange()), { class: 'link' })),
                ...bodies),
            links('Joints', scene.joints.filter((j) => !j.inner)),
            links('Forces', scene.forces));
        this.update();
    }
    private ownerOf(marker: number): string {
        const m = this.view.results.scene.markers[marker];
        return m ? (this.view.bodies[m.body]?.group[0].scene.name ?? 'ground') : '?';
    }

    private bodyRow(b: BodyPart): HTMLElement {
        const { view } = this;
        const eye = button(`Hide or show ${b.scene.name}`, icon(...icons.eye), () => (view.setHidden(b, !b.hidden), this.update()), { class: 'eye' });
        const name = button(`Select ${b.scene.name}`, b.scene.name, () => this.onselect(view.selected === b ? null : b), { class: 'name' });
        const row = h('div', { class: 'leaf body' }, h('i', { style: `background:#${b.color.getHexString()}` }), name, eye);
        this.rows.set(b, { row, eye });
        return row;
    }

    update(): void {
        for (const [layer, chip] of this.chips) chip.setAttribute('aria-pressed', String(this.view.layers[layer]));
        for (const [b, { row, eye }] of this.rows) {
            row.classList.toggle('selected', this.view.selected === b);
            row.classList.toggle('hidden', b.hidden);
            eye.replaceChildren(icon(...(b.hidden ? icons.eyeOff : icons.eye)));
        }
    }
}

// ---- selection ---------------------------------------------------------------------------------

export class Selection {
    readonly element = h('div', { class: 'selection' });
    private live: [HTMLElement, () => string][] = [];

    constructor(private view: View3D, private changed: () => void) {
        this.show();
    }

    show(): void {
        const b = this.view.selected;
        this.live = [];
        if (!b) {
            replace(this.element, h('p', { class: 'empty' }, 'Select a body in the view or in the list to see its data.'));
            return;
        }
        const { view } = this, { scene } = view.results;
        const mine = new Set(b.group.map((p) => p.index));
        const joined = [...scene.joints, ...scene.forces].filter((l) => !l.inner && l.markers.some((m) => mine.has(scene.markers[m]?.body)));
        const indices = scene.markers.map((m, i) => ({ m, i })).filter(({ m }) => mine.has(m.body) && m.name);
        replace(this.element,
            h('h3', {}, h('i', { class: 'swatch', style: `background:#${b.color.getHexString()}` }), b.scene.name),
            h('div', { class: 'actions' },
                button('Hide or show this body', b.hidden ? 'Show' : 'Hide', () => (view.setHidden(b, !b.hidden), this.show(), this.changed())),
                button('Show only this body, or all bodies again', 'Isolate', () => (view.isolate(b), this.show(), this.changed())),
                button('Camera follows this body', 'Follow', () => ((view.follow = !view.follow), this.show()), { 'aria-pressed': view.follow })),
            h('dl', {},
                h('dt', {}, 'kind'), h('dd', {}, b.scene.kind),
                ...this.lines(b)),
            indices.length > 0 && h('h4', {}, 'Markers'),
            ...indices.map(({ m, i }) =>
                h('div', { class: 'leaf' },
                    h('span', {}, m.name.startsWith(`${b.scene.name}.`) ? m.name.slice(b.scene.name.length + 1) : m.name === b.scene.name ? 'frame' : m.name),
                    button('Show the path of this marker', icon(...icons.trace), () => (view.setTrace(i, !view.isTraced(i)), this.show()), { class: 'eye', 'aria-pressed': view.isTraced(i) }))),
            joined.length > 0 && h('h4', {}, 'Joints and forces'),
            ...joined.map((l) => h('div', { class: 'leaf' }, h('span', {}, l.name), h('small', {}, kindName(l.kind)))));
        this.update();
    }
    private lines(b: BodyPart): HTMLElement[] {
        const out: HTMLElement[] = [];
        const add = (name: string, value: () => string) => {
            const dd = h('dd', { class: 'number' });
            this.live.push([dd, value]);
            out.push(h('dt', {}, name), dd);
        };
        const p = b.object.position, q = b.object.quaternion;
        if (b.group.length > 1) add(b.flex?.absolute ? 'elements' : 'parts', () => String(b.group.length));
        if (b.flex?.absolute) return out;
        const length = (x: number) => `${show(Math.abs(x) < 1e-9 * this.view.size ? 0 : x)} m`; // hides round-off
        add('x', () => length(p.x));
        add('y', () => length(p.y));
        add('z', () => length(p.z));
        add('rotation', () => {
            const angle = 2 * Math.atan2(Math.hypot(q.x, q.y, q.z), Math.abs(q.w));
            return `${show((angle * 180) / Math.PI, 4)}\u00b0`;
        });
        add('axis', () => {
            const n = Math.hypot(q.x, q.y, q.z), s = q.w < 0 ? -1 : 1;
            return n < 1e-9 ? '\u2013' : [q.x, q.y, q.z].map((x) => ((s * x) / n).toFixed(3)).join('  ');
        });
        if (b.flex) {
            const { flex } = b;
            add('nodes', () => String(flex.data.nodes));
            add('largest elastic coordinate', () => show(Math.max(0, ...flex.elastic.map(Math.abs))));
        }
        return out;
    }
    update(): void {
        for (const [e, value] of this.live) e.textContent = value();
    }
}

// ---- run ---------------------------------------------------------------------------------------

export interface EnergyCheck {
    drift: number; // largest change of the balance, J
    exchanged: number; // range of the energies exchanged, J
}

export function checkEnergy(a: Analysis): EnergyCheck | null {
    const t = a.series('energies');
    const range = (name: string) => {
        const c = t.names.indexOf(name);
        if (c < 0 || t.rows === 0) return 0;
        let low = Infinity, high = -Infinity;
        for (const x of t.column(c)) (low = Math.min(low, x)), (high = Math.max(high, x));
        return high - low;
    };
    if (t.names.indexOf('balance') < 0 || t.rows < 2) return null;
    const exchanged = Math.max(...['kinetic', 'potential', 'strain', 'dissipated', 'work'].map(range));
    return { drift: range('balance'), exchanged };
}

export function warningsOf({ results, warnings }: View3D, a: Analysis): string[] {
    const out = [...warnings], { header } = a;
    if (header.status === 'running' && results.header.live) out.push('The run was still in progress when this page was created.');
    else if (header.status === 'running') out.push('The run was interrupted; use limber run --resume to continue it.');
    else if (header.status !== 'done') out.push(`Analysis status: ${header.status}${header.text ? `: ${header.text}` : '.'}`);
    else if (header.text && (a.modes.rows === 0 || header.text.includes('not constant'))) out.push(header.text);
    const energy = checkEnergy(a);
    if (energy && energy.exchanged > 0 && energy.drift > 0.01 * energy.exchanged)
        out.push(`The energy balance drifts by ${show(energy.drift, 3)} J, ${show((100 * energy.drift) / energy.exchanged, 2)} % of the energy exchanged.`);
    const stat = (name: string) => header.stats.find((s) => s[0] === name)?.[1] ?? 0;
    if (stat('rejected') > 0.5 * stat('steps') && stat('rejected') > 20) out.push('Many steps were rejected: check for discontinuous expressions.');
    for (const table of ['sensors', 'energies', 'reactions']) {
        const t = a.series(table);
        for (let c = 0; c < t.columns; c++) if (t.column(c).some(Number.isNaN)) out.push(`${t.names[c]} is NaN at some times.`);
    }
    if (header.rows === 0) out.push('The analysis has no output.');
    return out;
}

export class RunPanel {
    readonly element = h('div', { class: 'run' });
    constructor(private view: View3D, private seek: (t: number) => void) {}

    private placeText(p: Place): string {
        const kind = p.kind === 'section' ? 'section at node' : 'node';
        return `${this.view.results.scene.bodies[p.body].name}, ${kind} ${p.node < 0 ? `at ${p.x.map((x) => show(x, 3)).join(' ')} m` : p.node}`;
    }
    private life({ rows, duration, line, spots }: Life): HTMLElement[] {
        return [
            h('h4', {}, 'Fatigue life'),
            ...spots.map((s) => h('p', { class: 'worn' }, h('b', {}, `${show(s.hours, 3)} h `), `${this.placeText(s)}, damage ${show(s.damage, 3)}, on its critical plane ${show(s.plane, 3)}`)),
            h('p', { class: 'note' }, `${spots.length > 0 ? 'Damage' : 'No damage'} over ${rows} output times, ${show(duration)} s. ${line}.`),
        ];
    }

    show(a: Analysis): void {
        const { header } = this.view.results, energy = checkEnergy(a), warnings = warningsOf(this.view, a);
        const pair = (name: string, value: string | null) => (value ? [h('dt', {}, name), h('dd', {}, value)] : []);
        const series = a.header.series.time?.rows ?? 0, spots = a.header.spots ?? [];
        const thinned = series < a.header.rows || (!a.curves && a.frames < a.header.rows);
        replace(this.element,
            ...warnings.map((w) => h('p', { class: 'warning' }, w)),
            h('h4', {}, a.header.name),
            h('dl', {},
                ...pair('status', a.header.status),
                ...pair(a.curves ? 'rows' : 'output times', String(a.header.rows)),
                ...a.header.stats.filter(([name]) => !a.curves || name === 'seconds') // curves have no steps
                    .flatMap(([name, value]) => pair(name.replaceAll('_', ' '), show(value)))),
            energy && h('h4', {}, 'Energy balance'),
            energy && h('dl', {},
                ...pair('energy exchanged', `${show(energy.exchanged, 4)} J`),
                ...pair('drift of balance', `${show(energy.drift, 3)} J`),
                ...pair('ratio', energy.exchanged > 0 ? show(energy.drift / energy.exchanged, 2) : null)),
            ...(a.header.life ? this.life(a.header.life) : []),
            spots.length > 0 && h('h4', {}, 'Largest von Mises stress'),
            ...spots.map((s) => button('Go to this time', h('span', {}, h('b', {}, `${show(s.mises / 1e6, 4)}${s.bar === null ? '' : ` \u00b1 ${show(s.bar / 1e6, 2)}`} MPa `), `${this.placeText(s)}, ${show(s.time)} s`), () => this.seek(s.time), { class: 'event spot' })),
            a.header.events.length > 0 && h('h4', {}, 'Events ', h('small', {}, a.header.event_count)),
            ...a.header.events.map(([t, text]) => a.curves ? h('p', { class: 'event' }, text) : button('Go to this time', h('span', {}, h('b', {}, `${show(t)} s `), text), () => this.seek(t), { class: 'event' })),
            h('h4', {}, 'File'),
            h('dl', {}, ...pair('results', header.file), ...pair('model', header.model_file), ...pair('command', header.command), ...pair('created', header.created), ...pair('limber', header.version)),
            h('h4', {}, 'Contents of this page'),
            h('p', { class: 'note' },
                `${a.curves ? '' : `${a.frames} of ${a.header.rows} frames (seven digits), `}${series} rows of curve data. `,
                !a.curves && thinned ? 'The frames are evenly spaced; use limber view --frames to change their number.' : !thinned && 'The data are complete.'));
    }
}

// ---- model -------------------------------------------------------------------------------------

export function modelPanel(results: Results): HTMLElement {
    const { header } = results;
    return h('div', { class: 'model' },
        header.parameters.length > 0 && h('h4', {}, 'Parameters (SI)'),
        header.parameters.length > 0 && h('dl', {}, ...header.parameters.flatMap(([n, v]) => [h('dt', {}, n), h('dd', { class: 'number' }, show(v, 7))])),
        h('h4', {}, 'Model file'),
        h('pre', {}, header.model ?? ''));
}
