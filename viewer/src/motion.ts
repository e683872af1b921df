// motion.ts: where bodies, markers and nodes are at a time: at frames exactly, between them by interpolation; or in a mode.
import type { Analysis, FlexData, Table } from './data';
import type { SceneBody, SceneLink, SceneMarker } from './scene';

export type Pose = Float64Array; // x, y, z, qw, qx, qy, qz

export function rotate(out: number[], q: ArrayLike<number>, at: number, v: ArrayLike<number>): number[] {
    const w = q[at], x = q[at + 1], y = q[at + 2], z = q[at + 3];
    // v + 2 w (u x v) + 2 u x (u x v)
    const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
    out[0] = v[0] + w * tx + y * tz - z * ty;
    out[1] = v[1] + w * ty + z * tx - x * tz;
    out[2] = v[2] + w * tz + x * ty - y * tx;
    return out;
}

/** Columns of two tables, counted through. */
class Columns {
    readonly count: number;
    constructor(private first: Table, private second: Table) {
        this.count = first.columns + second.columns;
    }
    get rows(): number {
        return this.first.rows;
    }
    at(column: number, row: number): number {
        const t = column < this.first.columns ? this.first : this.second;
        const c = column < this.first.columns ? column : column - this.first.columns;
        return t.data[c * t.rows + row];
    }
    name(column: number): string {
        return (column < this.first.columns ? this.first.names[column] : this.second.names[column - this.first.columns]) ?? '';
    }
}

export class Motion {
    readonly times: Float64Array;
    protected readonly q: Columns;
    protected frame = 0;
    private part = 0; // 0 <= part < 1: of the way to the next frame

    constructor(readonly analysis: Analysis, times = analysis.frameTime) {
        this.times = times;
        this.q = new Columns(analysis.q, analysis.places);
    }
    get start(): number {
        return this.times.length ? this.times[0] : 0;
    }
    get end(): number {
        return this.times.length ? this.times[this.times.length - 1] : 0;
    }
    get frames(): number {
        return this.times.length;
    }

    /** Goes to a time. */
    seek(t: number): void {
        const at = this.times;
        let low = 0, high = at.length - 1;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (at[middle] <= t) low = middle;
            else high = middle;
        }
        if (high > 0 && t >= at[high]) low = high;
        const span = low + 1 < at.length ? at[low + 1] - at[low] : 0;
        this.frame = Math.max(0, low);
        this.part = span > 0 ? Math.min(1, Math.max(0, (t - at[low]) / span)) : 0;
    }
    get nearestFrame(): number {
        return this.part < 0.5 ? this.frame : this.frame + 1;
    }
    value(column: number): number {
        const a = this.q.at(column, this.frame);
        return this.part === 0 ? a : a + this.part * (this.q.at(column, this.frame + 1) - a);
    }
    /** Whether a body can be drawn: it has a pose, or shapes in absolute coordinates. */
    has(body: SceneBody): boolean {
        if (body.kind === 'signal' || this.q.rows === 0) return false;
        return body.q < 0 ? body.flex !== undefined : body.q + 7 <= this.q.count && this.isPose(body.q);
    }
    // states of signals are listed among the bodies; a pose has a quaternion
    private isPose(column: number): boolean {
        return this.q.name(column).endsWith('.x') && this.q.name(column + 3).endsWith('.qw');
    }
    protected poseAt(out: Pose, column: number): Pose {
        const { q, frame, part } = this;
        for (let k = 0; k < 7; k++) out[k] = q.at(column + k, frame);
        if (part === 0) return normalise(out);
        let dot = 0;
        for (let k = 3; k < 7; k++) dot += out[k] * q.at(column + k, frame + 1);
        const sign = dot < 0 ? -1 : 1; // the shorter way round
        for (let k = 0; k < 3; k++) out[k] += part * (q.at(column + k, frame + 1) - out[k]);
        for (let k = 3; k < 7; k++) out[k] += part * (sign * q.at(column + k, frame + 1) - out[k]);
        return normalise(out);
    }
    /** Of the body frame; the ground for absolute coordinates. */
    pose(out: Pose, body: SceneBody): Pose {
        if (body.q >= 0) return this.poseAt(out, body.q);
        out.set(ground);
        return out;
    }
    /** Elastic coordinates of a flexible body. */
    elastic(out: Float64Array, body: SceneBody): Float64Array {
        const first = body.flex!.q;
        for (let k = 0; k < out.length; k++) out[k] = first + k < this.q.count ? this.value(first + k) : 0;
        return out;
    }
    /** Residual coordinates of a flexible body, on which its stress depends, too; in a mode those of the state at rest. */
    residual(out: Float64Array, body: SceneBody): Float64Array {
        const first = body.flex!.p ?? this.q.count;
        for (let k = 0; k < out.length; k++) out[k] = first + k < this.q.count ? this.value(first + k) : 0;
        return out;
    }
    /** Those about which a motion is small and linear: in a mode, at rest; none: it is not. */
    rest(_out: Float64Array, _body: SceneBody): Float64Array | null {
        return null;
    }
    /** Whether a joint or force acts. */
    acts(link: SceneLink): boolean {
        const { active } = this.analysis;
        return link.active === undefined || link.active >= active.columns || active.column(link.active)[this.frame] !== 0;
    }
    /** Of a marker on a body that deforms; false: it goes with its body. */
    marker(out: Pose, marker: SceneMarker, _body: SceneBody): boolean {
        if (marker.q === undefined || marker.q + 7 > this.q.count) return false;
        this.poseAt(out, marker.q);
        return true;
    }
}

