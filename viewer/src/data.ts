// data.ts: what is in the page: one block, base64 and deflate; see src/draw/view.c for its layout.
import type { Compare, Ramp } from './compare';
import type { Scene, SceneBody } from './scene'; // made by the build, from the table of src/draw/scene.c

export interface ArrayEntry {
    at: number;
    type: 'f4' | 'f8' | 'i4';
    rows: number;
    columns: number;
    names?: string[];
    units?: string[];
}

export type Numbers = Float32Array | Float64Array | Int32Array;

/** A table: column c is data[c * rows .. (c + 1) * rows). */
export class Table {
    constructor(
        readonly rows: number,
        readonly columns: number,
        readonly data: Numbers,
        readonly names: string[] = [],
        readonly units: string[] = [],
    ) {}
    column(c: number): Numbers {
        return this.data.subarray(c * this.rows, (c + 1) * this.rows) as Numbers;
    }
}

/** A place of a flexible body. */
export interface Place {
    body: number;
    kind: 'node' | 'bottom' | 'section'; // bottom: the side of a shell against its normal
    node: number; // of the mesh, -1: unknown
    x: [number, number, number];
}

/** A peak of the von Mises stress over all rows. */
export interface Spot extends Place {
    time: number;
    mises: number;
    bar: number | null; // error bar of mises; null: unknown
}

/** Damage over all rows that count, and its peaks. */
export interface Life {
    rows: number;
    duration: number; // s
    line: string; // S-N line
    spots: (Place & { damage: number; plane: number; hours: number | null })[]; // by the von Mises stress, on the critical plane
}

/** A number for every node that does not change with time: the largest stress over all rows (Pa), the damage. */
export const fields = ['envelope', 'damage'] as const;
export type Field = (typeof fields)[number];

interface AnalysisHeader {
    name: string;
    type: string;
    status: string;
    text: string;
    rows: number;
    stats: [string, number | null][];
    events: [number, string][];
    event_count: number;
    largest_stress?: number; // over all nodes and rows, Pa; none: modes
    spots?: Spot[];
    life?: Life;
    fields: ({ body: number } & Partial<Record<Field, ArrayEntry>>)[];
    frames: { time: ArrayEntry; q: ArrayEntry | null; places?: ArrayEntry | null; active?: ArrayEntry | null };
    series: Record<string, ArrayEntry>;
}
interface FlexHeader {
    body: string;
    x: ArrayEntry;
    modes?: ArrayEntry;
    second?: ArrayEntry;
    quadratic?: ArrayEntry;
    stress?: ArrayEntry;
    triangles?: ArrayEntry;
    lines?: ArrayEntry;
    node?: ArrayEntry;
}
interface Header {
    format: number;
    file: string;
    version: string | null;
    created: string | null;
    command: string | null;
    model_file: string | null;
    model: string | null;
    scene: Scene;
    live: boolean;
    parameters: [string, number][];
    analyses: AnalysisHeader[];
    flex: FlexHeader[];
    others?: Header[]; // further runs
    compare?: Compare; // of all of them
    study?: StudyHeader; // instead of all above
    ramp?: Ramp;
}

/** One run, or several; or a parameter study. */
export interface Page {
    runs: Results[];
    compare: Compare | null;
    study: Study | null;
}

interface StudyHeader {
    sample: string;
    seed: string | null;
    keep: string | null;
    model_path: string | null;
    method: '' | 'sobol' | 'morris';
    parameters: { name: string; source: string; scale: string }[];
    measures: { name: string; source: string; unit: string }[];
    messages: string[];
    columns: string[]; // of the indices
    values?: ArrayEntry;
    measured?: ArrayEntry;
    indices?: ArrayEntry;
    status?: ArrayEntry;
    message?: ArrayEntry;
    seconds?: ArrayEntry;
}

/** A parameter study: a table with a row for each member. */
export class Study {
    readonly members: number;
    readonly values: Table; // of parameters
    readonly measured: Table; // of measures; nan: there is none
    readonly indices: Table; // of sensitivity, row measure * parameters + parameter
    readonly status: Numbers; // -1 not run, 0 done, failures
    readonly message: Numbers;
    readonly seconds: Numbers;
    constructor(readonly about: Omit<Header, 'study'>, readonly header: StudyHeader, readonly ramp: Ramp, block: Block) {
        const load = (e: ArrayEntry | undefined) => (e ? block.table(e) : new Table(0, 0, new Float64Array(0)));
        this.values = load(header.values);
        this.measured = load(header.measured);
        this.indices = load(header.indices);
        this.status = load(header.status).data;
        this.message = load(header.message).data;
        this.seconds = load(header.seconds).data;
        this.members = this.status.length;
    }
}

export interface FlexData {
    nodes: number;
    modes: number;
    second: number; // fields of second order
    x: Float64Array; // column-major: x, y, z
    shapes: Float32Array; // (component * modes + k) * nodes + i
    fields: Float32Array; // (component * second + r) * nodes + i
    quadratic: Float64Array; // their coordinates z_r = q.C_r q/2: (k * modes + l) * second + r
    stress: Float32Array | null; // of elastic and residual coordinates: (component * count + k) * nodes + i, see stressCount
    triangles: Int32Array; // column-major
    lines: Int32Array;
    node: Int32Array | null; // numbers in the mesh
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const fast = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array<ArrayBuffer> }).fromBase64;
    if (fast) return fast.call(Uint8Array, base64);
    const text = atob(base64);
    const out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Undoes lmb_pack_shuffle: bytes back in their places, then exclusive or down each column. */
