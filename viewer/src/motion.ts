// motion.ts: where bodies and nodes are at a time: at frames exactly, between them by interpolation.
import type { Analysis, FlexData, SceneBody, Table } from './data';

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

export class Motion {
    readonly times: Float64Array;
    private readonly q: Table;
    private frame = 0;
    private part = 0; // 0 <= part < 1: of the way to the next frame

    constructor(readonly analysis: Analysis) {
        this.times = analysis.frameTime;
        this.q = analysis.q;
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
        const { rows, data } = this.q;
        const i = column * rows + this.frame;
        return this.part === 0 ? data[i] : data[i] + this.part * (data[i + 1] - data[i]);
    }
    has(body: SceneBody): boolean {
        return body.kind !== 'signal' && this.q.rows > 0 && body.q + 7 <= this.q.columns && this.isPose(body.q);
    }
    // states of signals stand among the bodies; a pose has a quaternion
    private isPose(column: number): boolean {
        const names = this.q.names;
        return names[column]?.endsWith('.x') === true && names[column + 3]?.endsWith('.qw') === true;
    }
    pose(out: Pose, body: SceneBody): Pose {
        const { rows, data } = this.q, f = this.part;
        let i = body.q * rows + this.frame;
        for (let k = 0; k < 7; k++, i += rows) out[k] = data[i];
        if (f === 0) return normalise(out);
        i = body.q * rows + this.frame + 1;
        let dot = 0;
        for (let k = 3; k < 7; k++) dot += out[k] * data[i + k * rows];
        const sign = dot < 0 ? -1 : 1; // the shorter way round
        for (let k = 0; k < 3; k++) out[k] += f * (data[i + k * rows] - out[k]);
        for (let k = 3; k < 7; k++) out[k] += f * (sign * data[i + k * rows] - out[k]);
        return normalise(out);
    }
    /** Elastic coordinates of a flexible body. */
    elastic(out: Float64Array, body: SceneBody): Float64Array {
        const first = body.flex!.q;
        for (let k = 0; k < out.length; k++) out[k] = first + k < this.q.columns ? this.value(first + k) : 0;
        return out;
    }
}

function normalise(p: Pose): Pose {
    const n = Math.hypot(p[3], p[4], p[5], p[6]) || 1;
    for (let k = 3; k < 7; k++) p[k] /= n;
    return p;
}

/** Nodes in the body frame: x + scale * modes q, three numbers a node. */
export function deform(out: Float64Array | Float32Array, flex: FlexData, q: Float64Array, scale: number): void {
    const n = flex.nodes, m = flex.modes;
    for (let c = 0; c < 3; c++) {
        for (let i = 0; i < n; i++) out[3 * i + c] = flex.x[c * n + i];
        for (let k = 0; k < m; k++) {
            const at = (c * m + k) * n, f = scale * q[k];
            if (f !== 0) for (let i = 0; i < n; i++) out[3 * i + c] += flex.shapes[at + i] * f;
        }
    }
}

/** Von Mises stress of node i. */
export function vonMises(flex: FlexData, q: Float64Array, i: number): number {
    const n = flex.nodes, m = flex.modes, s = [0, 0, 0, 0, 0, 0];
    for (let c = 0; c < 6; c++)
        for (let k = 0; k < m; k++) s[c] += flex.stress![(c * m + k) * n + i] * q[k];
    const a = s[0] - s[1], b = s[1] - s[2], d = s[2] - s[0];
    return Math.sqrt(0.5 * (a * a + b * b + d * d) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}