const ground = [0, 0, 0, 1, 0, 0, 0];

function normalise(p: Pose): Pose {
    const n = Math.hypot(p[3], p[4], p[5], p[6]) || 1;
    for (let k = 3; k < 7; k++) p[k] /= n;
    return p;
}

// ---- modes -------------------------------------------------------------------------------------

const PERIOD_FRAMES = 48;
export const modeAmplitude = 0.1; // of the natural size of the largest coordinate, as in src/draw/drawing.h

/** p o exp(d): moves by d[0..3], turns by d[3..6] in the axes of p. */
function move(p: Pose, d: ArrayLike<number>): void {
    for (let k = 0; k < 3; k++) p[k] += d[k];
    const angle = Math.hypot(d[3], d[4], d[5]), s = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5, c = Math.cos(angle / 2);
    const [w, x, y, z] = [p[3], p[4], p[5], p[6]], [a, b, e] = [s * d[3], s * d[4], s * d[5]];
    p[3] = w * c - x * a - y * b - z * e;
    p[4] = w * a + x * c + y * e - z * b;
    p[5] = w * b - x * e + y * c + z * a;
    p[6] = w * e + x * b - y * a + z * c;
}

const conjugate = (q: ArrayLike<number>, at: number) => [q[at], -q[at + 1], -q[at + 2], -q[at + 3]];
function product(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
    return [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ];
}

/** A mode about the state of its analysis: x(phase) = A (re x cos(phase) - im x sin(phase)); time is that of one period. */
export class ModeMotion extends Motion {
    amplitude = modeAmplitude;
    private readonly re: Columns;
    private readonly im: Columns;
    private phase = 0;
    private time = 0;

    constructor(analysis: Analysis, readonly mode: number) {
        super(analysis, periodOf(analysis, mode));
        this.re = new Columns(analysis.series('shapes_re'), analysis.series('places_re'));
        this.im = new Columns(analysis.series('shapes_im'), analysis.series('places_im'));
        this.frame = mode;
    }
    override seek(t: number): void {
        this.time = t;
        this.phase = this.end > 0 ? (2 * Math.PI * t) / this.end : 0;
    }
    override get nearestFrame(): number {
        return Math.round((this.time / (this.end || 1)) * (this.frames - 1));
    }
    private increment(column: number): number {
        if (column < 0 || column >= this.re.count) return 0;
        return this.amplitude * (this.re.at(column, this.mode) * Math.cos(this.phase) - this.im.at(column, this.mode) * Math.sin(this.phase));
    }
    private six(v: number | undefined): number[] {
        return [0, 1, 2, 3, 4, 5].map((k) => (v === undefined || v < 0 ? 0 : this.increment(v + k)));
    }
    override pose(out: Pose, body: SceneBody): Pose {
        super.pose(out, body);
        if (body.q >= 0) move(out, this.six(body.v));
        return out;
    }
    override elastic(out: Float64Array, body: SceneBody): Float64Array {
        super.elastic(out, body);
        const v = body.flex!.v ?? -1;
        for (let k = 0; k < out.length && v >= 0; k++) out[k] += this.increment(v + k);
        return out;
    }
    override rest(out: Float64Array, body: SceneBody): Float64Array {
        return super.elastic(out, body);
    }
    // motion relative to the body is small and linear; the motion of the body is not
    override marker(out: Pose, marker: SceneMarker, body: SceneBody): boolean {
        if (!super.marker(out, marker, body)) return false;
        const base = super.pose(new Float64Array(7), body), moved = this.pose(new Float64Array(7), body);
        const dM = this.six(marker.v), dB = body.q >= 0 ? this.six(body.v) : [0, 0, 0, 0, 0, 0], inverse = conjugate(base, 3);
        const arm = rotate([], inverse, 0, [out[0] - base[0], out[1] - base[1], out[2] - base[2]]);
        const relative = product(inverse, out.subarray(3)), turned = rotate([], conjugate(relative, 0), 0, dB.slice(3));
        // d(R'(r_M - r)) = R'(dr_M - dr) - dtheta x arm,  dtheta_M - R_rel' dtheta
        const slide = rotate([], inverse, 0, [dM[0] - dB[0], dM[1] - dB[1], dM[2] - dB[2]]);
        const [a, b, c] = dB.slice(3);
        slide[0] -= b * arm[2] - c * arm[1];
        slide[1] -= c * arm[0] - a * arm[2];
        slide[2] -= a * arm[1] - b * arm[0];
        const rest = Float64Array.from([...arm, ...relative]);
        move(rest, [...slide, dM[3] - turned[0], dM[4] - turned[1], dM[5] - turned[2]]);
        const place = rotate([], moved, 3, rest), turn = product(moved.subarray(3), rest.subarray(3));
        for (let k = 0; k < 3; k++) out[k] = place[k] + moved[k];
        for (let k = 0; k < 4; k++) out[3 + k] = turn[k];
        return true;
    }
}

