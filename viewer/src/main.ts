// main.ts: puts the page together.
import { Box3, Vector3 } from 'three';
import { canRecord, Recorder, screenshot } from './capture';
import { like, RunsPanel, type Theme } from './compare';
import { type Field, fields, type Page, Results, type Study } from './data';
import { button, download, h, icon, icons, replace, show, showKeys, steady } from './dom';
import { type ColorBy, colorStops, deformChunk } from './flexmesh';
import { ModesPanel } from './modes';
import { modeAmplitude, ModeMotion, Motion } from './motion';
import { modelPanel, RunPanel, Selection, Tree, warningsOf } from './panels';
import { Player, speeds } from './player';
import { PlotPanel } from './plots';
import { readNodes } from './readback';
import { ticks } from './scale';
import { StudyApp } from './study';
import './style.css';
import { FLAT, type BodyPart, type Layer, type NodeValue, View3D } from './view3d';

const themes = {
    light: { background: '#f4f6f8', grid: '#d5dbe1', joint: '#46525e', spring: '#7d8894' },
    dark: { background: '#15191e', grid: '#2c343d', joint: '#98a4b0', spring: '#aeb8c2' },
};

const preferred = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

const keys: [string, string][] = [
    ['Space', 'play or pause'], ['\u2190 \u2192', 'previous or next frame (Shift: ten frames)'], ['\u2191 \u2193', 'previous or next mode'], ['Home End', 'go to start or end'], ['+ \u2212', 'faster or slower'],
    ['[ ]', 'previous or next run'], ['B', 'toggle the ghost of another run'], ['L', 'toggle loop'], ['F', 'fit all'], ['O', 'orthographic or perspective view'], ['1 \u2026 7', 'views: oblique, x, y, z, \u2212x, \u2212y, \u2212z'],
    ['H', 'hide the selected body'], ['I', 'isolate the selected body'], ['A', 'show all bodies'], ['J  G  N', 'toggle joints, grid, names'], ['P', 'screenshot'], ['D', 'toggle theme'], ['Esc', 'clear selection'],
];

const mouse = 'Mouse: drag to rotate, right-drag to pan, wheel to zoom, click to select. In plots: click to go to a time, drag to zoom, double-click to reset.';

/** What colours show, and in which unit. */
const scales: Record<ColorBy, { title: string; unit: string; size: number }> = {
    body: { title: '', unit: '', size: 1 },
    displacement: { title: 'displacement', unit: 'm', size: 1 },
    stress: { title: 'von Mises stress', unit: 'MPa', size: 1e6 },
    envelope: { title: 'largest von Mises stress', unit: 'MPa', size: 1e6 },
    damage: { title: 'damage', unit: '', size: 1 },
};

class App {
    readonly player = new Player();
    readonly canvas = h('canvas', { class: 'scene', tabindex: 0, 'aria-label': '3D view' });
    view: View3D;
    readonly runs: RunsPanel | null;
    readonly plots = new PlotPanel();
    readonly recorder: Recorder;
    private tree!: Tree;
    private selection!: Selection;
    private run!: RunPanel;
    private current = 0; // the run that is shown
    private readonly views: View3D[] = []; // of the runs that were shown
    readonly modes = new ModesPanel();
    private motion!: Motion;
    private dirty = true;
    private theme: Theme = preferred();
    private slowUpdate = 0;

    // timeline
    private readonly slider = h('input', { type: 'range', class: 'scrub', min: 0, max: 1, step: 'any', 'aria-label': 'Time' });
    private readonly clock = h('output', { class: 'clock' });
    private readonly playButton = button('Play (space)', icon(...icons.play), () => this.player.play(!this.player.playing), { class: 'play' });
    private readonly loopButton = button('Loop (L)', icon(...icons.loop), () => this.setLoop(!this.player.loop));
    private readonly speed = h('select', { class: 'speed', title: 'Speed', 'aria-label': 'Speed' });
    private readonly ticks = h('div', { class: 'ticks' });
    // overlays
    private readonly gizmo = h('canvas', { class: 'gizmo', width: 152, height: 152 });
    private readonly scale = h('div', { class: 'grid-scale' });
    private readonly legend = h('div', { class: 'legend' });
    private readonly labels = h('div', { class: 'labels' });
    private readonly peak = h('div', { class: 'peak', title: 'Largest value', hidden: true }, h('i', {}), h('span', {}));
    private readonly probe = h('div', { class: 'probe', hidden: true });
    private peakNow: NodeValue | null = null;
    private peakTimer = 0;
    private readonly badge = button('Warnings', '', () => this.showWarnings(), { class: 'badge' });
    private readonly orthoButton = button('Toggle orthographic view (O)', icon(...icons.ortho), () => this.setOrthographic(!this.view.eye.isOrthographic));
    private readonly recordButton = button('Record a video from start to end (WebM)', icon(...icons.film), () => (this.recorder.active ? this.recorder.stop() : this.recorder.start()), { class: 'of-scene' });
    private readonly tabs = new Map<string, { tab: HTMLButtonElement; panel: HTMLElement }>();
    readonly times = { load: 0, frame: 0, frames: [] as number[] };

