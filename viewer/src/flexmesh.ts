// flexmesh.ts: a flexible body: x + sum_k modes_k q_k in the vertex shader, colours from displacement or stress.
//
// Modes lie in a texture, node i of mode k at texel k * nodes + i; so a frame costs the script the few elastic
// coordinates only.  Beams (lines) are drawn as tubes whose rings move with their node.
import {
    BufferAttribute, BufferGeometry, Color, DataTexture, DoubleSide, FloatType, type Intersection, Mesh,
    MeshStandardMaterial, NearestFilter, type Raycaster, RGBAFormat, Vector3, Vector4,
} from 'three';
import type { FlexData, SceneBody } from './data';
import { deform, type Motion, vonMises } from './motion';

export type ColorBy = 'body' | 'displacement' | 'stress';

export const colorStops = ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'];
const WIDTH = 2048;

// the part of the shader that moves nodes; also used to read back what the graphics card computes
export const deformChunk = `
uniform highp sampler2D modeMap;
uniform highp sampler2D stressMap;
uniform int nodeCount;
uniform int modeCount;
uniform vec4 elastic[64];
uniform float exaggeration;
ivec2 texelOf(int i) { return ivec2(i % ${WIDTH}, i / ${WIDTH}); }
vec3 displacement(int node) {
    vec3 u = vec3(0.0);
    for (int k = 0; k < modeCount; k++)
        u += texelFetch(modeMap, texelOf(k * nodeCount + node), 0).xyz * elastic[k >> 2][k & 3];
    return u;
}
float vonMises(int node) {
    vec3 a = vec3(0.0), b = vec3(0.0);
    for (int k = 0; k < modeCount; k++) {
        float q = elastic[k >> 2][k & 3];
        a += texelFetch(stressMap, texelOf(2 * (k * nodeCount + node)), 0).xyz * q;
        b += texelFetch(stressMap, texelOf(2 * (k * nodeCount + node) + 1), 0).xyz * q;
    }
    vec3 d = a - a.yzx;
    return sqrt(0.5 * dot(d, d) + 3.0 * dot(b, b));
}`;

function texture(texels: number, fill: (out: Float32Array) => void): DataTexture {
    const rows = Math.max(1, Math.ceil(texels / WIDTH));
    const data = new Float32Array(4 * WIDTH * rows);
    fill(data);
    const t = new DataTexture(data, WIDTH, rows, RGBAFormat, FloatType);
    t.minFilter = t.magFilter = NearestFilter;
    t.needsUpdate = true;
    return t;
}

function modeTexture(f: FlexData): DataTexture {
    return texture(f.nodes * f.modes, (out) => {
        for (let c = 0; c < 3; c++)
            for (let k = 0; k < f.modes; k++) {
                const from = (c * f.modes + k) * f.nodes;
                for (let i = 0; i < f.nodes; i++) out[4 * (k * f.nodes + i) + c] = f.shapes[from + i];
            }
    });
}

function stressTexture(f: FlexData): DataTexture {
    const stress = f.stress;
    if (!stress) return texture(1, () => undefined);
    return texture(2 * f.nodes * f.modes, (out) => {
        for (let c = 0; c < 6; c++)
            for (let k = 0; k < f.modes; k++) {
                const from = (c * f.modes + k) * f.nodes, part = c < 3 ? 0 : 1;
                for (let i = 0; i < f.nodes; i++) out[4 * (2 * (k * f.nodes + i) + part) + (c % 3)] = stress[from + i];
            }
    });
}

// ---- geometry ----------------------------------------------------------------------------------

function nodeAt(f: FlexData, i: number): Vector3 {
    return new Vector3(f.x[i], f.x[f.nodes + i], f.x[2 * f.nodes + i]);
}

