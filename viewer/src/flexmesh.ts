// flexmesh.ts: a flexible body: x + sum_k modes_k q_k in the vertex shader, colours from displacement, stress, or numbers of its nodes.
//
// Modes and fields of second order lie in a texture, node i of mode k at texel k * nodes + i; so a frame costs the script the
// coordinates only, elastic ones, those of second order, then residual ones, which lie in another, four in a texel; a body whose modes exceed the graphics card is drawn undeformed.  Lines
// without sections (cables) are drawn as tubes: rings around the ends of each, normal to it; the undeformed node positions
// are stored last.
import {
    BufferAttribute, BufferGeometry, Color, DataTexture, DoubleSide, FloatType, type Intersection, Mesh,
    MeshStandardMaterial, NearestFilter, type Raycaster, RGBAFormat, Vector3,
} from 'three';
import { type Field, type FlexData, fields } from './data';
import { coordinates, deform, type Motion, shapeAt, stressCount, vonMises, vonMisesOfAll } from './motion';
import { fraction, type Scale } from './scale';
import type { SceneBody } from './scene';

export type ColorBy = 'body' | 'displacement' | 'stress' | Field;

export interface Peak {
    node: number;
    value: number;
}

export const colorStops = ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'];
const WIDTH = 2048;

// the part of the shader that moves nodes; also used to read back what the graphics card computes
export const deformChunk = `
uniform highp sampler2D modeMap;
uniform highp sampler2D stressMap;
uniform int nodeCount;
uniform int modeCount;
uniform int stressCount;
uniform int elasticCount;
uniform int restMode;
uniform highp sampler2D elasticMap;
uniform float exaggeration;
ivec2 texelOf(int i) { return ivec2(i % ${WIDTH}, i / ${WIDTH}); }
float elastic(int k) { return texelFetch(elasticMap, texelOf(k >> 2), 0)[k & 3]; }
vec3 restOf(int node) { return texelFetch(modeMap, texelOf(restMode * nodeCount + node), 0).xyz; }
vec3 displacement(int node) {
    vec3 u = vec3(0.0);
    for (int k = 0; k < modeCount; k++)
        u += texelFetch(modeMap, texelOf(k * nodeCount + node), 0).xyz * elastic(k);
    return u;
}
float vonMises(int node) {
    vec3 a = vec3(0.0), b = vec3(0.0);
    for (int k = 0; k < stressCount; k++) {
        float q = elastic(k < elasticCount ? k : k - elasticCount + modeCount);
        a += texelFetch(stressMap, texelOf(2 * (k * nodeCount + node)), 0).xyz * q;
        b += texelFetch(stressMap, texelOf(2 * (k * nodeCount + node) + 1), 0).xyz * q;
    }
    vec3 d = a - a.yzx;
    return sqrt(0.5 * dot(d, d) + 3.0 * dot(b, b));
}`;

function texture(texels: number, fill: (out: Float32Array) => void): DataTexture {
    const width = Math.min(Math.max(1, texels), WIDTH), rows = Math.max(1, Math.ceil(texels / WIDTH));
    const data = new Float32Array(4 * width * rows);
    fill(data);
    const t = new DataTexture(data, width, rows, RGBAFormat, FloatType);
    t.minFilter = t.magFilter = NearestFilter;
    t.needsUpdate = true;
    return t;
}

// as tubes are made around a line: the shape of a point is (cos, sin) in normals of the line
const tubeChunk = `
vec3 onTube(vec2 around, int a, int b, vec3 centre, float scale) {
    vec3 d = restOf(b) + scale * displacement(b) - restOf(a) - scale * displacement(a);
    d = normalize(d);
    vec3 n = normalize(abs(d.z) < 0.7 ? vec3(-d.y, d.x, 0.0) : vec3(0.0, -d.z, d.y));
    return centre + around.x * n + around.y * cross(d, n);
}`;

/** Shape functions and fields of second order. */
const shapesOf = (f: FlexData) => f.modes + f.second;