    constructor(readonly page: Page) {
        this.runs = page.compare && new RunsPanel(page, page.compare);
        this.current = page.compare?.order[0] ?? 0;
        this.layout();
        this.view = this.views[this.current] = new View3D(this.results, this.canvas);
        if (!this.view.renderer) this.stage.append(h('p', { class: 'flat' }, FLAT));
        this.recorder = new Recorder(this.view, this.player, () => this.fileName(), () => this.showState());
        const last = this.firstAnalysis();
        this.motion = this.motionOf(last);
        this.view.setMotion(this.motion);
        this.showPanels();
        this.player.onchange = (what) => (what === 'time' ? (this.dirty = true) : this.showState());
        this.plots.onseek = (t) => this.player.seek(t);
        this.plots.fileName = () => this.fileName();
        this.modes.onchoose = (k) => this.setMode(k);
        this.modes.onamplitude = (f) => this.setAmplitude(f);
        if (this.runs) {
            this.runs.onchoose = (i) => this.setRun(i);
            this.runs.onghost = () => this.showGhost();
            this.runs.onshow = () => (this.showOverlays(), this.plots.redraw());
        }
        this.setTheme(this.theme);
        this.setAnalysis(last);
        if (this.runs) this.showTab('runs');
        this.view.traceFreeMarkers();
        this.listen();
        this.view.look('');
        requestAnimationFrame((now) => this.tick(now));
    }

    get results(): Results {
        return this.page.runs[this.current];
    }
    // the last analysis that moves, else the last with rows
    private firstAnalysis(): number {
        const all = this.results.analyses, count = all.length;
        for (const least of [2, 1]) for (let i = count - 1; i >= 0; i--) if (all[i].frames >= least) return i;
        return count - 1;
    }
    private motionOf(analysis: number): Motion {
        const a = this.results.analyses[analysis];
        return a.modes.rows > 0 ? new ModeMotion(a, 0) : new Motion(a);
    }
    private fileName(): string {
        return this.results.header.file.replace(/\.h5$/, '');
    }

    // ---- layout --------------------------------------------------------------------------------

    private readonly treeBox = h('aside', { class: 'left', 'aria-label': 'Model' });
    private readonly rightBox = h('aside', { class: 'right', 'aria-label': 'Data' });
    private readonly stage = h('div', { class: 'stage' });
    private readonly plotBox = h('div', { class: 'plot-box' });
    private readonly heading = h('h1', {});
    private readonly runSelect = h('select', { class: 'run-select', 'aria-label': 'Run', title: 'Run ([ and ])' });
    private readonly analysisSelect = h('select', { 'aria-label': 'Analysis', title: 'Analysis' });