function unshuffle(bytes: Uint8Array, at: number, entry: ArrayEntry): Uint32Array<ArrayBuffer> {
    const count = entry.rows * entry.columns;
    const words = entry.type === 'f8' ? 2 : 1;
    const out = new Uint32Array(count * words);
    for (let w = 0; w < words; w++) {
        const b0 = at + 4 * w * count, b1 = b0 + count, b2 = b1 + count, b3 = b2 + count;
        for (let c = 0, i = 0; c < entry.columns; c++) {
            let last = 0;
            for (let r = 0; r < entry.rows; r++, i++) {
                last ^= bytes[b0 + i] | (bytes[b1 + i] << 8) | (bytes[b2 + i] << 16) | (bytes[b3 + i] << 24);
                out[i * words + w] = last;
            }
        }
    }
    return out;
}

export class Analysis {
    readonly frameTime: Float64Array;
    private cache = new Map<string, Table>();

    constructor(private block: Block, readonly header: AnalysisHeader) {
        this.frameTime = block.table(header.frames.time).data as Float64Array;
    }
    get frames(): number {
        return this.frameTime.length;
    }
    /** Coordinates of the bodies at the frames. */
    get q(): Table {
        const entry = this.header.frames.q;
        return this.load('frames/q', entry);
    }
    /** Poses of markers on deforming bodies, floating frames. */
    get places(): Table {
        return this.load('frames/places', this.header.frames.places ?? null);
    }
    /** Which joints and forces act, of those that are switched. */
    get active(): Table {
        return this.load('frames/active', this.header.frames.active ?? null);
    }
    /** Frequencies and damping, a row for each mode; no rows: not an analysis of modes. */
    get modes(): Table {
        return this.series('modes');
    }
    get seriesTime(): Float64Array {
        return this.series('time').data as Float64Array;
    }
    /** The table of an analysis whose rows are no states: curves over its first column; null: others. */
    get curves(): 'response' | 'campbell' | null {
        return (['response', 'campbell'] as const).find((name) => this.header.series[name]) ?? null;
    }
    /** What curves are drawn over. */
    get abscissa(): { name: string; unit: string; values: Numbers } {
        if (!this.curves) return { name: 't', unit: 's', values: this.seriesTime };
        const t = this.series(this.curves);
        return { name: t.names[0], unit: t.units[0], values: t.column(0) };
    }
    has(field: Field): boolean {
        return this.header.fields.some((f) => f[field]);
    }
    /** Of the nodes of a body; null: unknown. */
    field(name: Field, body: number): Float32Array | null {
        const entry = this.header.fields.find((f) => f.body === body && f[name])?.[name];
        return entry ? (this.load(`${name}/${body}`, entry).data as Float32Array) : null;
    }
    series(name: string): Table {
        return this.load(name, this.header.series[name] ?? null);
    }
    private load(key: string, entry: ArrayEntry | null): Table {
        let found = this.cache.get(key);
        if (!found) {
            found = entry ? this.block.table(entry) : new Table(0, 0, new Float64Array(0));
            this.cache.set(key, found);
        }
        return found;
    }
}

class Block {
    constructor(private bytes: Uint8Array, private start: number) {}
    table(e: ArrayEntry): Table {
        const words = unshuffle(this.bytes, this.start + e.at, e);
        const data =
            e.type === 'f4' ? new Float32Array(words.buffer)
            : e.type === 'f8' ? new Float64Array(words.buffer)
            : new Int32Array(words.buffer);
        return new Table(e.rows, e.columns, data, e.names, e.units);
    }
}

export class Results {
    readonly scene: Scene;
    readonly analyses: Analysis[];
    private constructor(readonly header: Header, private block: Block, readonly bytes: number) {
        this.scene = header.scene;
        this.analyses = header.analyses.map((a) => new Analysis(block, a));
    }

    static async read(base64: string): Promise<Page> {
        const bytes = await inflate(bytesOf(base64.trim()));
        const length = new DataView(bytes.buffer).getUint32(0, true);
        const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as Header;
        if (header.format !== 1) throw new Error(`unsupported data format ${header.format}; this page reads format 1`);
        const block = new Block(bytes, Math.ceil((4 + length) / 8) * 8), { others = [], compare = null } = header;
        if (header.study) return { runs: [], compare: null, study: new Study(header, header.study, header.ramp!, block) };
        return { study: null, runs: [header, ...others].map((o) => new Results({ ...o, model: o.model ?? header.model }, block, bytes.length)), compare };
    }

    private readonly flexible = new Map<string, FlexData>();
    flexOf(body: SceneBody): FlexData | null {
        return body.flex ? this.flex(body.flex.shape ?? body.name) : null;
    }
    flex(body: string): FlexData | null {
        const h = this.header.flex.find((f) => f.body === body);
        if (!h) return null;
        const known = this.flexible.get(body);
        if (known) return known;
        const ints = (e?: ArrayEntry) => (e ? (this.block.table(e).data as Int32Array) : new Int32Array(0));
        const data = {
            nodes: h.x.rows,
            modes: h.modes ? h.modes.columns / 3 : 0,
            second: h.second ? h.second.columns / 3 : 0,
            x: this.block.table(h.x).data as Float64Array,
            shapes: h.modes ? (this.block.table(h.modes).data as Float32Array) : new Float32Array(0),
            fields: h.second ? (this.block.table(h.second).data as Float32Array) : new Float32Array(0),
            quadratic: h.quadratic ? (this.block.table(h.quadratic).data as Float64Array) : new Float64Array(0),
            stress: h.stress ? (this.block.table(h.stress).data as Float32Array) : null,
            triangles: ints(h.triangles),
            lines: ints(h.lines),
            node: h.node ? ints(h.node) : null,
        };
        this.flexible.set(body, data);
        return data;
    }
}