/** Texels of the largest texture that a body needs. */
const texelsOf = (f: FlexData) => f.nodes * (f.stress ? Math.max(shapesOf(f) + 1, 2 * stressCount(f)) : shapesOf(f) + 1);

const firstOrder = (f: FlexData): FlexData => ({ ...f, second: 0, fields: new Float32Array(0), quadratic: new Float64Array(0) });

/** The body without its modes if its textures exceed `most` rows, and what to say about it. */
export function undeformed(f: FlexData, name: string, most: number): { data: FlexData; warning: string } | null {
    const needed = texelsOf(f), room = most * WIDTH, first = firstOrder(f);
    if (needed <= room) return null;
    const why = `its ${f.nodes} nodes and ${f.modes} elastic coordinates need ${needed} texels, this graphics card holds ${room}`;
    if (texelsOf(first) <= room) return { data: first, warning: `Body ${name} is drawn without its second-order displacement: ${why}.` };
    return { data: { ...first, modes: 0, shapes: new Float32Array(0), stress: null }, warning: `Body ${name} is drawn undeformed: ${why}.` };
}

const textures = new WeakMap<FlexData, { modes: DataTexture; stress: DataTexture }>();
function texturesOf(f: FlexData): { modes: DataTexture; stress: DataTexture } {
    let known = textures.get(f);
    if (!known) textures.set(f, (known = { modes: modeTexture(f), stress: stressTexture(f) }));
    return known;
}

function modeTexture(f: FlexData): DataTexture {
    const count = shapesOf(f);
    return texture(f.nodes * (count + 1), (out) => {
        for (let c = 0; c < 3; c++) for (let i = 0; i < f.nodes; i++) out[4 * (count * f.nodes + i) + c] = f.x[c * f.nodes + i];
        for (let c = 0; c < 3; c++)
            for (let k = 0; k < count; k++)
                for (let i = 0; i < f.nodes; i++) out[4 * (k * f.nodes + i) + c] = shapeAt(f, c, k, i);
    });
}

function stressTexture(f: FlexData): DataTexture {
    const { stress } = f, count = stressCount(f);
    if (!stress) return texture(1, () => undefined);
    return texture(2 * f.nodes * count, (out) => {
        for (let c = 0; c < 6; c++)
            for (let k = 0; k < count; k++) {
                const from = (c * count + k) * f.nodes, part = c < 3 ? 0 : 1;
                for (let i = 0; i < f.nodes; i++) out[4 * (2 * (k * f.nodes + i) + part) + (c % 3)] = stress[from + i];
            }
    });
}

// ---- geometry ----------------------------------------------------------------------------------

/** Vertices: nodes of the surface, then rings around the ends of lines; each knows its node, those of lines their line. */
function geometryOf(f: FlexData, radius: number): BufferGeometry {
    const sides = 12, triangles = f.triangles.length / 3, lines = f.lines.length / 2;
    const surface = triangles > 0 ? f.nodes : 0, count = surface + lines * 2 * sides;
    const position = new Float32Array(3 * count), node = new Float32Array(3 * count).fill(-1);
    const index = new Uint32Array(3 * triangles + lines * sides * 6);
    for (let i = 0; i < surface; i++) {
        for (let c = 0; c < 3; c++) position[3 * i + c] = f.x[c * f.nodes + i];
        node[3 * i] = i;
    }
    for (let t = 0; t < triangles; t++) for (let c = 0; c < 3; c++) index[3 * t + c] = f.triangles[c * triangles + t];
    let v = surface, at = 3 * triangles;
    for (let l = 0; l < lines; l++) {
        const ends = [f.lines[l], f.lines[lines + l]];
        for (let e = 0; e < 2; e++)
            for (let k = 0; k < sides; k++, v++) {
                const angle = (2 * Math.PI * k) / sides;
                position.set([radius * Math.cos(angle), radius * Math.sin(angle), 0], 3 * v);
                node.set([ends[e], ends[0], ends[1]], 3 * v);
            }
        const first = v - 2 * sides;
        for (let k = 0; k < sides; k++) {
            const p = first + k, n = first + ((k + 1) % sides);
            index.set([p, n, p + sides, n, n + sides, p + sides], at);
            at += 6;
        }
    }
    const g = new BufferGeometry();
    g.setAttribute('position', new BufferAttribute(position, 3));
    g.setAttribute('node', new BufferAttribute(node, 3));
    g.setIndex(new BufferAttribute(index, 1));
    g.computeBoundingSphere();
    return g;
}