    private layout(): void {
        const panel = (name: string, title: string, shape: string[]) => button(title, icon(...shape), () => this.togglePanel(name), { class: `toggle toggle-${name}` });
        this.analysisSelect.addEventListener('change', () => this.setAnalysis(Number(this.analysisSelect.value)));
        const top = h('header', { class: 'top' },
            h('strong', {}, 'limber'), this.heading, this.runSelect, this.analysisSelect, this.badge,
            h('span', { class: 'space' }),
            h('span', { class: 'tools' },
                panel('left', 'Model tree', icons.tree), panel('plots', 'Plots', icons.chart), panel('right', 'Data', icons.info), h('i', { class: 'bar' }),
                button('Screenshot (P)', icon(...icons.camera), () => this.saveScreenshot(), { class: 'of-scene' }), this.recordButton,
                button('Toggle theme (D)', icon(...icons.theme), () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'), { class: 'theme' }),
                button('Keyboard shortcuts', icon(...icons.keyboard), () => showKeys(keys, mouse), { class: 'keys-button' })));
        this.stage.append(this.canvas, this.labels, this.peak, this.viewTools(), this.gizmo, this.scale, this.legend, this.probe);
        const centre = h('main', {}, this.stage, h('div', { class: 'splitter', title: 'Drag to resize' }), this.plotBox);
        if (this.runs) this.plotBox.append(this.runs.key);
        this.plotBox.append(this.plots.element);
        this.runSelect.hidden = this.runs === null;
        for (const i of this.page.compare?.order ?? []) this.runSelect.append(h('option', { value: i }, this.page.compare!.runs[i].label));
        this.runSelect.addEventListener('change', () => this.setRun(Number(this.runSelect.value)));
        if (innerWidth < 1080) document.body.classList.add('no-right'); // room for the mechanism
        document.body.replaceChildren(top, this.treeBox, centre, this.rightBox, this.timeline());
        document.body.append(this.plots.dialog);
    }
    // what belongs to a run: names, analyses, panels
    private showPanels(): void {
        const { header, scene, analyses } = this.results;
        const name = this.runs ? (header.model_file ?? header.file).replace(/^.*\//, '') : header.file;
        Object.assign(this.heading, { title: name, textContent: scene.title || name });
        this.analysisSelect.replaceChildren(...analyses.map((a, i) => h('option', { value: i }, a.header.name)));
        this.analysisSelect.hidden = analyses.length < 2;
        document.title = scene.title ? `${scene.title} \u2013 ${name}` : name;
        this.tree = new Tree(this.view, (b) => this.select(b));
        this.selection = new Selection(this.view, () => this.tree.update());
        this.run = new RunPanel(this.view, (t) => this.player.seek(t));
        this.fillPanels();
        this.view.onchange = () => (this.dirty = true);
    }

    private viewTools(): HTMLElement {
        const see = (name: string, text: string, title: string) => button(title, text, () => this.view.look(name));
        return h('div', { class: 'view-tools' },
            button('Fit all (F)', icon(...icons.fit), () => this.view.fit()), this.orthoButton, h('i', { class: 'bar' }),
            see('', '3D', 'Oblique view (1)'), see('x', 'X', 'View along x (2)'), see('y', 'Y', 'View along y (3)'), see('z', 'Z', 'View along z (4)'));
    }

    private timeline(): HTMLElement {
        for (const s of speeds) this.speed.append(h('option', { value: s }, `${s}\u00d7`));
        this.speed.addEventListener('change', () => this.player.setSpeed(Number(this.speed.value)));
        this.slider.addEventListener('input', () => {
            this.player.play(false);
            this.player.seek(Number(this.slider.value));
        });
        return h('footer', { class: 'timeline' },
            button('Go to start (Home)', icon(...icons.first), () => this.player.seek(this.player.start), { class: 'to-start' }),
            button('Previous frame', icon(...icons.previous), () => this.step(-1)), this.playButton,
            button('Next frame', icon(...icons.next), () => this.step(1)), this.loopButton,
            h('div', { class: 'track' }, this.ticks, this.slider), this.clock, this.speed);
    }

    private fillPanels(): void {
        this.treeBox.replaceChildren(this.tree.element);
        const bar = h('nav', { role: 'tablist' });
        this.rightBox.replaceChildren(bar);
        this.stage.querySelector('.flex-tools')?.remove();
        const contents: [string, string, HTMLElement][] = [
            ...(this.runs ? [['runs', 'Runs', this.runs.element] as [string, string, HTMLElement]] : []),
            ['modes', 'Modes', this.modes.element], ['selection', 'Body', this.selection.element], ['run', 'Run', this.run.element], ['model', 'Model', modelPanel(this.results)],
        ];
        for (const [name, title, panel] of contents) {
            const tab = button(title, title, () => this.showTab(name), { role: 'tab' });
            this.tabs.set(name, { tab, panel });
            bar.append(tab);
            this.rightBox.append(panel);
        }
        this.showTab('run');
        if (this.view.flexible.some((m) => !m.absolute)) this.stage.append(this.flexTools());
    }
    private tab = 'run';
    private showTab(name: string): void {
        this.tab = name;
        for (const [key, { tab, panel }] of this.tabs) {
            panel.hidden = key !== name;
            tab.setAttribute('aria-selected', String(key === name));
        }
    }
    private showWarnings(): void {
        this.showTab('run');
        document.body.classList.remove('no-right');
        document.body.dataset.sheet = 'right';
    }
    private togglePanel(name: string): void {
        const narrow = matchMedia('(max-width: 760px)').matches, list = document.body.classList;
        if (!narrow) list.toggle(`no-${name}`);
        else document.body.dataset.sheet = document.body.dataset.sheet === name ? '' : name;
        this.view.resize();
    }

    private flexTools(): HTMLElement {
        const value = h('output', {}, '1\u00d7');
        const slider = h('input', { type: 'range', class: 'exaggeration', min: 0, max: 3, step: 0.05, value: 0, 'aria-label': 'Deformation scale' });
        slider.addEventListener('input', () => {
            const f = Number(slider.value) <= 0 ? 1 : 10 ** Number(slider.value);
            value.textContent = `${show(f, 2)}\u00d7`;
            this.view.setExaggeration(f);
        });
        const choice = h('select', { class: 'color-by', 'aria-label': 'Colour by' },
            h('option', { value: 'body' }, 'body colours'), h('option', { value: 'displacement' }, 'displacement'));
        if (this.view.flexible.some((m) => m.data.stress)) choice.append(h('option', { value: 'stress' }, 'von Mises stress'));
        const names: Record<Field, string> = { envelope: 'largest stress over the run', damage: 'fatigue damage' };
        for (const f of fields) if (this.results.analyses.some((a) => a.has(f))) choice.append(h('option', { value: f }, names[f]));
        choice.addEventListener('change', () => this.setColorBy(choice.value as ColorBy));
        return h('div', { class: 'flex-tools' }, choice, h('label', {}, 'deformation ', slider, value));
    }
    exaggerate(f: number): void {
        const slider = this.stage.querySelector<HTMLInputElement>('.exaggeration');
        if (!slider) return;
        slider.value = String(Math.log10(f));
        slider.dispatchEvent(new Event('input'));
    }
    setColorBy(wanted: ColorBy): void {
        const known = (c: ColorBy) => c === 'body' || this.view.flexible.some((m) => m.knows(c));
        const by = [wanted, 'stress' as const, 'body' as const].find((c) => known(c) && (c !== 'stress' || wanted !== 'displacement'))!;
        this.view.setColorBy(by);
        this.slowUpdate = 0;
        const choice = this.stage.querySelector<HTMLSelectElement>('.color-by');
        if (choice) choice.value = by;
        const { legend } = this.view;
        if (!legend) return this.legend.replaceChildren();
        const { unit, title, size } = scales[legend.by];
        replace(this.legend, h('span', {}, unit ? `${title} [${unit}]` : title),
            h('div', { class: 'legend-bar', style: `background:linear-gradient(to top,${colorStops.join(',')})` }),
            h('div', { class: 'legend-numbers' }, ...ticks(legend.scale).map((x) => h('span', {}, show(x / size, 3)))));
    }

    // ---- state ---------------------------------------------------------------------------------

    /** Another run, at the same time of the like analysis. */
    setRun(i: number): void {
        if (!this.page.runs[i] || i === this.current) return;
        const { time, speed, playing } = this.player, before = this.view, tab = this.tab, mode = this.modes.chosen;
        const same = like(this.plots.analysis, this.page.runs[i].analyses);
        before.setGhost(null, '');
        this.current = i;
        this.runSelect.value = String(i);
        this.view = this.views[i] ??= new View3D(this.results, this.canvas, before);
        const analysis = same ? this.results.analyses.indexOf(same) : this.firstAnalysis();
        this.motion = this.motionOf(analysis);
        this.view.setMotion(this.motion);
        this.view.takeOver(before);
        this.showPanels();
        this.setTheme(this.theme);
        this.view.setColorBy(before.colorBy);
        this.setAnalysis(analysis);
        if (this.motion instanceof ModeMotion && mode > 0) this.modes.choose(mode);
        this.showTab(tab);
        this.player.setSpeed(speed);
        this.player.seek(time);
        this.player.play(playing);
    }
    // curves of the other runs, of the analysis that is shown
    private showOverlays(): void {
        const { runs, plots } = this;
        if (!runs) return;
        plots.own = { label: runs.compare.runs[this.current].label, color: runs.color(this.current) };
        plots.overlays = runs.compare.order.filter((i) => i !== this.current && !runs.hidden.has(i)).flatMap((i) => {
            const analysis = like(plots.analysis, this.page.runs[i].analyses);
            return analysis ? [{ label: runs.compare.runs[i].label, color: runs.color(i), analysis }] : [];
        });
    }
    private showGhost(): void {
        const { runs } = this, run = runs?.ghost ?? null, analysis = run === null ? null : like(this.motion.analysis, this.page.runs[run].analyses);
        if (!runs || run === null || !analysis || analysis.frames === 0) return this.view.setGhost(null, '');
        const ghost = new View3D(this.page.runs[run], this.canvas, this.view);
        ghost.makeGhost();
        ghost.setMotion(this.motion instanceof ModeMotion ? new ModeMotion(analysis, Math.min(this.motion.mode, analysis.modes.rows - 1)) : new Motion(analysis));
        ghost.setExaggeration(this.view.exaggeration);
        this.view.setGhost(ghost, runs.color(run));
    }

    setAnalysis(i: number): void {
        const a = this.results.analyses[i], modes = a.modes.rows > 0, curves = a.curves !== null;
        this.analysisSelect.value = String(i);
        this.run.show(a);
        this.tabs.get('modes')!.tab.hidden = !modes;
        this.tabs.get('selection')!.tab.hidden = curves;
        document.body.classList.toggle('of-modes', modes); // nothing to plot over time
        document.body.classList.toggle('of-curves', curves); // nothing that moves
        this.plots.analysis = a;
        this.runs?.show(a, this.current, this.theme);
        this.showOverlays();
        this.plots.setAnalysis(a);
        if (modes) {
            this.modes.show(a);
            this.modes.choose(0);
            this.showTab('modes');
            document.body.classList.remove('no-right');
        } else {
            this.setMotion(this.motionOf(i));
            if (curves || !this.tabs.get('modes')!.panel.hidden) this.showTab(this.runs ? 'runs' : 'run');
        }
        this.showGhost();
        const warnings = warningsOf(this.view, a);
        this.badge.hidden = warnings.length === 0;
        this.badge.textContent = `\u26a0 ${warnings.length}`;
        this.badge.title = warnings.join('\n');
        const span = this.motion.end - this.motion.start;
        replace(this.ticks, ...a.header.events.map(([t, text]) => h('i', { style: `left:${(100 * (t - this.motion.start)) / (span || 1)}%`, title: `${show(t)} s: ${text}` })));
        this.setColorBy(this.view.colorBy);
        this.showState();
    }
    private setMotion(motion: Motion): void {
        this.motion = motion;
        this.view.setMotion(motion);
        this.player.setRange(motion.start, motion.end);
        Object.assign(this.slider, { min: motion.start, max: motion.end || 1 });
        this.slider.disabled = motion.frames < 2;
    }
    /** Animates one mode of the analysis, a period in two and a half seconds. */
    setMode(k: number): void {
        const { analysis } = this.motion, shown = this.results.analyses[Number(this.analysisSelect.value)];
        const motion = new ModeMotion(shown.modes.rows > 0 ? shown : analysis, k), { playing } = this.player;
        motion.amplitude = modeAmplitude * this.modes.amplitude;
        this.setMotion(motion);
        this.player.setSpeed(Number((motion.end / 2.5).toPrecision(2)));
        this.setColorBy(this.view.colorBy);
        this.showGhost();
        this.player.play(playing);
    }
    private setAmplitude(factor: number): void {
        if (!(this.motion instanceof ModeMotion)) return;
        this.motion.amplitude = modeAmplitude * factor;
        this.view.retrace();
        this.setColorBy(this.view.colorBy);
        this.dirty = true;
    }
    private showState(): void {
        this.playButton.replaceChildren(icon(...(this.player.playing ? icons.pause : icons.play)));
        this.playButton.disabled = this.player.end <= this.player.start;
        this.loopButton.setAttribute('aria-pressed', String(this.player.loop));
        if (![...this.speed.options].some((o) => Number(o.value) === this.player.speed)) this.speed.append(h('option', { value: this.player.speed }, `${this.player.speed}\u00d7`));
        this.speed.value = String(this.player.speed);
        this.recordButton.setAttribute('aria-pressed', String(this.recorder.active));
        this.recordButton.hidden = !canRecord(this.canvas);
        this.orthoButton.setAttribute('aria-pressed', String(this.view.eye.isOrthographic));
        this.dirty = true;
    }
    setTheme(theme: Theme): void {
        this.theme = theme;
        document.documentElement.dataset.theme = theme;
        this.view.setTheme(themes[theme]);
        if (!this.plots.analysis) return;
        this.runs?.show(this.plots.analysis, this.current, theme);
        this.showOverlays();
        this.showGhost();
        this.plots.redraw();
    }
    select(b: BodyPart | null): void {
        this.view.follow = this.view.follow && b !== null;
        this.view.select(b);
        this.tree.update();
        this.selection.show();
        if (b) this.showTab('selection');
        if (b && !matchMedia('(max-width: 760px)').matches) document.body.classList.remove('no-right');
    }
    private setLoop(on: boolean): void {
        this.player.loop = on;
        this.showState();
    }
    private setOrthographic(on: boolean): void {
        this.view.eye.setOrthographic(on);
        this.showState();
    }
    step(n: number): void {
        const { times } = this.motion;
        this.player.play(false);
        this.motion.seek(this.player.time);
        this.player.seek(times[Math.min(times.length - 1, Math.max(0, this.motion.nearestFrame + n))]);
    }
    private faster(n: number): void {
        const i = speeds.findIndex((s) => s >= this.player.speed);
        this.player.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, (i < 0 ? speeds.length - 1 : i) + n))]);
    }
    async saveScreenshot(): Promise<void> {
        const blob = await screenshot(this.view);
        if (blob) download(`${this.fileName()}_${show(this.player.time)}s.png`, blob);
    }

    // ---- input ---------------------------------------------------------------------------------

    private listen(): void {
        let down: [number, number] | null = null, waiting = 0;
        const rest = (e: PointerEvent) => (waiting = window.setTimeout(() => this.showProbe(e.clientX, e.clientY), 80));
        this.canvas.addEventListener('pointerdown', (e) => (down = [e.clientX, e.clientY]));
        this.canvas.addEventListener('pointerup', (e) => {
            if (down && e.button === 0 && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 5) {
                this.select(this.view.pick(e.clientX, e.clientY));
                if (e.pointerType !== 'mouse') rest(e); // fingers do not hover
            }
            down = null;
        });
        this.canvas.addEventListener('pointermove', (e) => {
            clearTimeout(waiting);
            this.probe.hidden = true;
            if (e.buttons === 0 && e.pointerType === 'mouse') rest(e);
        });
        this.canvas.addEventListener('pointerleave', (e) => e.pointerType === 'mouse' && (clearTimeout(waiting), (this.probe.hidden = true)));
        this.canvas.addEventListener('dblclick', () => this.view.fit());
        window.addEventListener('keydown', (e) => this.key(e));
        new ResizeObserver(() => this.view.refit()).observe(this.stage);
        const splitter = document.querySelector<HTMLElement>('.splitter')!;
        splitter.addEventListener('pointerdown', (e) => {
            const start = e.clientY, height = this.plotBox.clientHeight;
            splitter.setPointerCapture(e.pointerId);
            splitter.onpointermove = (m) => this.plotBox.style.setProperty('height', `${Math.min(innerHeight - 260, Math.max(90, height + start - m.clientY))}px`);
            splitter.onpointerup = () => (splitter.onpointermove = null);
        });
    }
    private key(e: KeyboardEvent): void {
        const target = e.target as HTMLElement;
        if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return;
        if (target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type !== 'range')) return;
        const { player, view } = this, views = ['', 'x', 'y', 'z', '-x', '-y', '-z'], b = view.selected;
        const layer = (name: 'joints' | 'grid' | 'labels') => (view.setLayer(name, !view.layers[name]), this.tree.update());
        const actions: Record<string, () => void> = {
            ' ': () => player.play(!player.playing),
            ArrowLeft: () => this.step(e.shiftKey ? -10 : -1), ArrowRight: () => this.step(e.shiftKey ? 10 : 1),
            Home: () => player.seek(player.start), End: () => player.seek(player.end),
            '+': () => this.faster(1), '=': () => this.faster(1), '-': () => this.faster(-1),
            ArrowUp: () => this.modes.choose(this.modes.chosen - 1), ArrowDown: () => this.modes.choose(this.modes.chosen + 1),
            l: () => this.setLoop(!player.loop), f: () => view.fit(), o: () => this.setOrthographic(!view.eye.isOrthographic),
            h: () => b && (view.setHidden(b, !b.hidden), this.tree.update(), this.selection.show()), i: () => b && (view.isolate(b), this.tree.update(), this.selection.show()),
            a: () => (view.bodies.forEach((x) => view.setHidden(x, false)), this.tree.update(), this.selection.show()),
            j: () => layer('joints'), g: () => layer('grid'), n: () => layer('labels'),
            p: () => void this.saveScreenshot(), d: () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'),
            '[': () => this.runs?.step(-1), ']': () => this.runs?.step(1), b: () => this.runs?.toggleGhost(),
            Escape: () => this.select(null), '?': () => showKeys(keys, mouse),
        };
        if (/^Arrow(Up|Down)$/.test(e.key) && !(this.motion instanceof ModeMotion)) return;
        const action = actions[e.key.length === 1 ? e.key.toLowerCase() : e.key] ?? (/^[1-7]$/.test(e.key) ? () => view.look(views[Number(e.key) - 1]) : null);
        if (!action) return;
        e.preventDefault();
        action();
    }

    // ---- pictures ------------------------------------------------------------------------------

    private tick(now: number): void {
        this.player.tick(now);
        if (this.dirty) {
            this.dirty = false;
            const start = performance.now();
            this.draw();
            this.times.frame = performance.now() - start;
            this.times.frames.push(this.times.frame);
            if (this.times.frames.length > 600) this.times.frames.shift();
        }
        requestAnimationFrame((t) => this.tick(t));
    }
    /** Everything at the current time. */
    draw(): void {
        const { time, playing } = this.player;
        this.view.setTime(time);
        this.view.render();
        this.plots.setTime(time, !playing);
        this.slider.value = String(time);
        const now = performance.now(), late = playing && now - this.slowUpdate < 100;
        this.drawPeak(!late);
        this.probe.hidden = true; // its value has changed
        if (late) return;
        this.slowUpdate = now;
        this.clock.textContent = `${steady(time, (this.player.end - this.player.start) / 2000)} s`;
        this.selection.update();
        this.drawGizmo();
        this.drawLabels();
        this.scale.textContent = this.view.layers.grid ? `grid ${show(this.view.gridStep, 3)} m` : '';
    }
    private drawGizmo(): void {
        const c = this.gizmo.getContext('2d')!, size = this.gizmo.width, axis = new Vector3();
        const inverse = this.view.camera.quaternion.clone().invert();
        const axes = (['x', 'y', 'z'] as const).map((name, k) => ({ name, color: ['#d64545', '#2f9e55', '#3b78d8'][k], at: axis.set(0, 0, 0).setComponent(k, 1).applyQuaternion(inverse).clone() }));
        c.clearRect(0, 0, size, size);
        c.lineWidth = 5;
        c.lineCap = 'round';
        c.font = '600 24px system-ui, sans-serif';
        c.textAlign = 'center';
        c.textBaseline = 'middle';
        for (const a of axes.sort((p, q) => p.at.z - q.at.z)) {
            const x = size / 2 + a.at.x * 44, y = size / 2 - a.at.y * 44;
            c.strokeStyle = c.fillStyle = a.color;
            c.beginPath();
            c.moveTo(size / 2, size / 2);
            c.lineTo(x, y);
            c.stroke();
            c.fillText(a.name, size / 2 + a.at.x * 62, size / 2 - a.at.y * 62);
        }
    }
    private valueText(value: number): string {
        const { unit, size } = scales[this.view.colorBy];
        return `${show(value / size, 4)} ${unit}`.trim();
    }
    /** The value of the node under the pointer. */
    private showProbe(x: number, y: number): void {
        const found = this.view.probe(x, y);
        this.probe.hidden = found === null;
        if (!found) return;
        const { body, node, value } = found, box = this.stage.getBoundingClientRect(), number = body.flex!.data.node?.[node];
        replace(this.probe, h('b', {}, this.valueText(value)), h('span', {}, `${body.group[0].scene.name}${number === undefined ? '' : `, node ${number}`}`));
        const { offsetWidth, offsetHeight } = this.probe;
        const left = Math.min(x - box.left + 14, box.width - offsetWidth - 6), top = Math.max(6, y - box.top - offsetHeight - 8);
        this.probe.style.transform = `translate(${Math.max(6, left).toFixed(0)}px,${top.toFixed(0)}px)`;
    }
    /** Where the largest value is: stress now or over the run, damage. */
    private drawPeak(find: boolean): void {
        if (find) this.peakNow = this.view.peak();
        const at = this.peakNow && this.peakNow.value > 0 ? this.view.nodeOnPage(this.peakNow) : null;
        this.peak.hidden = at === null;
        if (!at) return;
        this.peak.lastElementChild!.textContent = this.valueText(this.peakNow!.value);
        this.peak.style.transform = `translate(${at[0].toFixed(1)}px,${at[1].toFixed(1)}px)`;
        this.peak.classList.toggle('flip', at[0] > this.canvas.clientWidth - 110);
        clearTimeout(this.peakTimer);
        if (!this.player.playing) this.peakTimer = window.setTimeout(() => this.peak.classList.toggle('covered', this.peakNow !== null && this.view.isCovered(this.peakNow)), 120); // when it rests
    }
    private drawLabels(): void {
        if (!this.view.layers.labels) return this.labels.replaceChildren();
        const { scene } = this.results;
        const places: [string, Vector3, string][] = [
            ...this.view.bodies.filter((b) => b.drawn && !b.hidden && b.group[0] === b).map((b): [string, Vector3, string] => {
                return [b.scene.name, this.view.middleOf(b.group[b.group.length >> 1]), 'body'];
            }),
            ...scene.joints.filter((j) => !j.inner).map((j): [string, Vector3, string] => [j.name, this.view.markerPlace(j.markers[0]), 'joint']),
        ];
        replace(this.labels, ...places.map(([name, p, kind]) => {
            const at = this.view.project(p);
            return at && h('span', { class: kind, style: `transform:translate(${at[0].toFixed(0)}px,${at[1].toFixed(0)}px)` }, name);
        }));
    }
}