// times of one period, or of one second for a mode that does not oscillate
function periodOf(analysis: Analysis, mode: number): Float64Array {
    const frequency = analysis.modes.column(0)[mode], period = frequency > 0 ? 1 / frequency : 1;
    return Float64Array.from({ length: PERIOD_FRAMES + 1 }, (_, k) => (period * k) / PERIOD_FRAMES);
}

/** Elastic coordinates q, then those of second order, z_r = q.C_r q/2; about `rest` only what is linear in q - rest. */
export function coordinates(out: Float64Array, flex: FlexData, q: Float64Array, rest: Float64Array | null): Float64Array {
    const { modes: m, second, quadratic: C } = flex;
    out.fill(0).set(q);
    if (second === 0) return out;
    for (let k = 0; k < q.length; k++)
        for (let l = 0; l < q.length; l++) {
            const f = 0.5 * (q[k] * q[l] - (rest ? (q[k] - rest[k]) * (q[l] - rest[l]) : 0)), at = (k * m + l) * second;
            for (let r = 0; r < second; r++) out[m + r] += f * C[at + r];
        }
    return out;
}

/** Component c of node i in shape function or field k. */
export function shapeAt(flex: FlexData, c: number, k: number, i: number): number {
    const { nodes: n, modes: m, second } = flex;
    return k < m ? flex.shapes[(c * m + k) * n + i] : flex.fields[(c * second + k - m) * n + i];
}

/** Nodes in the body frame: x + scale * (modes q + second z) for coordinates (q, z), three numbers a node. */
export function deform(out: Float64Array | Float32Array, flex: FlexData, y: Float64Array, scale: number): void {
    const n = flex.nodes;
    for (let c = 0; c < 3; c++) {
        for (let i = 0; i < n; i++) out[3 * i + c] = flex.x[c * n + i];
        for (let k = 0; k < y.length; k++) {
            const f = scale * y[k];
            if (f !== 0) for (let i = 0; i < n; i++) out[3 * i + c] += shapeAt(flex, c, k, i) * f;
        }
    }
}

/** Elastic and residual coordinates of which a body has stresses. */
export const stressCount = (flex: FlexData): number => (flex.stress ? flex.stress.length / (6 * flex.nodes) : 0);

/** Von Mises stress of node i for elastic and residual coordinates. */
export function vonMises(flex: FlexData, at: Float64Array, i: number): number {
    const n = flex.nodes, m = stressCount(flex), s = [0, 0, 0, 0, 0, 0];
    for (let c = 0; c < 6; c++)
        for (let k = 0; k < Math.min(m, at.length); k++) s[c] += flex.stress![(c * m + k) * n + i] * at[k];
    const a = s[0] - s[1], b = s[1] - s[2], d = s[2] - s[0];
    return Math.sqrt(0.5 * (a * a + b * b + d * d) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/** Von Mises stresses of all nodes: sums over coordinates outside, so that memory is read in order. */
export function vonMisesOfAll(flex: FlexData, at: Float64Array): Float64Array {
    const n = flex.nodes, m = stressCount(flex), s = new Float64Array(6 * n), out = new Float64Array(n);
    for (let c = 0; c < 6; c++)
        for (let k = 0; k < Math.min(m, at.length); k++) {
            const from = (c * m + k) * n, q = at[k];
            for (let i = 0; i < n; i++) s[c * n + i] += flex.stress![from + i] * q;
        }
    for (let i = 0; i < n; i++) {
        const [x, y, z, xy, yz, zx] = [0, 1, 2, 3, 4, 5].map((c) => s[c * n + i]);
        out[i] = Math.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3 * (xy * xy + yz * yz + zx * zx));
    }
    return out;
}

export function nearestRow(times: Float64Array, t: number): number {
    let low = 0, high = times.length - 1;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (times[middle] <= t) low = middle;
        else high = middle;
    }
    return high > 0 && Math.abs(times[high] - t) < Math.abs(times[low] - t) ? high : low;
}