/** Vertices: nodes of the surface, then rings around the ends of lines; each knows its node. */
function geometryOf(f: FlexData, radius: number): BufferGeometry {
    const sides = 12, triangles = f.triangles.length / 3, lines = f.lines.length / 2;
    const surface = triangles > 0 ? f.nodes : 0, count = surface + lines * 2 * sides;
    const position = new Float32Array(3 * count), node = new Float32Array(count);
    const index = new Uint32Array(3 * triangles + lines * sides * 6);
    for (let i = 0; i < surface; i++) {
        for (let c = 0; c < 3; c++) position[3 * i + c] = f.x[c * f.nodes + i];
        node[i] = i;
    }
    for (let t = 0; t < triangles; t++) for (let c = 0; c < 3; c++) index[3 * t + c] = f.triangles[c * triangles + t];
    let v = surface, at = 3 * triangles;
    for (let l = 0; l < lines; l++) {
        const ends = [f.lines[l], f.lines[lines + l]], a = nodeAt(f, ends[0]), b = nodeAt(f, ends[1]);
        const along = b.clone().sub(a).normalize();
        const side = new Vector3(1, 0, 0).cross(along);
        if (side.length() < 0.5) side.set(0, 1, 0).cross(along);
        side.normalize();
        const up = along.clone().cross(side);
        for (let e = 0; e < 2; e++)
            for (let k = 0; k < sides; k++, v++) {
                const angle = (2 * Math.PI * k) / sides;
                const p = (e ? b : a).clone().addScaledVector(side, radius * Math.cos(angle)).addScaledVector(up, radius * Math.sin(angle));
                position.set([p.x, p.y, p.z], 3 * v);
                node[v] = ends[e];
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
    g.setAttribute('node', new BufferAttribute(node, 1));
    g.setIndex(new BufferAttribute(index, 1));
    g.computeBoundingSphere();
    return g;
}

// ---- the mesh ----------------------------------------------------------------------------------

export class FlexMesh extends Mesh<BufferGeometry, MeshStandardMaterial> {
    readonly elastic: Float64Array;
    scaleFactor = 1;
    private readonly uniforms;
    private readonly ranges = new Map<ColorBy, number>();

    constructor(readonly data: FlexData, readonly body: SceneBody, color: Color, size: number) {
        super(geometryOf(data, body.flex?.radius ?? 0.008 * size), new MeshStandardMaterial({ color, roughness: 0.6, metalness: 0.05, flatShading: true, side: DoubleSide }));
        this.elastic = new Float64Array(Math.min(data.modes, body.flex?.count ?? 0, 256));
        this.uniforms = {
            modeMap: { value: modeTexture(data) },
            stressMap: { value: stressTexture(data) },
            nodeCount: { value: data.nodes },
            modeCount: { value: this.elastic.length },
            elastic: { value: Array.from({ length: 64 }, () => new Vector4()) },
            exaggeration: { value: 1 },
            colorBy: { value: 0 },
            colorRange: { value: 1 },
            colorMap: { value: colorStops.map((c) => new Color(c)) },
        };
        this.frustumCulled = false;
        this.material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, this.uniforms);
            shader.vertexShader = shader.vertexShader
                .replace('#include <common>', `#include <common>\nattribute float node;\nuniform int colorBy;\nvarying float vAmount;\n${deformChunk}`)
                .replace('#include <begin_vertex>', `
                    int myNode = int(node + 0.5);
                    vec3 u = displacement(myNode);
                    vAmount = colorBy == 2 ? vonMises(myNode) : length(u);
                    vec3 transformed = position + exaggeration * u;`);
            shader.fragmentShader = shader.fragmentShader
                .replace('#include <common>', `#include <common>\nvarying float vAmount;\nuniform int colorBy;\nuniform float colorRange;\nuniform vec3 colorMap[9];`)
                .replace('#include <color_fragment>', `#include <color_fragment>
                    if (colorBy != 0) {
                        float s = clamp(vAmount / colorRange, 0.0, 1.0) * 8.0;
                        int stop = min(int(s), 7);
                        diffuseColor.rgb = mix(colorMap[stop], colorMap[stop + 1], s - float(stop));
                    }`);
        };
    }

    get modeMap(): DataTexture {
        return this.uniforms.modeMap.value;
    }
    set(motion: Motion): void {
        motion.elastic(this.elastic, this.body);
        this.setElastic(this.elastic);
    }
    setElastic(q: ArrayLike<number>): void {
        const packed = this.uniforms.elastic.value;
        for (let k = 0; k < this.elastic.length; k++) {
            this.elastic[k] = q[k];
            packed[k >> 2].setComponent(k & 3, q[k]);
        }
    }
    setExaggeration(f: number): void {
        this.scaleFactor = f;
        this.uniforms.exaggeration.value = f;
    }
    setColorBy(by: ColorBy, range: number): void {
        this.uniforms.colorBy.value = by === 'displacement' ? 1 : by === 'stress' && this.data.stress ? 2 : 0;
        this.uniforms.colorRange.value = range > 0 ? range : 1;
    }

    /** Largest displacement or stress, of some nodes at some frames; computed once. */
    range(by: ColorBy, motion: Motion): number {
        let found = this.ranges.get(by);
        if (found !== undefined) return found;
        found = 0;
        const { data } = this, q = new Float64Array(this.elastic.length), step = Math.max(1, Math.floor(data.nodes / 1500));
        const work = Math.ceil(data.nodes / step) * q.length * (by === 'stress' ? 6 : 3);
        const frames = Math.min(motion.frames, Math.max(40, Math.floor(4e6 / (work + 1))));
        for (let f = 0; f < frames; f++) {
            motion.seek(motion.start + ((motion.end - motion.start) * f) / Math.max(1, frames - 1));
            motion.elastic(q, this.body);
            for (let i = 0; i < data.nodes; i += step)
                found = Math.max(found, by === 'stress' && data.stress ? vonMises(data, q, i) : this.displacement(q, i));
        }
        this.ranges.set(by, found);
        return found;
    }
    private displacement(q: Float64Array, i: number): number {
        const { nodes, modes, shapes } = this.data, u = [0, 0, 0];
        for (let c = 0; c < 3; c++) for (let k = 0; k < q.length; k++) u[c] += shapes[(c * modes + k) * nodes + i] * q[k];
        return Math.hypot(u[0], u[1], u[2]);
    }

    /** Nodes as they are drawn, in the body frame. */
    nodes(scale = this.scaleFactor): Float64Array {
        const out = new Float64Array(3 * this.data.nodes);
        const q = new Float64Array(this.data.modes);
        q.set(this.elastic);
        deform(out, this.data, q, scale);
        return out;
    }

    // rays meet the shape as it is drawn
    override raycast(ray: Raycaster, hits: Intersection[]): void {
        const nodes = this.nodes(), g = this.geometry;
        const rest = g.getAttribute('position') as BufferAttribute, node = g.getAttribute('node') as BufferAttribute;
        const moved = new Float32Array(rest.array.length), x = this.data.x, n = this.data.nodes;
        for (let v = 0; v < rest.count; v++)
            for (let c = 0; c < 3; c++) {
                const i = node.getX(v);
                moved[3 * v + c] = rest.array[3 * v + c] + nodes[3 * i + c] - x[c * n + i];
            }
        const copy = new BufferGeometry();
        copy.setAttribute('position', new BufferAttribute(moved, 3));
        copy.setIndex(g.getIndex());
        const mesh = new Mesh(copy, this.material);
        mesh.matrixWorld.copy(this.matrixWorld);
        const found: Intersection[] = [];
        mesh.raycast(ray, found);
        copy.dispose();
        for (const hit of found) hits.push({ ...hit, object: this });
    }
}