/** page.html#t=0.7&view=x&run=3&ghost=1&analysis=1&mode=2&amplitude=3&theme=dark&color=stress&exaggerate=10&show=frames&hide=traces,grid&ui=scene: how the page begins; ui=scene
 * shows nothing but the scene; a time of a mode is a part of its period. */
function applyHash(app: App): void {
    const given = new URLSearchParams(location.hash.slice(1));
    const theme = given.get('theme'), analysis = Number(given.get('analysis') ?? NaN), time = Number(given.get('t') ?? NaN);
    if (theme === 'dark' || theme === 'light') app.setTheme(theme);
    if (given.get('ui') === 'scene') document.body.classList.add('bare');
    if (Number.isInteger(analysis) && app.results.analyses[analysis - 1]) app.setAnalysis(analysis - 1);
    const run = Number(given.get('run') ?? NaN), ghost = Number(given.get('ghost') ?? NaN), order = app.runs?.compare.order ?? [];
    if (order[run - 1] !== undefined) app.setRun(order[run - 1]);
    if (order[ghost - 1] !== undefined) app.runs!.setGhost(order[ghost - 1]);
    const mode = Number(given.get('mode') ?? NaN), amplitude = Number(given.get('amplitude') ?? NaN);
    if (Number.isInteger(mode)) app.modes.choose(mode - 1);
    if (amplitude > 0) app.modes.setAmplitude(amplitude);
    if (given.has('ui') || given.has('view')) app.view.resize(), app.view.look(given.get('view') ?? '');
    if (Number.isFinite(time)) app.player.seek(Number.isInteger(mode) ? time * app.player.end : time);
    for (const layer of given.get('hide')?.split(',') ?? []) if (layer in app.view.layers) app.view.setLayer(layer as Layer, false);
    for (const layer of given.get('show')?.split(',') ?? []) if (layer in app.view.layers) app.view.setLayer(layer as Layer, true);
    const color = given.get('color'), exaggerate = Number(given.get('exaggerate') ?? NaN);
    if (color && Object.keys(scales).includes(color)) app.setColorBy(color as ColorBy);
    if (exaggerate >= 1) app.exaggerate(exaggerate);
}

