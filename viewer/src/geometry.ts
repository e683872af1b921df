// geometry.ts: what is drawn: shapes of bodies, bodies made of their markers, symbols of joints and forces.
import {
    BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry, Matrix4,
    OctahedronGeometry, Quaternion, SphereGeometry, TorusGeometry, Vector3,
} from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { SceneMarker, SceneShape } from './scene';

const zAxis = new Vector3(0, 0, 1);

export function vector(a: number[]): Vector3 {
    return new Vector3(a[0], a[1], a[2]);
}
/** limber writes w first, three.js last. */
export function quaternion(a: ArrayLike<number>, at = 0): Quaternion {
    return new Quaternion(a[at + 1], a[at + 2], a[at + 3], a[at]);
}

function placed(g: BufferGeometry, at: Vector3, turn: Quaternion): BufferGeometry {
    return g.applyMatrix4(new Matrix4().compose(at, turn, new Vector3(1, 1, 1)));
}

/** A cylinder along z, centred. */
export function cylinder(radius: number, height: number, top = radius, sides = 40): BufferGeometry {
    return new CylinderGeometry(top, radius, height, sides).rotateX(Math.PI / 2);
}

/** A rod from a to b with round ends. */
export function rod(a: Vector3, b: Vector3, radius: number): BufferGeometry {
    const along = b.clone().sub(a), length = along.length();
    const turn = new Quaternion().setFromUnitVectors(zAxis, length > 0 ? along.divideScalar(length) : zAxis);
    const g = new CapsuleGeometry(radius, length, 6, 24).rotateX(Math.PI / 2);
    return placed(g, a.clone().add(b).multiplyScalar(0.5), turn);
}

export function merged(parts: BufferGeometry[]): BufferGeometry {
    const plain = parts.map((g) => {
        const flat = g.index ? g.toNonIndexed() : g;
        flat.deleteAttribute('uv');
        return flat;
    });
    const all = plain.length === 1 ? plain[0] : mergeGeometries(plain);
    return all ?? new BufferGeometry();
}

function shapeGeometry(s: SceneShape): BufferGeometry {
    const [a, b, c] = s.size;
    const g =
        s.kind === 'box' ? new BoxGeometry(a, b, c)
        : s.kind === 'sphere' ? new SphereGeometry(a, 40, 24)
        : cylinder(a, b);
    return placed(g, vector(s.at), quaternion(s.rotation));
}

/** Shapes of a body as one geometry. */
export function bodyGeometry(shapes: SceneShape[]): BufferGeometry {
    return merged(shapes.map(shapeGeometry));
}

/** A body without shapes: rods between its markers, a ball where its frame is if it has none. */
export function markerGeometry(markers: SceneMarker[], size: number): BufferGeometry {
    const points: Vector3[] = [];
    for (const m of markers) {
        const p = vector(m.at);
        if (!points.some((o) => o.distanceTo(p) < 1e-6 * size)) points.push(p);
    }
    const thin = 0.012 * size;
    if (points.length < 2) {
        const at = points[0] ?? new Vector3();
        const parts: BufferGeometry[] = [new SphereGeometry(2.2 * thin, 32, 20)];
        if (at.length() > 1e-6 * size) parts.push(rod(new Vector3(), at, thin));
        return merged(parts);
    }
    if (points.length === 2) return rod(points[0], points[1], thin);
    const centre = new Vector3();
    for (const p of points) centre.addScaledVector(p, 1 / points.length);
    const near = points.find((p) => p.distanceTo(centre) < 1e-6 * size);
    return merged(points.filter((p) => p !== near).map((p) => rod(centre, p, thin)));
}

// ---- joints ------------------------------------------------------------------------------------

const half = Math.SQRT1_2;
const alongX = new Quaternion(0, half, 0, half); // turns z to x
const alongY = new Quaternion(-half, 0, 0, half);
const here = new Vector3();

function ring(outer: number, thickness: number): BufferGeometry {
    return new TorusGeometry(outer, thickness, 14, 40);
}

function sleeve(s: number): BufferGeometry[] {
    return [new BoxGeometry(1.5 * s, 1.5 * s, 2.2 * s), cylinder(0.45 * s, 5.2 * s)];
}

/** Symbol of a joint in the axes of its first frame (most joints act about z); s: its size. */
export function jointSymbol(kind: string, s: number): BufferGeometry | null {
    switch (kind) {
        case 'revolute': return merged([cylinder(0.62 * s, 3.2 * s), ring(1.05 * s, 0.36 * s)]);
        case 'spherical': return merged([new SphereGeometry(1.15 * s, 32, 20)]);
        case 'universal':
            return merged([placed(cylinder(0.42 * s, 3.2 * s), here, alongX), placed(cylinder(0.42 * s, 3.2 * s), here, alongY), ring(1.3 * s, 0.3 * s)]);
        case 'cylindrical': return merged([cylinder(1.05 * s, 2 * s), cylinder(0.45 * s, 5.2 * s)]);
        case 'translational': return merged(sleeve(s));
        case 'fixed': return merged([new BoxGeometry(1.7 * s, 1.7 * s, 1.7 * s)]);
        case 'planar': return merged([new BoxGeometry(4.5 * s, 4.5 * s, 0.3 * s), cylinder(0.7 * s, 1.2 * s)]);
        case 'point_on_line': return merged([new SphereGeometry(0.95 * s, 32, 20), cylinder(0.32 * s, 6 * s)]);
        case 'screw': return merged([cylinder(0.5 * s, 4 * s), ...[-1.4, -0.7, 0, 0.7, 1.4].map((z) => ring(0.75 * s, 0.22 * s).translate(0, 0, z * s))]);
        case 'gear': return merged(gearParts(s));
        case 'distance': return null; // drawn as a rod between its ends
        default: return merged([new OctahedronGeometry(1.3 * s)]);
    }
}

