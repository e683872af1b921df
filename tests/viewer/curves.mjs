// tests/viewer/curves.mjs: analyses whose rows are no states, in the page: frequency responses and Campbell diagrams.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, keep, near, open, readCsv, test } from './check.mjs';

const disk = `limber: 1
bodies: {disk: {mass: 5, inertia: [1, 1, 2], markers: {hub: [0, 0, 0]}}}
forces:
  bearing: {type: bushing, between: [ground, disk], stiffness: [4e4, 6e4, 1e5], damping: [20, 20, 50], rotational_stiffness: [1e3, 1e3, 1e3]}
sensors: {hub: {type: position, of: disk.hub}}
analyses:
  - {type: response, from: 1 Hz, to: 100 Hz, unbalance: {on: disk.hub, axis: [0, 0, 1], moment: 2e-3}}
`;

/** What the charts draw, and where the columns stand. */
const charts = (page) => page.evaluate(() => limber.plots.charts.map((c) => ({
    names: c.columns.map((k) => k.name), colors: c.columns.map((_, i) => c.color(i)), data: c.uplot.data.map((d) => [...d]),
    scales: Object.fromEntries(Object.entries(c.uplot.scales).map(([k, s]) => [k, { distr: s.distr, min: s.min, max: s.max }])), axis: c.uplot.axes[0].label,
    top: c.element.getBoundingClientRect().top, left: c.uplot.over.getBoundingClientRect().left, width: c.uplot.over.clientWidth, height: c.uplot.over.clientHeight,
})));

const near7 = (a, b, what) => near(Math.max(...a.map((x, i) => Math.abs(x - b[i]) / (Math.abs(b[i]) + 1e-30))), 0, 1e-7, what); // floats
const hidden = (page, what) => page.$eval(what, (e) => e.getClientRects().length === 0);

async function hover(page, chart, x) {
    const box = await (await page.$$('.chart .u-over'))[chart].boundingBox();
    await page.mouse.move(box.x + x * box.width, box.y + box.height / 2);
    await page.waitForFunction(() => document.querySelector('.chart-legend .key b').textContent !== '');
    return page.$$eval('.chart', (all) => all.map((c) => [...c.querySelectorAll('.key b')].map((e) => e.textContent)));
}

async function testResponse(chrome, { limber, at, shots }) {
    writeFileSync(at('disk.yaml'), disk);
    limber('run', '--quiet', 'disk.yaml', '-o', 'disk.h5');
    limber('view', 'disk.h5', '--no-open'); // nothing else is in the file
    const page = await open(chrome, at('disk.html')), csv = readCsv(limber('export', 'disk.h5'));
    const [above, below] = await charts(page), names = ['hub.x/unbalance', 'hub.y/unbalance']; // z does not answer
    check(above.names.join() === names.join() && below.names.join() === names.map((n) => `${n}.phase`).join(), `curves: ${above.names}; ${below.names}`);
    check(above.colors.join() === below.colors.join() && new Set(above.colors).size === 2, 'a phase has another colour than its amplitude');
    check(below.top > above.top + 150 && Math.abs(below.left - above.left) < 1 && Math.abs(below.width - above.width) < 1, 'phases are not below the amplitudes');
    check(above.axis === 'frequency [Hz]' && above.scales.x.distr === 3 && below.scales.x.distr === 3, `abscissa ${above.axis}`);
    check(above.scales['u m'].distr === 3 && below.scales['u deg'].distr !== 3, 'amplitudes are logarithmic, phases linear');
    near(above.scales.x.min, 1, 0, 'the lowest frequency');
    near(above.scales.x.max, 100, 0, 'the highest frequency');
    near7(above.data[0], csv.frequency, 'frequencies');
    near7(above.data[1], csv[names[0]], 'amplitudes');
    near7(below.data[1], csv[`${names[0]}.phase`], 'phases');
    // halfway on the axis is 10 Hz: m |H| = u w^2/|k - m w^2 + i d w| (u = 2e-3 kg m), turning: y lags x by a quarter
    const shown = await hover(page, 0, 0.5), f = parseFloat(shown[0][0]), w = 2 * Math.PI * f;
    near(Math.log(f / 10), 0, 0.08, 'the frequency in the middle');
    const want = (2e-3 * w * w) / Math.hypot(4e4 - 5 * w * w, 20 * w);
    near(parseFloat(shown[0][1]), want, 1e-4 * want, 'the amplitude under the pointer');
    const phase = (-180 / Math.PI) * Math.atan2(20 * w, 4e4 - 5 * w * w);
    near(parseFloat(shown[1][1]), phase, 1e-3, 'the phase below the pointer');
    near(parseFloat(shown[1][2]) - parseFloat(shown[1][1]), -90, 2, 'y lags');
    await page.mouse.move(5, 5);
    await page.waitForFunction(() => document.querySelector('.chart-legend .key b').textContent === '');
    const saved = readCsv(await page.evaluate(() => limber.plots.charts[0].csv()));
    near7(saved.frequency, csv.frequency, 'frequencies in the CSV of the plot');
    check((await hidden(page, '.stage')) && (await hidden(page, '.timeline')) && (await hidden(page, '.left')), 'what shows motion is there');
    check((await page.$eval('.run', (e) => e.textContent)).includes(`rows${csv.frequency.length}`), 'the number of rows');
    check(!(await page.$eval('.run', (e) => e.textContent)).includes('rejected'), 'steps of what has none');
    await hover(page, 0, 0.63);
    await keep(page, shots, 'response');
    // choose by hand: a curve goes and comes back
    await page.click('.chart-choose');
    const offered = await page.$$eval('.chooser label span', (e) => e.map((x) => x.textContent));
    check(offered.length === 6 && !offered.includes('frequency'), `offered: ${offered}`);
    await page.click('.chooser label input');
    await page.click('.chooser header button');
    check((await charts(page))[0].names.join() === names[1], 'a curve does not go');
    // zeros have no logarithm: nothing to draw, nothing breaks
    await page.evaluate(() => limber.plots.add([{ table: 'response', index: 5, name: 'hub.z/unbalance', unit: 'm' }]));
    check((await charts(page))[2].data[1].every((x) => x === null), 'zeros on a logarithmic axis');
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
    // on a phone
    const phone = await open(chrome, at('disk.html'), { width: 390, height: 780, touch: true });
    check((await charts(phone)).every((c) => c.width > 250 && c.height > 100), 'plots on a phone are too small');
    await phone.tap('.toggle-right');
    check(!(await hidden(phone, '.right')), 'the data on a phone');
    await keep(phone, shots, 'response_phone');
    check(phone.troubles.length === 0, phone.troubles.join('; '));
    await phone.close();
}