// ---- the mesh ----------------------------------------------------------------------------------

export class FlexMesh extends Mesh<BufferGeometry, MeshStandardMaterial> {
    readonly elastic: Float64Array;
    private readonly coordinates: Float64Array; // and those of second order
    private readonly residual: Float64Array;
    private readonly rest: Float64Array;
    scaleFactor = 1;
    private readonly uniforms;
    readonly absolute: boolean; // its nodes move in the frame of the ground: nothing to exaggerate
    private readonly ranges = new Map<ColorBy, number>();
    private readonly fields = new Map<ColorBy, Float32Array>();

    constructor(readonly data: FlexData, readonly body: SceneBody, color: Color, size: number) {
        super(geometryOf(data, body.flex?.radius ?? 0.008 * size), new MeshStandardMaterial({ color, roughness: 0.6, metalness: 0.05, flatShading: true, side: DoubleSide }));
        this.elastic = new Float64Array(Math.min(data.modes, body.flex?.count ?? 0));
        this.coordinates = new Float64Array(shapesOf(data));
        this.residual = new Float64Array(Math.max(0, stressCount(data) - data.modes));
        this.rest = new Float64Array(this.elastic.length);
        this.absolute = body.q < 0;
        const maps = texturesOf(data);
        this.uniforms = {
            modeMap: { value: maps.modes },
            stressMap: { value: maps.stress },
            restMode: { value: shapesOf(data) },
            nodeCount: { value: data.nodes },
            modeCount: { value: shapesOf(data) },
            stressCount: { value: stressCount(data) },
            elasticCount: { value: data.modes },
            elasticMap: { value: texture(((shapesOf(data) + this.residual.length) >> 2) + 1, () => undefined) },
            exaggeration: { value: 1 },
            thin: { value: false },
            colorBy: { value: 0 },
            colorRange: { value: 1 },
            colorMap: { value: colorStops.map((c) => new Color(c)) },
        };
        this.frustumCulled = false;
        this.material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, this.uniforms);
            shader.vertexShader = shader.vertexShader
                .replace('#include <common>', `#include <common>\nattribute vec3 node;\nattribute float given;\nuniform int colorBy;\nvarying float vAmount;\n${deformChunk}${tubeChunk}`)
                .replace('#include <begin_vertex>', `
                    int myNode = int(node.x + 0.5);
                    vec3 u = displacement(myNode);
                    vAmount = colorBy == 3 ? given : colorBy == 2 ? vonMises(myNode) : length(u);
                    vec3 transformed = position + exaggeration * u;
                    if (node.y >= 0.0)
                        transformed = onTube(position.xy, int(node.y + 0.5), int(node.z + 0.5), restOf(myNode) + exaggeration * u, exaggeration);`);
            shader.fragmentShader = shader.fragmentShader
                .replace('#include <common>', `#include <common>\nvarying float vAmount;\nuniform int colorBy;\nuniform bool thin;\nuniform float colorRange;\nuniform vec3 colorMap[9];`)
                .replace('#include <color_fragment>', `#include <color_fragment>
                    if (colorBy != 0) {
                        float s = clamp(vAmount / colorRange, 0.0, 1.0) * 8.0;
                        int stop = min(int(s), 7);
                        diffuseColor.rgb = mix(colorMap[stop], colorMap[stop + 1], s - float(stop));
                    }`)
                .replace('#include <opaque_fragment>', `if (thin) outgoingLight = diffuseColor.rgb + totalEmissiveRadiance;\n#include <opaque_fragment>`);
        };
    }

    get modeMap(): DataTexture {
        return this.uniforms.modeMap.value;
    }
    get stressMap(): DataTexture {
        return this.uniforms.stressMap.value;
    }
    get elasticMap(): DataTexture {
        return this.uniforms.elasticMap.value;
    }
    set(motion: Motion): void {
        motion.elastic(this.elastic, this.body);
        motion.residual(this.residual, this.body);
        this.setElastic(this.elastic, motion.rest(this.rest, this.body));
    }
    setElastic(q: ArrayLike<number>, rest: Float64Array | null = null): void {
        const { image } = this.elasticMap, y = this.coordinates;
        for (let k = 0; k < this.elastic.length; k++) this.elastic[k] = q[k];
        coordinates(y, this.data, this.elastic, rest);
        for (let k = 0; k < y.length; k++) image.data![k] = y[k];
        for (let k = 0; k < this.residual.length; k++) image.data![y.length + k] = this.residual[k];
        this.elasticMap.needsUpdate = true;
    }
    setExaggeration(f: number): void {
        this.scaleFactor = this.absolute ? 1 : f;
        this.uniforms.exaggeration.value = this.scaleFactor;
    }
    /** Beams thinner than the pixels are drawn by their edges, which have at least one pixel. */
    setPixel(size: number): void {
        const { radius } = this.body.flex ?? {};
        if (radius === undefined) return;
        this.material.wireframe = this.uniforms.thin.value = 2 * radius < 1.5 * size;
    }
    /** Numbers of its nodes in this analysis. */
    setFields(of: (name: Field) => Float32Array | null): void {
        this.fields.clear();
        for (const name of fields) {
            const values = of(name);
            if (values?.length === this.data.nodes) this.fields.set(name, values);
        }
    }
    field(by: ColorBy): Float32Array | null {
        return this.absolute ? null : (this.fields.get(by) ?? null);
    }
    /** Whether it has such values. */
    knows(by: ColorBy): boolean {
        return !this.absolute && (by === 'displacement' || (by === 'stress' && this.data.stress !== null) || this.fields.has(by));
    }
    setColorBy(by: ColorBy, scale: Scale): void {
        const values = this.field(by), node = this.geometry.getAttribute('node');
        this.uniforms.colorBy.value = !this.knows(by) ? 0 : by === 'displacement' ? 1 : by === 'stress' ? 2 : 3;
        this.uniforms.colorRange.value = values ? 1 : scale.high;
        if (values) this.geometry.setAttribute('given', new BufferAttribute(Float32Array.from({ length: node.count }, (_, v) => fraction(scale, values[node.getX(v)])), 1));
        else this.geometry.deleteAttribute('given');
    }

    /** Whether colours show its values. */
    get isColored(): boolean {
        return this.uniforms.colorBy.value !== 0;
    }

    /** Largest displacement or stress, of some nodes at some frames; computed once. */
    range(by: ColorBy, motion: Motion): number {
        if (this.absolute) return 0;
        let found = this.ranges.get(by);
        if (found !== undefined) return found;
        found = 0;
        const { data } = this, s = new Float64Array(this.elastic.length + this.residual.length), q = s.subarray(0, this.elastic.length), p = s.subarray(q.length);
        const y = new Float64Array(shapesOf(data)), step = Math.max(1, Math.floor(data.nodes / 1500));
        const work = Math.ceil(data.nodes / step) * (by === 'stress' ? 6 * s.length : 3 * y.length);
        const frames = Math.min(motion.frames, Math.max(40, Math.floor(4e6 / (work + 1))));
        for (let f = 0; f < frames; f++) {
            motion.seek(motion.start + ((motion.end - motion.start) * f) / Math.max(1, frames - 1));
            motion.elastic(q, this.body);
            motion.residual(p, this.body);
            coordinates(y, data, q, motion.rest(this.rest, this.body));
            for (let i = 0; i < data.nodes; i += step)
                found = Math.max(found, by === 'stress' && data.stress ? vonMises(data, s, i) : this.displacement(y, i));
        }
        this.ranges.set(by, found);
        return found;
    }
    forgetRanges(): void {
        this.ranges.clear();
    }
    private displacement(y: Float64Array, i: number): number {
        const u = [0, 0, 0];
        for (let c = 0; c < 3; c++) for (let k = 0; k < y.length; k++) u[c] += shapeAt(this.data, c, k, i) * y[k];
        return Math.hypot(u[0], u[1], u[2]);
    }

    private get state(): Float64Array {
        return Float64Array.of(...this.elastic, ...this.residual);
    }
    /** What colours show at a node, m or Pa or damage. */
    value(by: ColorBy, i: number): number {
        const values = this.field(by);
        if (values) return values[i];
        return by === 'stress' ? vonMises(this.data, this.state, i) : this.displacement(this.coordinates, i);
    }
    /** The node with the largest value: stress now, or a field. */
    peak(by: ColorBy): Peak | null {
        if (by === 'displacement' || !this.knows(by)) return null;
        const values = this.field(by) ?? vonMisesOfAll(this.data, this.state);
        let node = 0;
        for (let i = 1; i < values.length; i++) if (values[i] > values[node]) node = i;
        return { node, value: values[node] };
    }
    /** A node as it is drawn, in the body frame. */
    nodeAt(i: number): Vector3 {
        const { data, coordinates: y, scaleFactor } = this, p = new Vector3();
        for (let c = 0; c < 3; c++) {
            let u = 0;
            for (let k = 0; k < y.length; k++) u += shapeAt(data, c, k, i) * y[k];
            p.setComponent(c, data.x[c * data.nodes + i] + scaleFactor * u);
        }
        return p;
    }
    /** The node of a corner of its triangles. */
    nodeOf(vertex: number): number {
        return this.geometry.getAttribute('node').getX(vertex);
    }

    /** Nodes as they are drawn, in the body frame. */
    nodes(scale = this.scaleFactor): Float64Array {
        const out = new Float64Array(3 * this.data.nodes);
        deform(out, this.data, this.coordinates, scale);
        return out;
    }

    /** Vertices as they are drawn, in the body frame: nodes, then rings around lines. */
    private vertices(): Float32Array {
        const nodes = this.nodes(), { position, node } = this.geometry.attributes as Record<string, BufferAttribute>;
        const out = new Float32Array(3 * position.count), centre = new Vector3(), d = new Vector3(), n = new Vector3();
        for (let v = 0; v < position.count; v++) {
            centre.fromArray(nodes, 3 * node.getX(v));
            if (node.getY(v) >= 0) {
                d.fromArray(nodes, 3 * node.getZ(v)).sub(n.fromArray(nodes, 3 * node.getY(v))).normalize();
                if (Math.abs(d.z) < 0.7) n.set(-d.y, d.x, 0);
                else n.set(0, -d.z, d.y);
                centre.addScaledVector(n.normalize(), position.getX(v)).addScaledVector(d.cross(n), position.getY(v));
            }
            centre.toArray(out, 3 * v);
        }
        return out;
    }

    // rays meet the shape as it is drawn
    override raycast(ray: Raycaster, hits: Intersection[]): void {
        const copy = new BufferGeometry();
        copy.setAttribute('position', new BufferAttribute(this.vertices(), 3));
        copy.setIndex(this.geometry.getIndex());
        const mesh = new Mesh(copy, this.material);
        mesh.matrixWorld.copy(this.matrixWorld);
        const found: Intersection[] = [];
        mesh.raycast(ray, found);
        copy.dispose();
        for (const hit of found) hits.push({ ...hit, object: this });
    }
}