function gearParts(s: number): BufferGeometry[] {
    const parts: BufferGeometry[] = [cylinder(1.2 * s, 0.6 * s)];
    for (let k = 0; k < 10; k++) {
        const angle = (k * Math.PI) / 5;
        const tooth = new BoxGeometry(0.5 * s, 0.42 * s, 0.6 * s).translate(1.35 * s, 0, 0).rotateZ(angle);
        parts.push(tooth);
    }
    return parts;
}

/** Support of a joint on ground: a foot below it, `down` in the joint's axes. */
export function foot(s: number, down: Vector3): BufferGeometry {
    const cone = cylinder(1.1 * s, 2.4 * s, 0.4 * s, 24).translate(0, 0, -1.6 * s);
    const plate = cylinder(1.9 * s, 0.36 * s, 1.9 * s, 32).translate(0, 0, -2.9 * s);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, -1), down.clone().normalize());
    return placed(merged([cone, plate]), here, turn);
}

// ---- forces ------------------------------------------------------------------------------------

/** An arrow along z of length 1, and with the head at its end. */
export function arrow(): BufferGeometry {
    const head = new ConeGeometry(0.085, 0.26, 24).rotateX(Math.PI / 2).translate(0, 0, 0.87);
    const shaft = cylinder(0.03, 0.76).translate(0, 0, 0.38);
    return merged([shaft, head]);
}

/** An arrow that turns about z, of radius 1. */
export function turnArrow(): BufferGeometry {
    const arc = new TorusGeometry(1, 0.06, 12, 48, 1.5 * Math.PI);
    const head = new ConeGeometry(0.19, 0.48, 20).translate(1, 0.18, 0).rotateZ(1.5 * Math.PI);
    const axis = cylinder(0.035, 1.2);
    return merged([arc, head, axis]);
}

/** A coil spring along z from 0 to 1, radius 1: scaled to its place. */
export function coil(turns = 8): BufferGeometry {
    const rings = 16 * turns, sides = 8, wire = 0.16;
    const position: number[] = [], index: number[] = [];
    for (let i = 0; i <= rings; i++) {
        const f = i / rings, angle = 2 * Math.PI * turns * f;
        for (let k = 0; k < sides; k++) {
            const a = (2 * Math.PI * k) / sides, r = 1 + wire * Math.cos(a);
            position.push(r * Math.cos(angle), r * Math.sin(angle), 0.06 + 0.88 * f + 0.02 * Math.sin(a));
            if (i === rings) continue;
            const p = i * sides + k, n = i * sides + ((k + 1) % sides);
            index.push(p, p + sides, n, n, p + sides, n + sides);
        }
    }
    const g = new BufferGeometry();
    g.setAttribute('position', new BufferAttribute(new Float32Array(position), 3));
    g.setIndex(index);
    g.computeVertexNormals();
    return g;
}

/** A bushing: three rings about its point, one about each axis. */
export function bushing(s: number): BufferGeometry {
    return merged([ring(2.3 * s, 0.3 * s), ring(2.3 * s, 0.3 * s).rotateX(Math.PI / 2), ring(2.3 * s, 0.3 * s).rotateY(Math.PI / 2)]);
}

/** A thin rod along z from 0 to 1, radius 1. */
export function link(): BufferGeometry {
    return merged([cylinder(1, 1, 1, 16).translate(0, 0, 0.5)]);
}

/** Axes of frames as line segments, coloured x red, y green, z blue. */
export function triads(markers: SceneMarker[], size: number): BufferGeometry {
    const position: number[] = [], color: number[] = [];
    const colors = [[0.85, 0.25, 0.25], [0.2, 0.65, 0.3], [0.25, 0.45, 0.9]];
    for (const m of markers) {
        const at = vector(m.at), turn = quaternion(m.rotation);
        for (let k = 0; k < 3; k++) {
            const tip = new Vector3(k === 0 ? size : 0, k === 1 ? size : 0, k === 2 ? size : 0).applyQuaternion(turn).add(at);
            position.push(at.x, at.y, at.z, tip.x, tip.y, tip.z);
            color.push(...colors[k], ...colors[k]);
        }
    }
    const g = new BufferGeometry();
    g.setAttribute('position', new BufferAttribute(new Float32Array(position), 3));
    g.setAttribute('color', new BufferAttribute(new Float32Array(color), 3));
    return g;
}
