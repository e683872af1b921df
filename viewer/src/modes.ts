// modes.ts: the modes of an analysis: a list with frequencies and damping; the selected one is animated.
import type { Analysis } from './data';
import { h, replace, show } from './dom';

export interface Mode {
    frequency: number; // Hz
    natural: number; // |s|/2 pi, Hz
    damping: number; // -Re s/|s|
    re: number;
    im: number;
}

export function modesOf(a: Analysis): Mode[] {
    const t = a.modes, column = (name: string) => t.column(Math.max(0, t.names.indexOf(name)));
    const [frequency, natural, damping, re, im] = ['frequency', 'natural', 'damping', 're', 'im'].map(column);
    return Array.from({ length: t.rows }, (_, k) => ({ frequency: frequency[k], natural: natural[k], damping: damping[k], re: re[k], im: im[k] }));
}

/** "12.3 Hz", or the kind of motion if it does not oscillate. */
export function nameOf(m: Mode): string {
    if (m.frequency > 0) return `${show(m.frequency, 5)} Hz`;
    return m.natural === 0 ? 'rigid-body mode' : m.re > 0 ? 'unstable' : 'overdamped';
}

export class ModesPanel {
    readonly element = h('div', { class: 'modes' });
    chosen = 0;
    onchoose: (mode: number) => void = () => undefined;
    onamplitude: (factor: number) => void = () => undefined;
    private modes: Mode[] = [];
    private rows: HTMLElement[] = [];
    private readonly about = h('dl', {});
    private readonly value = h('output', {}, '1\u00d7');
    private readonly slider = h('input', { type: 'range', class: 'amplitude', min: -2, max: 1, step: 0.05, value: 0, 'aria-label': 'Mode amplitude' });

    constructor() {
        this.slider.addEventListener('input', () => this.setAmplitude(10 ** Number(this.slider.value)));
    }
    /** The list of an analysis; the first mode is selected. */
    show(a: Analysis): void {
        this.modes = modesOf(a);
        this.rows = this.modes.map((m, k) => this.row(m, k));
        const head = h('tr', {}, ...['', 'frequency', 'damping'].map((t) => h('th', {}, t)));
        replace(this.element,
            h('label', { class: 'amplitude-box' }, 'amplitude ', this.slider, this.value),
            h('table', { role: 'listbox', 'aria-label': 'Modes' }, h('thead', {}, head), h('tbody', {}, ...this.rows)),
            this.about,
            h('p', { class: 'note' }, a.header.text));
    }
    private row(m: Mode, k: number): HTMLElement {
        const damped = m.damping === 0 ? '0' : Math.abs(m.damping) === 1 ? '\u2013' : `${show(100 * m.damping, 3)} %`;
        const row = h('tr', { role: 'option', tabindex: 0, class: m.re > 1e-9 * Math.hypot(m.re, m.im) && m.re > 0 ? 'unstable' : '', onclick: () => this.choose(k) },
            h('td', {}, k + 1), h('td', {}, nameOf(m)), h('td', {}, damped));
        row.addEventListener('keydown', (e) => e.key === 'Enter' && this.choose(k));
        return row;
    }
    choose(k: number): void {
        if (!this.modes[k]) return;
        this.chosen = k;
        this.rows.forEach((r, i) => r.setAttribute('aria-selected', String(i === k)));
        this.rows[k].scrollIntoView({ block: 'nearest' });
        const m = this.modes[k], pair = (name: string, value: string) => [h('dt', {}, name), h('dd', {}, value)];
        replace(this.about,
            ...pair('mode', `${k + 1} of ${this.modes.length}`),
            ...pair('frequency', `${show(m.frequency, 7)} Hz`),
            ...pair('undamped', `${show(m.natural, 7)} Hz`),
            ...pair('damping ratio', show(m.damping, 5)),
            ...pair('s', `${show(m.re, 5)} ${m.im ? `\u00b1 ${show(Math.abs(m.im), 6)} i` : ''} 1/s`));
        this.onchoose(k);
    }
    setAmplitude(factor: number): void {
        this.slider.value = String(Math.log10(factor));
        this.value.textContent = `${show(factor, 2)}\u00d7`;
        this.onamplitude(factor);
    }
    get amplitude(): number {
        return 10 ** Number(this.slider.value);
    }
}
