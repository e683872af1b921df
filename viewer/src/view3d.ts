// view3d.ts: the scene in three dimensions: parts, camera, picking.
import {
    type BufferGeometry, Box3, Color, DoubleSide, Float32BufferAttribute, BufferGeometry as Geometry, Group, type Intersection, Line, LineBasicMaterial, LineSegments,
    Mesh, MeshStandardMaterial, Object3D, type OrthographicCamera, type PerspectiveCamera, Quaternion, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { palette, readColor, visible } from './colors';
import type { FlexData, Results } from './data';
import { Eye } from './eye';
import { type ColorBy, FlexMesh, type Peak, undeformed } from './flexmesh';
import * as make from './geometry';
import { ModeMotion, type Motion, nearestRow } from './motion';
import { decades, linear, type Scale } from './scale';
import type { SceneBody, SceneLink, SceneMarker } from './scene';
import { gridOf, lightsOf, sizeOf, upOf } from './scenery';

export type Layer = 'joints' | 'forces' | 'reactions' | 'frames' | 'traces' | 'grid' | 'labels';

export interface BodyPart {
    index: number;
    scene: SceneBody;
    color: Color;
    object: Group; // follows the body
    mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
    flex: FlexMesh | null;
    markers: SceneMarker[];
    group: BodyPart[]; // parts of one beam, itself among them: they are picked, hidden and listed as one
    hidden: boolean;
    drawn: boolean; // has a pose in this analysis
}

/** A node and its value. */
export interface NodeValue extends Peak {
    body: BodyPart;
}

const sliding = new Set(['translational', 'cylindrical', 'planar', 'point_on_line', 'screw']);

// the pose of a marker as drawn
interface MarkerPose {
    at: Vector3;
    turn: Quaternion;
}

interface JointPart {
    scene: SceneLink;
    mesh: Mesh; // symbol or rod
    rod: boolean;
}

interface WrenchPart {
    scene: SceneLink;
    layer: Layer;
    marker: number;
    table: string; // of the values
    column: number;
    force: Mesh | null;
    torque: Mesh | null;
    coil: Mesh | null;
    sleeve: Mesh | null;
    largest: [number, number]; // of force and torque in the whole layer
}

interface Trace {
    marker: number;
    line: Line;
}

const point = new Vector3(), other = new Vector3(), turn = new Quaternion(), back = new Quaternion(), identity = new Quaternion();
const own = { name: '', at: [0, 0, 0], rotation: [1, 0, 0, 0] };
const zAxis = new Vector3(0, 0, 1);
const plain = new Color('#9aa3ab');

/** What a page says in place of the scene if there is no WebGL. */
export const FLAT = 'This browser cannot draw in 3D: WebGL is switched off or not available. Switch on hardware acceleration in its settings, ' +
    'or open the page in another browser. Curves and tables are complete.';

function rendererOf(canvas: HTMLCanvasElement): WebGLRenderer | null {
    try {
        const renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
        renderer.info.autoReset = true;
        return renderer;
    } catch {
        return null;
    }
}

export class View3D {
    readonly renderer: WebGLRenderer | null; // null: this browser cannot draw in 3D
    readonly scene = new Scene();
    readonly bodies: BodyPart[] = [];
    readonly up: Vector3;
    readonly size: number;
    readonly layers: Record<Layer, boolean> = { joints: true, forces: true, reactions: false, frames: false, traces: true, grid: true, labels: false };
    readonly flexible: FlexMesh[] = [];
    readonly warnings: string[] = []; // what cannot be drawn
    readonly eye: Eye;
    gridStep = 1;
    exaggeration = 1;
    colorBy: ColorBy = 'body';
    legend: { by: ColorBy; scale: Scale } | null = null;
    selected: BodyPart | null = null;
    follow = false;
    onchange: () => void = () => undefined;
    ghost: View3D | null = null; // another run, drawn through this one

    private readonly joints: JointPart[] = [];
    private readonly wrenches: WrenchPart[] = [];
    private readonly traces: Trace[] = [];
    private readonly frames: LineSegments[] = [];
    private readonly markerPose: MarkerPose[] = [];
    private movingFrames: LineSegments | null = null; // axes of markers on bodies that deform
    private grid: LineSegments | null = null;
    private motion: Motion | null = null;
    private readonly pose = new Float64Array(7);
    private readonly jointMaterial = new MeshStandardMaterial({ color: '#46525e', roughness: 0.45, metalness: 0.35 });
    private readonly springMaterial = new MeshStandardMaterial({ color: '#7d8894', roughness: 0.4, metalness: 0.5, side: DoubleSide });
    private readonly forceMaterial = new MeshStandardMaterial({ color: '#d9480f', roughness: 0.6 });
    private readonly reactionMaterial = new MeshStandardMaterial({ color: '#7c3aed', roughness: 0.6 });
    private gridColor = '#cfd6dd';

    /** first: the view of another run, whose picture and camera it shares. */
    constructor(readonly results: Results, readonly canvas: HTMLCanvasElement, first?: View3D) {
        this.renderer = first ? first.renderer : rendererOf(canvas);
        if (!this.renderer) this.warnings.push(FLAT);
        this.up = upOf(results);
        this.size = sizeOf(results);
        this.layers.labels = results.scene.labels ?? false;
        this.eye = first?.eye ?? new Eye(canvas, this.up, this.size);
        if (!first) this.eye.onchange = () => this.onchange();
        this.scene.add(lightsOf(this.up));
        this.makeBodies();
        this.makeJoints();
        this.makeForces();
        this.applyLayers();
    }

    // ---- parts ---------------------------------------------------------------------------------

    private makeBodies(): void {
        const { bodies, markers } = this.results.scene;
        bodies.forEach((b, index) => {
            const mine = markers.filter((m) => m.body === index);
            const color = visible(readColor(b.color) ?? new Color(palette[this.leadOf(index) % palette.length]));
            const data = this.shapeOf(b);
            const flex = data ? new FlexMesh(data, b, color, this.size) : null;
            const mesh = flex ?? new Mesh(b.shapes?.length ? make.bodyGeometry(b.shapes) : make.markerGeometry(mine, this.size), new MeshStandardMaterial({ color, roughness: 0.55, metalness: 0.08 }));
            const object = new Group();
            object.add(mesh);
            mesh.userData.body = index;
            const named = mine.filter((m) => m.name);
            if (b.q >= 0) {
                const frames = this.triads([{ ...own, body: index }, ...named.filter((m) => m.q === undefined)]);
                this.frames.push(frames);
                object.add(frames);
            }
            this.scene.add(object);
            if (flex) this.flexible.push(flex);
            const lead = this.bodies[this.leadOf(index)];
            const part: BodyPart = { index, scene: b, color, object, mesh, flex, markers: named, group: lead?.group ?? [], hidden: false, drawn: false };
            part.group.push(part);
            this.bodies.push(part);
        });
        const ground = markers.filter((m) => m.body < 0 && m.name);
        this.addFrames(this.triads(ground.length ? ground : [{ ...own, body: -1 }]));
        const moving = markers.filter((m) => m.name && m.q !== undefined);
        if (moving.length > 0) this.addFrames((this.movingFrames = this.triads(moving)));
        for (let i = 0; i < markers.length; i++) this.markerPose.push({ at: new Vector3(), turn: new Quaternion() });
    }
    private shapeOf(b: SceneBody): FlexData | null {
        const data = this.results.flexOf(b), less = data && undeformed(data, b.name, this.renderer?.capabilities.maxTextureSize ?? Infinity);
        if (less) this.warnings.push(less.warning);
        return less ? less.data : data;
    }
    // the first part of the beam that a body belongs to
    private leadOf(index: number): number {
        const { bodies } = this.results.scene, of = bodies[index].of;
        return of === undefined ? index : Math.max(0, bodies.findIndex((b) => b.name === of));
    }
    private triads(markers: SceneMarker[]): LineSegments {
        return new LineSegments(make.triads(markers, 0.09 * this.size), new LineBasicMaterial({ vertexColors: true }));
    }
    private addFrames(frames: LineSegments): void {
        frames.frustumCulled = false;
        this.frames.push(frames);
        this.scene.add(frames);
    }

    private makeJoints(): void {
        const s = 0.016 * this.size, { markers } = this.results.scene;
        for (const j of this.results.scene.joints) {
            const first = markers[j.markers[0]];
            if (!first || j.markers.length < 2 || j.inner) continue;
            const symbol = make.jointSymbol(j.kind, s);
            let geometry = symbol ?? make.link();
            if (symbol && first.body < 0 && ['revolute', 'spherical', 'universal'].includes(j.kind)) {
                const down = this.up.clone().negate().applyQuaternion(make.quaternion(first.rotation).invert());
                geometry = make.merged([symbol, make.foot(s, down)]);
            }
            const mesh = new Mesh(geometry, this.jointMaterial);
            this.joints.push({ scene: j, mesh, rod: symbol === null });
            this.scene.add(mesh);
        }
    }

    private makeForces(): void {
        const { joints, forces } = this.results.scene;
        const add = (link: SceneLink, layer: Layer, table: string, column: number, marker: number, symbol: '' | 'coil' | 'sleeve') => {
            const material = layer === 'forces' ? this.forceMaterial : this.reactionMaterial;
            const arrows = symbol === '';
            const part: WrenchPart = {
                scene: link, layer, marker, table, column,
                force: arrows ? new Mesh(make.arrow(), material) : null,
                torque: arrows ? new Mesh(make.turnArrow(), material) : null,
                coil: symbol === 'coil' ? new Mesh(make.coil(), this.springMaterial) : null,
                sleeve: symbol === 'sleeve' ? new Mesh(make.bushing(0.016 * this.size), this.springMaterial) : null,
                largest: [0, 0],
            };
            for (const m of [part.force, part.torque, part.coil, part.sleeve]) if (m) (m.visible = false), this.scene.add(m);
            this.wrenches.push(part);
        };
        forces.forEach((f, i) => {
            if (f.kind === 'applied') add(f, 'forces', 'forces', 6 * i, f.markers[0], '');
            else if (f.kind === 'spring' || f.kind === 'bushing') add(f, 'forces', 'forces', 6 * i, f.markers[0], f.kind === 'spring' ? 'coil' : 'sleeve');
        });
        joints.forEach((j, i) => !j.inner && add(j, 'reactions', 'reactions', 6 * i, j.markers[1], ''));
    }

    // ---- analysis and time ---------------------------------------------------------------------

    setMotion(motion: Motion): void {
        this.motion = motion;
        for (const b of this.bodies) {
            b.drawn = motion.has(b.scene);
            b.flex?.setFields((name) => motion.analysis.field(name, b.index));
        }
        this.findLargest();
        if (this.isGhost) return;
        this.eye.setBox(this.measure());
        this.makeGrid();
        this.retrace();
        this.setColorBy(this.colorBy);
    }
    /** Takes the camera over from the view of another run, with what was shown there. */
    takeOver(from: View3D): void {
        this.eye.onchange = () => this.onchange();
        Object.assign(this.layers, from.layers);
        const { markers } = this.results.scene, before = from.results.scene.markers;
        const traced = new Set(from.traces.map((t) => before[t.marker].name));
        markers.forEach((m, i) => m.name && traced.has(m.name) && this.setTrace(i, true));
        const hidden = new Set(from.bodies.filter((b) => b.hidden).map((b) => b.scene.name));
        for (const b of this.bodies) b.hidden = hidden.has(b.scene.name);
        this.setExaggeration(from.exaggeration);
        this.applyLayers();
    }

    // ---- ghosts --------------------------------------------------------------------------------

    private isGhost = false;
    /** Bodies alone, translucent. */
    makeGhost(): void {
        this.isGhost = true;
        for (const name of Object.keys(this.layers) as Layer[]) this.layers[name] = false;
        for (const { material } of this.bodies.map((b) => b.mesh)) Object.assign(material, { transparent: true, opacity: 0.4, depthWrite: false });
        this.applyLayers();
    }
    setGhost(ghost: View3D | null, color: string): void {
        if (this.ghost && this.ghost !== ghost) this.ghost.dispose();
        this.ghost = ghost;
        for (const b of ghost?.bodies ?? []) b.mesh.material.color.set(color);
        if (this.motion) this.eye.setBox(this.measure());
        this.onchange();
    }
    /** Its shapes leave the graphics card; the renderer stays. */
    dispose(): void {
        this.scene.traverse((o) => {
            if (!(o instanceof Mesh || o instanceof Line)) return;
            o.geometry.dispose();
            for (const m of [o.material].flat()) m.dispose();
        });
        for (const m of this.flexible) m.elasticMap.dispose();
    }

    retrace(): void {
        const traced = this.traces.map((t) => t.marker);
        for (const m of traced) this.setTrace(m, false);
        for (const m of traced) this.setTrace(m, true);
        for (const m of this.flexible) m.forgetRanges();
    }

    /** Largest force and torque of each layer over all rows: the longest arrow. */
    private findLargest(): void {
        const largest: Record<string, [number, number]> = { forces: [0, 0], reactions: [0, 0] };
        for (const w of this.wrenches) {
            const table = this.motion!.analysis.series(w.table);
            if (!w.force || w.column + 6 > table.columns) continue;
            const step = Math.max(1, Math.floor(table.rows / 2000));
            for (let k = 0; k < 2; k++) {
                const [x, y, z] = [0, 1, 2].map((c) => table.column(w.column + 3 * k + c));
                for (let i = 0; i < table.rows; i += step) {
                    const size = Math.hypot(x[i], y[i], z[i]);
                    if (size > largest[w.layer][k]) largest[w.layer][k] = size;
                }
            }
            w.largest = largest[w.layer];
        }
    }

    setTime(t: number): void {
        const motion = this.motion;
        if (!motion) return;
        motion.seek(t);
        const before = this.selected && this.follow ? this.selected.object.position.clone() : null;
        for (const b of this.bodies) {
            b.object.visible = b.drawn;
            b.mesh.visible = !b.hidden;
            if (!b.drawn) continue;
            motion.pose(this.pose, b.scene);
            b.object.position.set(this.pose[0], this.pose[1], this.pose[2]);
            b.object.quaternion.set(this.pose[4], this.pose[5], this.pose[6], this.pose[3]);
            b.flex?.set(motion);
        }
        this.placeMarkers();
        this.placeJoints();
        this.placeWrenches(t);
        if (this.ghost?.motion) this.ghost.setTime(motion instanceof ModeMotion && motion.end > 0 ? (t / motion.end) * this.ghost.motion.end : t);
        if (before) {
            const moved = this.selected!.object.position.clone().sub(before);
            this.eye.move(moved);
        }
    }

    private placeMarkers(): void {
        const { markers } = this.results.scene;
        for (let i = 0; i < markers.length; i++) this.placeMarker(this.markerPose[i], markers[i], this.exaggeration);
        if (this.movingFrames && this.layers.frames) this.placeFrames(this.movingFrames);
    }
    // with its body; on a body that deforms where the analysis has it, exaggerated like the body
    private placeMarker(out: MarkerPose, m: SceneMarker, exaggeration: number): void {
        const body = this.bodies[m.body];
        out.at.set(m.at[0], m.at[1], m.at[2]);
        out.turn.set(m.rotation[1], m.rotation[2], m.rotation[3], m.rotation[0]);
        if (!body) return;
        const { position, quaternion } = body.object;
        if (this.motion!.marker(this.pose, m, body.scene)) {
            point.fromArray(this.pose);
            turn.set(this.pose[4], this.pose[5], this.pose[6], this.pose[3]);
            if (exaggeration === 1 || body.scene.q < 0) return void (out.at.copy(point), out.turn.copy(turn));
            back.copy(quaternion).invert();
            // at + f (R'(r_M - r) - at), and f times the rotation from the undeformed axes
            out.at.lerp(point.sub(position).applyQuaternion(back), exaggeration);
            turn.premultiply(back).multiply(back.copy(out.turn).invert());
            out.turn.premultiply(powerOf(turn, exaggeration));
        }
        out.at.applyQuaternion(quaternion).add(position);
        out.turn.premultiply(quaternion);
    }
    private placeFrames(frames: LineSegments): void {
        const { markers } = this.results.scene, to = frames.geometry.getAttribute('position');
        let v = 0;
        markers.forEach((m, i) => {
            if (!m.name || m.q === undefined) return;
            const { at, turn: axes } = this.markerPose[i];
            for (let k = 0; k < 3; k++) {
                point.set(0, 0, 0).setComponent(k, 0.09 * this.size).applyQuaternion(axes).add(at);
                to.setXYZ(v++, at.x, at.y, at.z);
                to.setXYZ(v++, point.x, point.y, point.z);
            }
        });
        to.needsUpdate = true;
    }

    // a unit along z becomes a rod between two points
    private span(mesh: Object3D, a: Vector3, b: Vector3, width: number): boolean {
        other.copy(b).sub(a);
        const length = other.length();
        if (length < 1e-3 * this.size) return false;
        mesh.position.copy(a);
        mesh.quaternion.setFromUnitVectors(zAxis, other.divideScalar(length));
        mesh.scale.set(width, width, length);
        return true;
    }

    private shown(marker: number): boolean {
        const body = this.bodies[this.results.scene.markers[marker]?.body];
        return !body || (!body.hidden && (body.drawn || body.scene.q < 0)); // places that slide have no body of their own
    }

    private placeJoints(): void {
        for (const j of this.joints) {
            const [a, b] = j.scene.markers, pa = this.markerPose[a], pb = this.markerPose[b];
            j.mesh.visible = this.layers.joints && (this.shown(a) || this.shown(b)) && this.motion!.acts(j.scene);
            if (!j.mesh.visible || !pa || !pb) continue;
            if (j.rod) j.mesh.visible = this.span(j.mesh, pa.at, pb.at, 0.005 * this.size);
            // what slides is where the second body is, in the axes of the first
            else j.mesh.position.copy(sliding.has(j.scene.kind) ? pb.at : pa.at), j.mesh.quaternion.copy(pa.turn);
        }
    }

    private placeWrenches(t: number): void {
        const analysis = this.motion!.analysis, times = analysis.seriesTime;
        const row = nearestRow(times, t);
        for (const w of this.wrenches) {
            const on = this.layers[w.layer] && this.shown(w.marker) && this.motion!.acts(w.scene);
            for (const m of [w.force, w.torque, w.coil, w.sleeve]) if (m) m.visible = false;
            if (!on) continue;
            if (w.sleeve) {
                const [a, b] = w.scene.markers, { at, turn: axes } = this.markerPose[this.results.scene.markers[b]?.body >= 0 ? b : a];
                w.sleeve.visible = true;
                w.sleeve.position.copy(at);
                w.sleeve.quaternion.copy(axes);
                continue;
            }
            if (w.coil) {
                const [a, b] = w.scene.markers;
                if (this.markerPose[a] && this.markerPose[b])
                    w.coil.visible = this.span(w.coil, this.markerPose[a].at, this.markerPose[b].at, 0.028 * this.size);
                continue;
            }
            const table = analysis.series(w.table);
            if (w.column + 6 > table.columns) continue;
            for (let k = 0; k < 2; k++) this.placeArrow(k === 0 ? w.force! : w.torque!, w, table, k, row);
        }
    }

    private placeArrow(mesh: Mesh, w: WrenchPart, table: { rows: number; data: ArrayLike<number> }, k: number, row: number): void {
        const at = (w.column + 3 * k) * table.rows + row;
        point.set(table.data[at], table.data[at + table.rows], table.data[at + 2 * table.rows]);
        const size = point.length(), largest = w.largest[k];
        mesh.visible = size > 1e-3 * largest && largest > 0;
        if (!mesh.visible) return;
        mesh.position.copy(this.markerPose[w.marker].at);
        mesh.quaternion.copy(turn.setFromUnitVectors(zAxis, point.divideScalar(size)));
        const f = size / largest;
        if (k === 0) mesh.scale.set(0.4 * this.size * (0.3 + 0.7 * f), 0.4 * this.size * (0.3 + 0.7 * f), 0.4 * this.size * f);
        else mesh.scale.setScalar(0.1 * this.size * (0.35 + 0.65 * f));
    }

    // ---- traces --------------------------------------------------------------------------------

    isTraced(marker: number): boolean {
        return this.traces.some((t) => t.marker === marker);
    }
    setTrace(marker: number, on: boolean): void {
        const i = this.traces.findIndex((t) => t.marker === marker);
        if (i >= 0 && !on) {
            this.scene.remove(this.traces[i].line);
            this.traces[i].line.geometry.dispose();
            this.traces.splice(i, 1);
        } else if (i < 0 && on && this.motion) {
            const line = this.makeTrace(marker);
            this.traces.push({ marker, line });
            this.scene.add(line);
        }
        this.applyLayers();
    }
    // where a marker is, not exaggerated
    private placeOf(out: Vector3, m: SceneMarker): Vector3 {
        const motion = this.motion!, body = this.bodies[m.body];
        if (!body) return out.fromArray(m.at);
        if (motion.marker(this.pose, m, body.scene)) return out.fromArray(this.pose);
        motion.pose(this.pose, body.scene);
        return out.fromArray(m.at).applyQuaternion(make.quaternion(this.pose, 3)).add(other.fromArray(this.pose));
    }
    private makeTrace(marker: number): Line {
        const m = this.results.scene.markers[marker], body = this.bodies[m.body], motion = this.motion!;
        const count = Math.min(motion.frames, 4000), points = new Float32Array(3 * count);
        for (let i = 0; i < count; i++) {
            motion.seek(motion.times[Math.round((i * (motion.frames - 1)) / Math.max(1, count - 1))]);
            this.placeOf(point, m).toArray(points, 3 * i);
        }
        const g = new Geometry();
        g.setAttribute('position', new Float32BufferAttribute(points, 3));
        const line = new Line(g, new LineBasicMaterial({ color: body.color.clone().lerp(new Color('#888888'), 0.25) }));
        line.frustumCulled = false;
        return line;
    }
    /** Markers not used by joints or forces are probably points of interest: their paths are shown first. */
    traceFreeMarkers(): void {
        const { markers, joints, forces } = this.results.scene;
        const used = [...joints, ...forces].flatMap((l) => l.markers).map((i) => markers[i]).filter(Boolean);
        const free = markers
            .map((m, i) => ({ m, i }))
            .filter(({ m }) => m.body >= 0 && this.bodies[m.body]?.drawn && m.name.startsWith(`${this.bodies[m.body].group[0].scene.name}.`))
            .filter(({ m }) => Math.hypot(...m.at) > 1e-6 * this.size)
            .filter(({ m }) => !used.some((u) => this.bodies[u.body]?.group === this.bodies[m.body].group && Math.hypot(u.at[0] - m.at[0], u.at[1] - m.at[1], u.at[2] - m.at[2]) < 1e-6 * this.size));
        if (free.length <= 8) for (const { i } of free) this.setTrace(i, true);
    }

    // ---- what is shown -------------------------------------------------------------------------

    setLayer(layer: Layer, on: boolean): void {
        this.layers[layer] = on;
        this.applyLayers();
    }
    private applyLayers(): void {
        for (const f of this.frames) f.visible = this.layers.frames;
        for (const t of this.traces) t.line.visible = this.layers.traces;
        if (this.grid) this.grid.visible = this.layers.grid;
        this.onchange();
    }
    setHidden(body: BodyPart, hidden: boolean): void {
        for (const b of body.group) b.hidden = hidden;
        this.onchange();
    }
    isolate(body: BodyPart): void {
        const alone = this.bodies.every((b) => b.group === body.group || b.hidden);
        for (const b of this.bodies) b.hidden = !alone && b.group !== body.group;
        this.onchange();
    }
    select(body: BodyPart | null): void {
        this.selected = body?.group[0] ?? null;
        this.tint();
        this.onchange();
    }
    // marks the selected body, unless colours are values
    private tint(): void {
        for (const b of this.bodies) {
            const on = b.group[0] === this.selected && this.colorBy === 'body';
            b.mesh.material.emissive.set(on ? '#4f9cff' : '#000000');
            b.mesh.material.emissiveIntensity = on ? 0.35 : 0;
        }
    }
    setExaggeration(f: number): void {
        this.exaggeration = f;
        for (const m of this.flexible) m.setExaggeration(f);
        this.onchange();
    }
    private scaleOf(by: ColorBy): Scale {
        if (!this.motion || by === 'body') return linear(0);
        if (by === 'damage') return decades(this.flexible.flatMap((m) => Array.from(m.field(by) ?? [])));
        const known = by === 'displacement' ? undefined : this.motion.analysis.header.largest_stress;
        return linear(known ?? Math.max(0, ...this.flexible.map((m) => m.range(by, this.motion!))));
    }
    /** One scale for all flexible bodies, so that colours can be compared. */
    setColorBy(by: ColorBy): void {
        this.colorBy = by;
        const scale = this.scaleOf(by);
        for (const m of this.flexible) m.setColorBy(by, scale);
        for (const b of this.bodies) b.mesh.material.color.copy(by === 'body' || b.flex?.isColored ? b.color : plain); // what has no value is grey
        this.tint();
        this.legend = by === 'body' || this.flexible.length === 0 ? null : { by, scale };
        this.onchange();
    }
    setTheme(colors: { background: string; grid: string; joint: string; spring: string }): void {
        this.scene.background = new Color(colors.background);
        this.gridColor = colors.grid;
        this.jointMaterial.color.set(colors.joint);
        this.springMaterial.color.set(colors.spring);
        if (this.grid) (this.grid.material as LineBasicMaterial).color.set(colors.grid);
        this.onchange();
    }

    // ---- extent of the motion --------------------------------------------------------------------------------

    /** What the bodies sweep over the whole motion. */
    private measure(): Box3 {
        const motion = this.motion!, { amplitude } = motion instanceof ModeMotion ? motion : { amplitude: 0 };
        if (motion instanceof ModeMotion) motion.amplitude = 0; // the same picture for all modes
        const box = new Box3(), frames = amplitude > 0 ? 1 : Math.min(motion.frames, 60);
        for (const b of this.bodies) {
            if (!b.drawn || b.hidden) continue;
            if (b.flex?.absolute) {
                this.sweep(box, b.flex, frames);
                continue;
            }
            b.mesh.geometry.computeBoundingBox();
            const local = b.flex && b.flex.data.triangles.length === 0 ? this.boxOf(b.flex) : b.mesh.geometry.boundingBox!;
            for (let f = 0; f < frames; f++) {
                motion.seek(motion.start + ((motion.end - motion.start) * f) / Math.max(1, frames - 1));
                motion.pose(this.pose, b.scene);
                turn.copy(make.quaternion(this.pose, 3));
                for (let k = 0; k < 8; k++) {
                    point.set(k & 1 ? local.max.x : local.min.x, k & 2 ? local.max.y : local.min.y, k & 4 ? local.max.z : local.min.z);
                    box.expandByPoint(point.applyQuaternion(turn).add(other.set(this.pose[0], this.pose[1], this.pose[2])));
                }
            }
        }
        for (const j of [...this.results.scene.joints, ...this.results.scene.forces.filter((f) => f.kind === 'spring')])
            for (const i of j.markers) {
                const m = this.results.scene.markers[i];
                if (m && m.body < 0) box.expandByPoint(make.vector(m.at));
            }
        for (const w of this.wrenches) if (w.force && w.layer === 'forces') this.sweepArrow(box, w, Math.min(frames, 20));
        if (this.ghost?.motion) box.union(this.ghost.measure());
        if (box.isEmpty()) box.expandByPoint(new Vector3());
        if (motion instanceof ModeMotion) (motion.amplitude = amplitude), box.expandByScalar(0.07 * this.size);
        return box;
    }
    // of nodes in absolute coordinates
    private sweep(box: Box3, mesh: FlexMesh, frames: number): void {
        const motion = this.motion!, before = mesh.elastic.slice();
        for (let f = 0; f < frames; f++) {
            motion.seek(motion.start + ((motion.end - motion.start) * f) / Math.max(1, frames - 1));
            mesh.set(motion);
            box.union(this.boxOf(mesh));
        }
        mesh.setElastic(before);
    }
    // of the tips of a force's arrow
    private sweepArrow(box: Box3, w: WrenchPart, frames: number): void {
        const motion = this.motion!, table = motion.analysis.series(w.table), m = this.results.scene.markers[w.marker];
        if (!m || !(w.largest[0] > 0) || w.column + 6 > table.columns) return;
        for (let f = 0; f < frames; f++) {
            const t = motion.start + ((motion.end - motion.start) * f) / Math.max(1, frames - 1), row = nearestRow(motion.analysis.seriesTime, t);
            motion.seek(t);
            this.placeOf(point, m);
            const force = [0, 1, 2].map((c) => table.data[(w.column + c) * table.rows + row]);
            if (Math.hypot(...force) > 1e-3 * w.largest[0]) box.expandByPoint(point.addScaledVector(other.fromArray(force), (0.4 * this.size) / w.largest[0]));
        }
    }
    private boxOf(mesh: FlexMesh): Box3 {
        return new Box3().setFromArray(mesh.nodes());
    }

    private makeGrid(): void {
        if (this.grid) this.scene.remove(this.grid), this.grid.geometry.dispose();
        const { lines, step } = gridOf(this.eye, this.gridColor);
        this.grid = lines;
        this.grid.visible = this.layers.grid;
        this.gridStep = step;
        this.scene.add(this.grid);
    }

    get camera(): PerspectiveCamera | OrthographicCamera {
        return this.eye.camera;
    }
    /** Fits the whole motion into the view without changing the direction. */
    fit(): void {
        this.eye.setBox(this.measure());
        this.eye.fit();
        this.resize();
    }
    look(name: string): void {
        this.eye.look(name);
        this.resize();
    }
    /** Restores the last chosen view, unless the user has moved the camera since. */
    refit(): void {
        this.resize();
        this.eye.refit();
    }
    resize(): void {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0 || height === 0) return;
        this.renderer?.setPixelRatio(Math.min(2, window.devicePixelRatio));
        this.renderer?.setSize(width, height, false);
        this.eye.resize();
    }

    // ---- drawing, picking ----------------------------------------------------------------------

    render(): void {
        const height = this.eye.open();
        for (const m of this.flexible) m.setPixel(height / Math.max(1, this.canvas.height));
        if (!this.renderer) return;
        this.renderer.render(this.scene, this.camera);
        if (!this.ghost) return;
        this.renderer.autoClear = false;
        this.renderer.render(this.ghost.scene, this.camera);
        this.renderer.autoClear = true;
    }
    get drawCalls(): number {
        return this.renderer?.info.render.calls ?? 0;
    }
    get triangles(): number {
        return this.renderer?.info.render.triangles ?? 0;
    }
    /** Objects that are visible now, each one draw call at most. */
    get visibleParts(): number {
        let count = 0;
        this.scene.traverseVisible((o) => {
            if (o instanceof Mesh || o instanceof Line) count++;
        });
        return count;
    }

    private hit(x: number, y: number): Intersection | undefined {
        const box = this.canvas.getBoundingClientRect();
        const at = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
        const ray = new Raycaster();
        ray.setFromCamera(at, this.camera);
        const meshes = this.bodies.filter((b) => b.drawn && !b.hidden).map((b) => b.mesh);
        return ray.intersectObjects(meshes, false)[0];
    }
    private bodyOf(hit: Intersection | undefined): BodyPart | null {
        return hit ? (this.bodies[hit.object.userData.body as number] ?? null) : null;
    }
    pick(x: number, y: number): BodyPart | null {
        return this.bodyOf(this.hit(x, y));
    }
    /** The node nearest to a point of the page and what its colour shows; null: nothing there shows a value. */
    probe(x: number, y: number): NodeValue | null {
        const hit = this.colorBy === 'body' ? undefined : this.hit(x, y), body = this.bodyOf(hit);
        if (!hit?.face || !body?.flex?.isColored) return null;
        const { flex } = body, { a, b, c } = hit.face;
        const away = (node: number) => flex.nodeAt(node).applyMatrix4(body.object.matrixWorld).distanceTo(hit.point);
        const node = [a, b, c].map((v) => flex.nodeOf(v)).reduce((best, n) => (away(n) < away(best) ? n : best));
        return { body, node, value: flex.value(this.colorBy, node) };
    }
    /** The largest stress or damage that colours show. */
    peak(): NodeValue | null {
        let best: NodeValue | null = null;
        for (const body of this.bodies) {
            const peak = body.drawn && !body.hidden ? body.flex?.peak(this.colorBy) : null;
            if (peak && !(best && best.value >= peak.value)) best = { ...peak, body };
        }
        return best;
    }
    private nodePlace({ body, node }: NodeValue): Vector3 {
        body.object.updateMatrixWorld();
        return body.flex!.nodeAt(node).applyMatrix4(body.object.matrixWorld);
    }
    /** Where a node is on the page, as drawn; null: behind the camera. */
    nodeOnPage(at: NodeValue): [number, number] | null {
        return this.project(this.nodePlace(at));
    }
    /** Whether something is drawn before a node. */
    isCovered(at: NodeValue): boolean {
        const place = this.nodePlace(at), on = this.project(place), box = this.canvas.getBoundingClientRect();
        const hit = on && this.hit(box.left + on[0], box.top + on[1]);
        if (!hit) return false;
        const depth = (p: Vector3) => p.clone().project(this.camera).z;
        return depth(hit.point) < depth(place) && hit.point.distanceTo(place) > 0.01 * this.size;
    }
    /** Where a point of the world is on the page; null: behind the camera. */
    project(p: Vector3): [number, number] | null {
        const q = p.clone().project(this.camera);
        if (q.z > 1) return null;
        return [((q.x + 1) / 2) * this.canvas.clientWidth, ((1 - q.y) / 2) * this.canvas.clientHeight];
    }
    markerPlace(i: number): Vector3 {
        return this.markerPose[i].at;
    }
    jointShown(name: string): boolean {
        return this.joints.find((j) => j.scene.name === name)?.mesh.visible ?? false;
    }
    /** x, y, z, qw, qx, qy, qz as drawn. */
    markerPoseOf(i: number): number[] {
        const { at, turn: q } = this.markerPose[i];
        return [at.x, at.y, at.z, q.w, q.x, q.y, q.z];
    }
    /** A point in the middle of a body, as drawn. */
    middleOf(b: BodyPart): Vector3 {
        b.mesh.geometry.computeBoundingSphere();
        if (!b.flex) return b.mesh.geometry.boundingSphere!.center.clone().applyMatrix4(b.object.matrixWorld);
        return this.boxOf(b.flex).getCenter(new Vector3()).applyMatrix4(b.object.matrixWorld);
    }
}

/** The rotation f times as far. */
function powerOf(q: Quaternion, f: number): Quaternion {
    if (q.w < 0) q.set(-q.x, -q.y, -q.z, -q.w);
    const sine = Math.hypot(q.x, q.y, q.z), angle = Math.atan2(sine, q.w);
    if (sine < 1e-12) return q.copy(identity);
    const s = Math.sin(f * angle) / sine;
    return q.set(s * q.x, s * q.y, s * q.z, Math.cos(f * angle));
}
