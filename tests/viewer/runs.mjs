// tests/viewer/runs.mjs: several runs in one page: colours by value, overlaid curves, the table, ghosts.
import { statSync, writeFileSync } from 'node:fs';
import { check, keep, look, differing, near, open, readCsv, test } from './check.mjs';

const spring = `limber: 1
title: A mass on a spring
parameters: {k: 100, c: 0.5}
bodies: {b: {type: rigid, mass: 1, inertia: 1, at: [0.2, 0, 0], shape: {sphere: 0.05}, markers: {m: [0, 0.05, 0]}}}
joints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0]}}
forces: {f: {type: spring, between: [ground, b], stiffness: k, damping: c, length: 0.1}}
sensors: {x: {type: position, of: b}, v: {type: velocity, of: b}}
analyses: [{type: dynamics, until: 1, every: 0.005}, {type: modes, count: 1}]
`;

const rgb = (text) => text.match(/[\d.]+/g).map(Number);
// CIE lightness of an sRGB colour, 0 to 100
function lightness(text) {
    const [r, g, b] = rgb(text).map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    return y > 216 / 24389 ? 116 * Math.cbrt(y) - 16 : (24389 / 27) * y;
}

const labels = (page) => page.$$eval('.run-select option', (e) => e.map((o) => o.textContent));
const chartColors = (page) => page.evaluate(() => ({ own: limber.plots.own.color, others: limber.plots.overlays.map((o) => [o.label, o.color]) }));
const rows = (page) => page.$$eval('.sortable tbody tr', (all) => all.map((r) => [...r.cells].map((c) => c.textContent)));

function makeRuns(limber, at, name, values) {
    writeFileSync(at('spring.yaml'), spring);
    const files = values.map((k) => {
        limber('run', '--quiet', 'spring.yaml', '--set', `k=${k}`, '-o', `${name}_${k}.h5`);
        return `${name}_${k}.h5`;
    });
    limber('view', ...files, '--no-open', '-o', `${name}.html`);
    return files;
}

