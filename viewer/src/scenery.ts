// scenery.ts: the surroundings of a mechanism: lights and floor, and which way is up.
import { AmbientLight, Box3, BufferGeometry, DirectionalLight, Float32BufferAttribute, Group, HemisphereLight, LineBasicMaterial, LineSegments, Quaternion, Vector3 } from 'three';
import type { Results } from './data';
import type { Eye } from './eye';
import * as make from './geometry';
import { deform, Motion } from './motion';

// against gravity; without gravity z, or y for what lies in the x-y plane
export function upOf(results: Results): Vector3 {
    const { gravity, markers, bodies } = results.scene;
    const g = make.vector(gravity);
    if (g.length() > 0) {
        const up = g.negate().normalize();
        for (const k of ['x', 'y', 'z'] as const) if (Math.abs(up[k]) > 0.999) return new Vector3().setComponent('xyz'.indexOf(k), Math.sign(up[k]));
        return up;
    }
    const flat = bodies.length > 0 && markers.every((m) => Math.abs(m.at[2]) < 1e-9);
    return flat ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
}

// how large the mechanism is: the box of markers and shapes at the start, unless it is a point
export function sizeOf(results: Results): number {
    const { scene, analyses } = results, box = new Box3(), pose = new Float64Array(7);
    const first = analyses.find((a) => a.frames > 0), motion = first ? new Motion(first) : null;
    motion?.seek(motion.start);
    scene.bodies.forEach((b, index) => {
        if (!motion?.has(b)) return;
        motion.pose(pose, b);
        const turned = new Quaternion(pose[4], pose[5], pose[6], pose[3]), place = new Vector3().fromArray(pose);
        if (b.q >= 0) box.expandByPoint(place);
        for (const m of scene.markers) if (m.body === index && b.q >= 0) box.expandByPoint(make.vector(m.at).applyQuaternion(turned).add(place));
        for (const s of b.shapes ?? []) {
            const reach = s.kind === 'box' ? 0.5 * Math.hypot(...s.size) : s.kind === 'sphere' ? s.size[0] : Math.hypot(s.size[0], s.size[1] / 2);
            const centre = make.vector(s.at).applyQuaternion(turned).add(place);
            box.expandByPoint(centre.clone().addScalar(0.6 * reach)).expandByPoint(centre.addScalar(-0.6 * reach));
        }
        const flex = results.flexOf(b);
        if (!flex) return;
        const nodes = new Float64Array(3 * flex.nodes);
        deform(nodes, flex, b.q < 0 ? motion.elastic(new Float64Array(flex.modes), b) : new Float64Array(flex.modes), 1);
        for (let i = 0; i < flex.nodes; i += Math.max(1, flex.nodes >> 6)) box.expandByPoint(new Vector3().fromArray(nodes, 3 * i).applyQuaternion(turned).add(place));
    });
    for (const m of scene.markers) if (m.body < 0) box.expandByPoint(make.vector(m.at));
    const size = box.isEmpty() ? 0 : box.getSize(new Vector3()).length();
    return size > 0 ? size : scene.length || 1;
}

export function lightsOf(up: Vector3): Group {
    const side = Math.abs(up.z) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
    const right = side.clone().cross(up);
    const sky = new HemisphereLight('#ffffff', '#8a93a0', 1.5);
    sky.position.copy(up);
    const key = new DirectionalLight('#ffffff', 1.9);
    key.position.copy(up).multiplyScalar(2).addScaledVector(side, 1.4).addScaledVector(right, 1);
    const fill = new DirectionalLight('#dfe8ff', 0.6);
    fill.position.copy(up).multiplyScalar(0.4).addScaledVector(side, -1).addScaledVector(right, -1.5);
    const lights = new Group();
    lights.add(sky, key, fill, new AmbientLight('#ffffff', 0.25));
    return lights;
}

/** Lines on the floor below a box, and the distance between them. */
export function gridOf(eye: Eye, color: string): { lines: LineSegments; step: number } {
    const { up, size, bounds, box } = eye;
    const reach = 1.9 * bounds.radius;
    const raw = reach / 7, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw) ?? raw;
    const a = Math.abs(up.x) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    a.addScaledVector(up, -a.dot(up)).normalize();
    const b = up.clone().cross(a);
    const corners = [box.min, box.max];
    const floor = Math.min(...[0, 1, 2, 3, 4, 5, 6, 7].map((k) => new Vector3(corners[k & 1].x, corners[(k >> 1) & 1].y, corners[(k >> 2) & 1].z).dot(up)));
    const n = Math.ceil(reach / step), round = (x: number) => Math.round(x / step) * step;
    const centre = a.clone().multiplyScalar(round(bounds.center.dot(a))).addScaledVector(b, round(bounds.center.dot(b))).addScaledVector(up, floor - 0.02 * size);
    const points: number[] = [];
    for (let k = -n; k <= n; k++)
        for (const [u, v] of [[a, b], [b, a]]) {
            const p = centre.clone().addScaledVector(u, k * step).addScaledVector(v, -n * step);
            const q = p.clone().addScaledVector(v, 2 * n * step);
            points.push(p.x, p.y, p.z, q.x, q.y, q.z);
        }
    const g = new BufferGeometry();
    g.setAttribute('position', new Float32BufferAttribute(points, 3));
    return { lines: new LineSegments(g, new LineBasicMaterial({ color })), step };
}