/** For scripts and tests: window.limber. */
function publish(app: App): void {
    const { player } = app;
    const find = (name: string) => app.view.bodies.find((b) => b.scene.name === name);
    Object.assign(window, {
        limber: {
            get results() {
                return app.results;
            },
            runs: app.runs,
            setRun: (i: number) => (app.setRun(i), app.draw()),
            player,
            plots: app.plots,
            times: app.times,
            recorder: app.recorder,
            setTime: (t: number) => (player.play(false), player.seek(t), app.draw()),
            setAnalysis: (i: number) => app.setAnalysis(i),
            setColorBy: (by: ColorBy) => app.setColorBy(by),
            setExaggeration: (f: number) => app.exaggerate(f),
            /** A mode from 1, the largest coordinate relative to its natural size. */
            setMode: (k: number, amplitude?: number) => (app.modes.choose(k - 1), amplitude && app.modes.setAmplitude(amplitude / modeAmplitude), app.draw()),
            view: (name: string) => (app.view.look(name), app.draw()),
            select: (name: string | null) => app.select(name === null ? null : (find(name) ?? null)),
            /** x, y, z, qw, qx, qy, qz */
            pose: (name: string) => {
                const o = find(name)!.object;
                return [...o.position.toArray(), o.quaternion.w, o.quaternion.x, o.quaternion.y, o.quaternion.z];
            },
            looks: () => app.view.bodies.map((b) => ({ flexible: b.flex !== null, color: b.mesh.material.color.getHexString(), glow: b.mesh.material.emissiveIntensity })),
            /** The largest stress or damage that colours show: body, index of the node, value, place on the page. */
            peak: () => {
                const p = app.view.peak(), box = app.view.canvas.getBoundingClientRect(), at = p && app.view.nodeOnPage(p);
                return p && at && { body: p.body.scene.name, node: p.node, value: p.value, at: [box.left + at[0], box.top + at[1]] };
            },
            /** A field of the nodes of a body, and their places in the scale of colours, from 0 to 1. */
            field: (name: string, by: Field) => ({ values: [...find(name)!.flex!.field(by)!], shades: [...find(name)!.mesh.geometry.getAttribute('given').array] }),
            /** Where a point of the world is on the page. */
            project: (p: [number, number, number]) => {
                const box = app.view.canvas.getBoundingClientRect(), at = app.view.project(new Vector3(...p))!;
                return [box.left + at[0], box.top + at[1]];
            },
            jointShown: (name: string) => app.view.jointShown(name),
            /** The pose of a marker, found by its name. */
            marker: (name: string) => app.view.markerPoseOf(app.results.scene.markers.findIndex((m) => m.name === name)),
            /** Nodes of a flexible body in the world, as drawn. */
            nodes: (name: string, scale?: number) => {
                const b = find(name)!, out = b.flex!.nodes(scale), p = new Vector3();
                for (let i = 0; i < out.length; i += 3) {
                    p.fromArray(out, i).applyQuaternion(b.object.quaternion).add(b.object.position);
                    p.toArray(out as unknown as number[], i);
                }
                return out;
            },
            /** The same in the body frame, by the script and by the graphics card. */
            localNodes: (name: string) => find(name)!.flex!.nodes(),
            gpuNodes: (name: string) => readNodes(app.view.renderer!, find(name)!.flex!, deformChunk).filter((_, i) => i % 4 < 3),
            gpuStress: (name: string) => readNodes(app.view.renderer!, find(name)!.flex!, deformChunk).filter((_, i) => i % 4 === 3),
            /** Where to click to select a body. */
            onPage: (name: string) => {
                const b = find(name)!, box = app.view.canvas.getBoundingClientRect();
                b.mesh.geometry.computeBoundingBox();
                const local = b.mesh.geometry.boundingBox!.getCenter(new Vector3());
                if (b.flex) local.fromArray(b.flex.nodes(), 3 * (b.flex.data.nodes >> 1));
                if (b.flex && b.flex.data.triangles.length > 0) local.lerp(new Box3().setFromArray(b.flex.nodes()).getCenter(new Vector3()), 0.02);
                const at = app.view.project(local.applyMatrix4(b.object.matrixWorld))!;
                return [box.left + at[0], box.top + at[1]];
            },
            get drawn() {
                return { calls: app.view.drawCalls, parts: app.view.visibleParts, triangles: app.view.triangles };
            },
        },
    });
}