async function testCampbell(chrome, { limber, make, shots }) {
    const page = await open(chrome, make('rotor_whirl', false));
    const csv = readCsv(limber('export', 'rotor_whirl.h5', '--analysis', 'campbell'));
    check(!(await hidden(page, '.stage')), 'the modes are not shown first');
    const options = await page.$$eval('select[aria-label=Analysis] option', (e) => e.map((o) => o.textContent));
    check(options.length === 2 && options[1].endsWith('campbell'), `analyses: ${options}`);
    await page.select('select[aria-label=Analysis]', '1');
    const [chart, ...more] = await charts(page), names = ['order 1', 'mode1', 'mode2', 'mode3', 'mode4', 'mode5'];
    check(more.length === 0 && chart.names.join() === names.join(), `curves: ${chart.names}`);
    check(chart.axis === 'speed [rad/s]' && chart.scales.x.distr !== 3 && chart.scales['u Hz'].distr !== 3, 'the axes are linear');
    near7(chart.data[0], csv.speed, 'speeds');
    names.forEach((n, i) => check(chart.data[i + 1].every((x, k) => (x === null ? !Number.isFinite(csv[n][k]) : Math.abs(x - csv[n][k]) <= 1e-7 * csv[n][k])), `${n} differs from the results file`));
    check((await hidden(page, '.stage')) && (await hidden(page, '.timeline')), 'what shows motion is there');
    check(chart.height > 400, `the diagram is ${chart.height} high`);
    const events = await page.$$eval('.run .event', (e) => e.map((x) => `${x.tagName} ${x.textContent}`));
    check(events.length === 2 && events.every((e) => /^P critical speed [\d.]+ rad\/s .* meets order 1 at/.test(e)), `critical speeds: ${events}`);
    const [[speed, order]] = await hover(page, 0, 0.5);
    near(parseFloat(speed), 200, 0, 'the speed in the middle, one of 41 from 0 to 400');
    near(parseFloat(order), parseFloat(speed) / (2 * Math.PI), 1e-3, 'the order under the pointer');
    await keep(page, shots, 'campbell');
    await page.evaluate(() => limber.setAnalysis(0)); // and back
    check(!(await hidden(page, '.stage')) && (await page.$eval('.modes', (e) => !e.hidden)), 'the modes do not come back');
    check((await page.evaluate(() => document.querySelector('canvas.scene').width)) > 300, 'the scene has no size');
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
}

// columns of modes that there are not are left out
async function testFewModes(chrome, { limber, at, sources }) {
    const model = readFileSync(join(sources, 'examples/rotor_whirl.yaml'), 'utf8');
    writeFileSync(at('nine.yaml'), model.replace('count: 5', 'count: 9').replace('- {type: modes}\n', ''));
    limber('run', '--quiet', 'nine.yaml', '-o', 'nine.h5');
    limber('view', 'nine.h5', '--no-open');
    const csv = readCsv(limber('export', 'nine.h5')), page = await open(chrome, at('nine.html'));
    const known = Object.keys(csv).filter((n) => !['t', 'speed'].includes(n) && csv[n].some(Number.isFinite));
    check('mode9' in csv && !known.includes('mode9') && known.includes('mode5'), `columns with numbers: ${known}`);
    await page.click('.chart-choose');
    const offered = await page.$$eval('.chooser label span', (e) => e.map((x) => x.textContent));
    check(offered.join() === known.join(), `offered: ${offered}; with numbers: ${known}`);
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
}

/** tools: of viewer.mjs. */
export async function testCurves(chrome, tools) {
    await test('response', () => testResponse(chrome, tools));
    await test('campbell', () => testCampbell(chrome, tools));
    await test('campbell of few modes', () => testFewModes(chrome, tools));
}
