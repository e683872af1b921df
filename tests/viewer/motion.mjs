// tests/viewer/motion.mjs: viewer/src/motion.ts without a browser: rotations, modes and stresses against closed forms.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { check, near, test } from './check.mjs';

async function load(packages, sources) {
    const esbuild = createRequire(join(packages, 'package.json'))('esbuild');
    const made = await esbuild.build({ entryPoints: [join(sources, 'viewer/src/motion.ts')], bundle: true, format: 'esm', write: false });
    return import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString('base64')}`);
}

// ---- quaternions and tables ----------------------------------------------------------------------

const unit = (v) => v.map((x) => x / Math.hypot(...v));
const turn = (axis, angle) => [Math.cos(angle / 2), ...unit(axis).map((x) => x * Math.sin(angle / 2))];
const exp = (v) => (Math.hypot(...v) > 0 ? turn(v, Math.hypot(...v)) : [1, 0, 0, 0]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const add = (...v) => [0, 1, 2].map((k) => v.reduce((sum, x) => sum + x[k], 0));
const product = (a, b) => [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    ...add(b.slice(1).map((x) => a[0] * x), a.slice(1).map((x) => b[0] * x), cross(a.slice(1), b.slice(1))),
];
const conjugate = (q) => [q[0], -q[1], -q[2], -q[3]];
const rotate = (q, v) => product(product(q, [0, ...v]), conjugate(q)).slice(1);

const isNear = (a, b, text) => b.forEach((x, k) => near(a[k], x, 1e-12, `${text}, entry ${k}`)); // rounding
// of one rotation: q or -q
const isTurn = (a, b, text) => near(Math.abs(b.reduce((sum, x, k) => sum + x * a[k], 0)), 1, 1e-12, text);

/** A table as the page has it, from its rows. */
function tableOf(rows, names) {
    const columns = rows[0]?.length ?? 0, data = Float64Array.from({ length: rows.length * columns }, (_, i) => rows[i % rows.length][Math.floor(i / rows.length)]);
    return { rows: rows.length, columns, names, data, column: (c) => data.subarray(c * rows.length, (c + 1) * rows.length) };
}
const none = tableOf([], []);
const place = (name) => ['x', 'y', 'z', 'qw', 'qx', 'qy', 'qz'].map((k) => `${name}.${k}`);

// ---- tests ---------------------------------------------------------------------------------------

export async function testMotion(packages, sources) {
    const motion = await load(packages, sources);
    await test('motion: between frames', async () => {
        // 0.9 rad from frame to frame; the file may hold q or -q of the same rotation
        const axis = [1, -2, 2], signs = [1, -1, -1, 1, 1, -1, 1, -1];
        const rows = signs.map((s, i) => [i, 2 * i, -i, ...turn(axis, 0.9 * i).map((x) => s * x)]);
        const m = new motion.Motion({ frameTime: Float64Array.from(signs, (_, i) => 0.1 * i), q: tableOf(rows, place('b')), places: none, active: none });
        const body = { name: 'b', kind: 'rigid', q: 0 };
        for (let i = 0; i + 1 < signs.length; i++) {
            for (const part of [0, 0.5]) { // half of the way is half of the angle; other parts are near it
                m.seek(0.1 * (i + part));
                const p = m.pose(new Float64Array(7), body);
                [i + part, 2 * (i + part), -i - part].forEach((x, k) => near(p[k], x, 1e-9, `place ${k} at frame ${i + part}`));
                isTurn(p.slice(3), turn(axis, 0.9 * (i + part)), `turn at frame ${i + part}`);
            }
            m.seek(0.1 * (i + 0.25));
            const p = m.pose(new Float64Array(7), body), off = product(conjugate(turn(axis, 0.9 * (i + 0.25))), [...p.slice(3)]);
            check(2 * Math.acos(Math.min(1, Math.abs(off[0]))) < 0.01, `a quarter of the way from frame ${i} is off`);
        }
        // numbers beside curves are those of the nearest row
        const rowsAt = [[-1, 0], [0.4, 0], [0.6, 1], [1.9, 1], [2.1, 2], [9, 2]];
        for (const [t, row] of rowsAt) check(motion.nearestRow(Float64Array.of(0, 1, 3), t) === row, `the row nearest to ${t}`);
        const v = [0.3, -1.2, 0.8], q = turn([2, 1, -1], 2.1);
        isNear(motion.rotate([], [9, ...q], 1, v), rotate(q, v), 'a rotated vector');
    });

    await test('motion: what acts', async () => {
        // from its row on, up to the next one
        const on = [1, 1, 0, 0, 1], rows = on.map((_, i) => [i, 0, 0, 1, 0, 0, 0]);
        const m = new motion.Motion({ frameTime: Float64Array.from(on, (_, i) => i), q: tableOf(rows, place('b')), places: none,
            active: tableOf(on.map((x) => [1, x]), ['other', 'rope']) });
        for (let i = 0; i < on.length; i++)
            for (const part of i + 1 < on.length ? [0, 0.3, 0.9] : [0]) {
                m.seek(i + part);
                check(m.acts({ name: 'rope', active: 1 }) === (on[i] === 1), `at ${i + part} s`);
                check(m.acts({ name: 'always' }) && m.acts({ name: 'other', active: 0 }), 'what is never switched acts');
            }
    });

    await test('motion: a marker in a mode', async () => {
        // A body that a mode moves by dr and turns by dth, in its own axes; on it a marker at `arm`, turned by `rel`, that slides
        // and tilts.  To first order its increments are dr + R(dth x arm + slide) and rel' dth + tilt; drawn far out, it must stay
        // on its body: r + R(arm + slide), R rel exp(tilt).
        const r = [1, 2, 3], q = turn([1, 2, -1], 0.8), arm = [0.7, -0.4, 0.2], rel = turn([0, 1, 3], 1.1);
        const dr = [0.3, -0.2, 0.5], dth = [0.9, -0.6, 1.4], slide = [0.05, 0.02, -0.03], tilt = [0.2, -0.1, 0.15];
        const body = { name: 'b', kind: 'modal', q: 0, v: 0 }, marker = { name: 'b.m', body: 0, q: 7, v: 6 };
        for (const [s, w] of [[[0, 0, 0], [0, 0, 0]], [slide, tilt]]) {
            const dM = [...add(dr, rotate(q, add(cross(dth, arm), s))), ...add(rotate(conjugate(rel), dth), w)];
            const state = [[...r, ...q, ...add(r, rotate(q, arm)), ...product(q, rel)]];
            const tables = { shapes_re: tableOf([[...dr, ...dth, ...dM]], []), shapes_im: tableOf([Array(12).fill(0)], []) };
            const analysis = { q: tableOf(state, [...place('b'), ...place('b.m')]), places: none, active: none,
                modes: tableOf([[2]], ['frequency']), series: (n) => tables[n] ?? none };
            const m = new motion.ModeMotion(analysis, 0);
            m.amplitude = 1;
            m.seek(0);
            const out = new Float64Array(7), moved = { r: add(r, dr), q: product(q, exp(dth)) };
            check(m.marker(out, marker, body), 'the marker has no place of its own');
            isNear([...out].slice(0, 3), add(moved.r, rotate(moved.q, add(arm, s))), 'place of the marker');
            isTurn([...out].slice(3), product(product(moved.q, rel), exp(w)), 'turn of the marker');
        }
    });

    await test('motion: von Mises', async () => {
        // principal stresses in turned axes, as two modes: sqrt of half the sum of the squares of their differences
        const principal = [[3, -1, 0.5], [2, 2, 2], [5, 0, 0], [1, -1, 0]];
        for (const s of principal) {
            const axes = [0, 1, 2].map((k) => rotate(turn([1, 3, -2], 0.7), [0, 1, 2].map((i) => (i === k ? 1 : 0))));
            const at = (i, j) => axes.reduce((sum, e, k) => sum + s[k] * e[i] * e[j], 0);
            const tensor = [at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(1, 2), at(2, 0)];
            // component c of mode k of node i at (c * modes + k) * nodes + i; the second node and the second mode carry it twice
            const stress = Float32Array.from({ length: 24 }, (_, n) => tensor[n >> 2] * [1, 2, 1, 2][n & 3]);
            const want = Math.sqrt(0.5 * ((s[0] - s[1]) ** 2 + (s[1] - s[2]) ** 2 + (s[2] - s[0]) ** 2));
            for (const node of [0, 1])
                near(motion.vonMises({ nodes: 2, modes: 2, stress }, Float64Array.of(0.25, 0.5), node), 0.75 * (node + 1) * want, 1e-5, `of ${s}`); // floats
        }
        // a residual coordinate behind an elastic one
        const both = { nodes: 1, modes: 1, stress: Float32Array.of(1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) };
        check(motion.stressCount(both) === 2, 'two coordinates');
        near(motion.vonMises(both, Float64Array.of(3, 0.5), 0), 5, 1e-12, 'with a residual coordinate');
        near(motion.vonMises({ nodes: 1, modes: 1, stress: Float32Array.of(0, 0, 0, 0, 1, 0) }, Float64Array.of(2), 0), 2 * Math.sqrt(3), 1e-12, 'of pure shear');
    });
}