function showStudy(study: Study, start: number): void {
    const app = new StudyApp(study), { theme, member, x, y } = Object.fromEntries(new URLSearchParams(location.hash.slice(1))) as Record<string, string | undefined>;
    app.setTheme(theme === 'dark' || theme === 'light' ? theme : preferred());
    app.begin({ x, y, member: Number(member ?? NaN) });
    Object.assign(window, { limber: { study, app, load: performance.now() - start } });
    document.body.classList.add('ready');
}

async function main(): Promise<void> {
    const start = performance.now(), holder = document.getElementById('limber-data');
    const base64 = holder?.textContent ?? '';
    holder?.remove();
    const page = await Results.read(base64);
    if (page.study) return showStudy(page.study, start);
    for (const { analyses, header } of page.runs) if (analyses.length === 0) throw new Error(`the results file ${page.runs.length > 1 ? `${header.file} ` : ''}contains no analysis`);
    const app = new App(page), worn = app.results.analyses.findIndex((a) => a.has('damage'));
    if (worn >= 0) app.setAnalysis(worn), app.setColorBy('damage'); // what the page was made for
    applyHash(app);
    app.draw();
    app.times.load = performance.now() - start;
    publish(app);
    document.body.classList.add('ready');
}

main().catch((e: unknown) => {
    const text = e instanceof Error ? e.message : String(e);
    document.body.replaceChildren(h('div', { class: 'failure' }, h('h1', {}, 'Cannot display the results'), h('p', {}, text)));
    console.error(e);
});