async function testFew(chrome, { limber, at, shots }) {
    const files = makeRuns(limber, at, 'few', ['400', '100', '25']);
    const page = await open(chrome, at('few.html'));
    check((await labels(page)).join() === 'k = 25,k = 100,k = 400', `runs by value: ${await labels(page)}`);
    check(await page.evaluate(() => limber.results.header.file) === 'few_25.h5', 'the first run is that with the smallest value');
    const { own, others } = await chartColors(page), light = [own, ...others.map((o) => o[1])].map(lightness);
    check(others.map((o) => o[0]).join() === 'k = 100,k = 400', `overlaid: ${others.map((o) => o[0])}`);
    check(light[0] + 10 < light[1] && light[1] + 10 < light[2], `colours are lighter with the value: ${light}`);

    // all curves lie within the axes: those of the stiffest spring are the fastest
    const csv = Object.fromEntries(files.map((f) => [f, readCsv(limber('export', f, '--analysis', '1'))]));
    await page.evaluate(() => { const c = limber.plots.charts[0]; limber.plots.remove(limber.plots.charts[1]); c.columns.length = 0; c.toggle({ table: 'sensors', index: limber.plots.analysis.series('sensors').names.indexOf('v.x'), name: 'v.x', unit: 'm/s' }, true); });
    const { min, max } = await page.evaluate(() => { const { min, max } = limber.plots.charts[0].uplot.scales['u m/s']; return { min, max }; });
    const all = files.flatMap((f) => csv[f]['v.x']), largest = Math.max(...all), least = Math.min(...all);
    check(max >= largest && max < 1.2 * largest && min <= least && min > 1.2 * least, `axis ${min} .. ${max}, curves ${least} .. ${largest}`);
    // pixels of the other runs' colours are there
    const inked = await page.evaluate((colors) => {
        const { canvas } = limber.plots.charts[0].uplot.ctx, d = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return colors.map(([r, g, b]) => { let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i + 3] > 200 && Math.abs(d[i] - r) + Math.abs(d[i + 1] - g) + Math.abs(d[i + 2] - b) < 24; return n; });
    }, others.map((o) => rgb(o[1])));
    check(inked.every((n) => n > 60), `pixels of the others' colours: ${inked}`);
    // CSV: a row for each time of each run, to the last digit
    const text = await page.evaluate(() => limber.plots.charts[0].csv()), lines = text.trim().split('\n');
    check(lines[0] === 'run,t [s],v.x [m/s]' && lines.length === 1 + files.reduce((n, f) => n + csv[f].t.length, 0), `CSV: ${lines[0]}, ${lines.length} lines`);
    const stiff = lines.filter((l) => l.startsWith('k = 400,')).map((l) => Number(l.split(',')[2]));
    check(stiff.every((x, i) => x === csv['few_400.h5']['v.x'][i]), 'CSV of the stiffest spring');

    // the table: its numbers, sorting, choosing
    let table = await rows(page);
    check(table.length === 3 && table.map((r) => r[1]).join() === '25,100,400', `table: ${table}`);
    const steps = (await page.$$eval('.sortable th', (e) => e.map((x) => x.textContent))).indexOf('steps');
    const told = Number(limber('info', 'few_25.h5').match(/(\d+) steps \(/)[1]);
    check(Number(table[0][steps]) === told, `steps: ${table[0][steps]} in the table, ${told} in the file`);
    const heads = await page.$$('.sortable th');
    await heads[1].click();
    await heads[1].click();
    table = await rows(page);
    check(table.map((r) => r[1]).join() === '400,100,25', `sorted downwards: ${table.map((r) => r[1])}`);
    await page.evaluate(() => limber.setTime(0.3));
    const before = await page.evaluate(() => limber.pose('b')[0]);
    await (await page.$$('.sortable tbody tr'))[0].click();
    check(await page.evaluate(() => limber.results.header.file) === 'few_400.h5', 'a click on a row does not choose its run');
    near(await page.evaluate(() => limber.player.time), 0.3, 0, 'the time is kept');
    near(await page.evaluate(() => (limber.setTime(0.3), limber.pose('b')[0])), csv['few_400.h5']['x.x'][csv['few_400.h5'].t.findIndex((t) => Math.abs(t - 0.3) < 1e-9)], 1e-6, 'the place of the mass in the other run');
    near(before, csv['few_25.h5']['x.x'][60], 1e-6, 'its place before');
    // sorting stays with the next run; keys step in the order of values
    check((await rows(page)).map((r) => r[1]).join() === '400,100,25', 'the order of the table is lost');
    await page.keyboard.press('[');
    check(await page.evaluate(() => limber.results.header.file) === 'few_100.h5', '[ goes to the next lower value');

    // the ghost: drawn with it, and gone with it
    await page.evaluate(() => limber.setTime(0.3));
    const alone = await look(page);
    await page.keyboard.press('b');
    const both = await look(page);
    check(differing(alone, both) > 40, `the ghost changes ${differing(alone, both)} pixels`);
    await keep(page, shots, 'runs');
    await page.keyboard.press('b');
    check(differing(alone, await look(page)) === 0, 'the ghost stays');

    // curves of one run are hidden; only this run
    await page.click('.sortable tbody tr:first-child input');
    check((await chartColors(page)).others.length === 1, 'a run cannot be hidden');
    await page.evaluate(() => [...document.querySelectorAll('.runs .actions button')][0].click());
    check((await chartColors(page)).others.length === 0, 'the others are still shown');

    // modes of all runs in the table
    await page.evaluate(() => limber.setAnalysis(1));
    const head = await page.$$eval('.sortable th', (e) => e.map((x) => x.textContent)), f = head.indexOf('f1 [Hz]'), k = head.indexOf('k');
    check(f > 0, `columns of modes: ${head}`);
    // sqrt(k - (c/2)^2)/2 pi
    for (const r of await rows(page)) near(Number(r[f]), Math.sqrt(Number(r[k]) - 0.0625) / (2 * Math.PI), 1e-3 * Number(r[f]), `the frequency of k = ${r[k]}`);
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();

    const dark = await open(chrome, at('few.html'), { theme: 'dark' }), shades = await chartColors(dark);
    check(Math.min(...[shades.own, ...shades.others.map((o) => o[1])].map(lightness)) > 40, 'too dark for a dark page');
    await dark.close();
}

async function testMany(chrome, { limber, at, shots }) {
    const values = Array.from({ length: 30 }, (_, i) => (10 * 1000 ** (i / 29)).toPrecision(4));
    const files = makeRuns(limber, at, 'many', values);
    const page = await open(chrome, at('many.html'), { theme: 'dark' });
    check((await page.$$('.runs-key .run-colors')).length === 1 && (await page.$eval('.runs-key b', (e) => e.textContent)) === 'k', 'there is no colour bar');
    const marks = await page.$$eval('.run-marks span', (e) => e.map((x) => Number(x.textContent)));
    check(marks[0] === 10 && marks[4] === 10000 && Math.abs(marks[2] / 316 - 1) < 0.01, `a logarithmic scale: ${marks}`);
    const light = (await chartColors(page)).others.map((o) => lightness(o[1]));
    check(light.length === 29 && light.every((x, i) => i === 0 || x > light[i - 1]), 'lightness rises with every value');
    const frames = await page.evaluate(() => limber.results.analyses[0].header.rows);
    check(frames === 201, `${frames} rows`);
    const size = statSync(at('many.html')).size, single = statSync(at(files[0])).size;
    check(size < 1e6 + 30 * single, `the page has ${size} bytes, a results file ${single}`);
    const start = await page.evaluate(() => performance.now()), end = await page.evaluate(() => (limber.plots.redraw(), performance.now()));
    check(end - start < 1500, `the plots of 30 runs take ${end - start} ms`);
    await keep(page, shots, 'runs_many');
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
    const phone = await open(chrome, at('many.html'), { width: 390, height: 800, touch: true });
    check((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, 'wider than the phone');
    await phone.close();
}

// names that look like markup, runs of other models, of other lengths
async function testStrange(chrome, { limber, at }) {
    writeFileSync(at('spring.yaml'), spring);
    writeFileSync(at('other.yaml'), spring.replace('mass: 1', 'mass: 2').replace('until: 1', 'until: 2').replace('A mass on a spring', "'<img src=x onerror=alert(1)>'"));
    limber('run', '--quiet', 'spring.yaml', '-o', 'plain.h5');
    limber('run', '--quiet', 'other.yaml', '-o', '<b>x&y.h5');
    limber('view', 'plain.h5', '<b>x&y.h5', '--no-open', '-o', 'strange.html');
    const page = await open(chrome, at('strange.html'));
    check((await labels(page)).join() === 'plain.h5,<b>x&y.h5', `names: ${await labels(page)}`);
    const { max } = await page.evaluate(() => limber.plots.charts[0].uplot.scales.x);
    near(max, 2, 1e-9, 'the axis ends with the longest run');
    await page.keyboard.press(']');
    near(await page.evaluate(() => limber.player.end), 2, 1e-9, 'the other run is longer');
    await page.keyboard.press('b');
    check((await page.$eval('h1', (e) => e.textContent)) === '<img src=x onerror=alert(1)>' && (await page.$$('img')).length === 0, 'markup became part of the page');
    check(await page.evaluate(() => limber.runs.ghost) === 0, 'the ghost of a run of another model');
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
}

// a table of more columns than anybody reads is cut, and says so
async function testWide(chrome, { limber, at }) {
    const names = Array.from({ length: 2000 }, (_, i) => `p${i}`);
    writeFileSync(at('wide.yaml'), spring.replace('parameters: {', `parameters: {q: 1, ${names.map((n, i) => `${n}: q*${i + 1}`).join(', ')}, `));
    for (const q of ['1', '2']) limber('run', '--quiet', 'wide.yaml', '--set', `q=${q}`, '-o', `wide_${q}.h5`);
    limber('view', 'wide_1.h5', 'wide_2.h5', '--no-open', '-o', 'wide.html');
    const page = await open(chrome, at('wide.html'));
    check((await labels(page))[1] === 'q = 2, p0 = 2, p1 = 4, p2 = 6, ...', `the name of a run: ${(await labels(page))[1]}`);
    check((await page.$$('.sortable th')).length === 60 && /^The first 60 of 20\d\d columns/.test(await page.$eval('.table-box .note', (e) => e.textContent)), 'the table is not cut');
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
}

async function testResponses(chrome, { limber, at, sources, shots }) {
    for (const k of ['1.2e4', '1.8e4']) limber('run', '--quiet', `${sources}/examples/flexible_joint.yaml`, '--set', `k=${k}`, '-o', `joint_${k}.h5`);
    limber('view', 'joint_1.2e4.h5', 'joint_1.8e4.h5', '--no-open', '-o', 'joints.html');
    const page = await open(chrome, at('joints.html'));
    const index = await page.evaluate(() => limber.results.analyses.findIndex((a) => a.curves === 'response'));
    check(index >= 0, 'no response');
    await page.evaluate((i) => limber.setAnalysis(i), index);
    const { others } = await chartColors(page);
    check(others.length === 1, 'the response of the other run is not drawn');
    const inked = await page.evaluate((color) => {
        const [r, g, b] = color, { canvas } = limber.plots.charts[0].uplot.ctx, d = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let n = 0;
        for (let i = 0; i < d.length; i += 4) n += d[i + 3] > 200 && Math.abs(d[i] - r) + Math.abs(d[i + 1] - g) + Math.abs(d[i + 2] - b) < 24;
        return n;
    }, rgb(others[0][1]));
    check(inked > 60, `pixels of the other response: ${inked}`);
    await keep(page, shots, 'runs_response');
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
}

// shapes that runs share are in the page once, and drawn in each
async function testFlexible(chrome, { limber, at, sources }) {
    const loads = ['100', '300'], model = `limber: 1
parameters: {F: 100}
bodies: {b: {type: beam, length: 1, elements: 6, section: {circle: 20 mm}, material: steel}}
joints: {f: {type: fixed, between: [ground, b.start]}}
forces: {p: {type: force, on: b.end, value: [0, "F", 0]}}
sensors: {e: {type: position, of: b.end}}
analyses: [{type: statics}, {type: dynamics, until: 0.01, every: 0.001}]
`;
    writeFileSync(at('bent.yaml'), model);
    for (const f of loads) limber('run', '--quiet', 'bent.yaml', '--set', `F=${f}`, '-o', `bent_${f}.h5`);
    limber('view', 'bent_100.h5', 'bent_300.h5', '--no-open', '-o', 'bent.html');
    const page = await open(chrome, at('bent.html'));
    const shape = (i) => page.evaluate((k) => { limber.setRun(k); return limber.results.header.flex[0].x.at; }, i);
    check((await shape(0)) === (await shape(1)), 'the nodes are stored twice');
    for (const [i, f] of loads.entries()) {
        await page.evaluate((k) => limber.setRun(k), i);
        const t = await page.evaluate(() => limber.player.end), csv = readCsv(limber('export', `bent_${f}.h5`));
        await page.evaluate((x) => limber.setTime(x), t);
        const nodes = Object.values(await page.evaluate(() => limber.nodes('b'))), tip = Math.max(...nodes.filter((_, k) => k % 3 === 1));
        near(tip - 0.01, csv['e.y'].at(-1), 2e-4, `the deflection under ${f} N`); // the section's radius; it turns by 0.1 rad, which lowers its edge by 5e-5
    }
    await page.evaluate(() => limber.runs.setGhost(0));
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
}

/** tools: of viewer.mjs. */
export async function testRuns(chrome, tools) {
    await test('runs: few', () => testFew(chrome, tools));
    await test('runs: many', () => testMany(chrome, tools));
    await test('runs: strange', () => testStrange(chrome, tools));
    await test('runs: wide', () => testWide(chrome, tools));
    await test('runs: flexible', () => testFlexible(chrome, tools));
    await test('runs: responses', () => testResponses(chrome, tools));
}
