// tests/viewer/study.mjs: the page of a parameter study: table, selection by brushing, responses, sensitivities.
import { check, keep, near, open, test } from './check.mjs';

const N = 60; // members: k = 1e3 100^(i/3/19), m = 1 + i % 3, every seventh failed, the last did not run (synthetic_study.h)
const cells = (page) => page.$$eval('.study-table tbody tr', (all) => all.map((r) => [...r.cells].map((c) => c.textContent)));
const head = (page) => page.$$eval('.study-table th', (e) => e.map((x) => x.textContent));

function make({ limber, synthetic, at }, name, method = '', members = N) {
    synthetic('study', `${name}.h5`, members, ...(method ? [method] : []));
    limber('view', `${name}.h5`, '--no-open');
    return at(`${name}.html`);
}

// drags along the canvas: from and to in pixels of it
async function drag(page, canvas, from, to) {
    const box = await (await page.$$('.study-canvas'))[canvas].boundingBox();
    await page.mouse.move(box.x + from[0], box.y + from[1]);
    await page.mouse.down();
    await page.mouse.move(box.x + (from[0] + to[0]) / 2, box.y + (from[1] + to[1]) / 2);
    await page.mouse.move(box.x + to[0], box.y + to[1]);
    await page.mouse.up();
}

async function testTable(chrome, tools) {
    const page = await open(chrome, make(tools, 'study'));
    check((await head(page)).join() === 'member,k,m,fixed,peak [m],sum,status,s', `columns: ${await head(page)}`);
    let rows = await cells(page);
    const failed = Array.from({ length: N - 1 }, (_, i) => i).filter((i) => i % 7 === 6).length;
    check(rows.length === N && rows[6][6] === 'solver failure' && rows[6][4] === '\u2013' && rows[N - 1][6] === 'not run', `rows: ${rows[6]}; ${rows[N - 1]}`);
    check((await page.$eval('.top .note', (e) => e.textContent)) === `grid: ${N} members, ${failed} failed, 1 not run`, 'the summary');
    // sorted by peak, downwards: the largest is sqrt(3/1000); what there is not comes last
    const th = (await page.$$('.study-table th'))[4];
    await th.click();
    await th.click();
    rows = await cells(page);
    near(Number(rows[0][4]), Math.sqrt(3e-3), 1e-5, 'the largest peak comes first');
    check(rows.slice(-failed - 1).every((r) => r[4] === '\u2013'), 'members without a number come last');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('ArrowDown');
    check((await page.$eval('.member h4', (e) => e.textContent)) === 'Member 3: done', 'the key goes to the first row as sorted');
    check((await page.$eval('.command', (e) => e.textContent)) === "limber run 'my models/spring.yaml' --set k=1000 --set m=3 --set fixed=7 -o member_3.h5", `command: ${await page.$eval('.command', (e) => e.textContent)}`);
    await page.evaluate(() => limber.app.choose(6)); // failed: its results were kept
    check((await page.$eval('.command', (e) => e.textContent)) === 'limber view study.members/000/000007.h5', 'the file of a failed member');
    check((await page.$eval('.member .warning', (e) => e.textContent)) === 'it broke', 'its message');

    // a range on the axis of m, which lies in the middle of four: k, m, peak, sum
    const { x, low, high } = await page.evaluate(() => { const p = limber.app.parallel; return { x: p.xOf(1), low: p.yOf(0.4), high: p.yOf(0.6) }; });
    await drag(page, 0, [x, low], [x, high]);
    rows = await cells(page);
    check(rows.length === N / 3 && rows.every((r) => r[2] === '2'), `members with m = 2: ${rows.length}`);
    check((await page.$eval('.count', (e) => e.textContent)) === `${N / 3} of ${N} members selected`, 'the count');
    const csv = (await page.evaluate(() => limber.app.csv())).trim().split('\n');
    check(csv.length === 1 + N / 3 && csv[0] === 'member,k,m,fixed,peak [m],sum,status', `CSV: ${csv.length} lines, ${csv[0]}`);
    check(csv.slice(1).every((l) => { const v = l.split(','); return v[4] === 'nan' || Number(v[4]) === Math.sqrt(Number(v[2]) / Number(v[1])); }), 'CSV to the last digit');
    await drag(page, 0, [x, low], [x, low]); // a click
    check((await cells(page)).length === N, 'a click on the axis clears its range');

    // a rectangle in the plot of peak over k: the left half, all heights
    const box = await page.evaluate(() => { const s = limber.app.scatter; return [s.toX(-0.02), s.toY(1.02), s.toX(0.5), s.toY(-0.02)]; });
    await drag(page, 1, [box[0], box[1]], [box[2], box[3]]);
    rows = await cells(page);
    const expected = Array.from({ length: N }, (_, i) => i).filter((i) => i !== N - 1 && i % 7 !== 6 && Math.floor(i / 3) / 19 <= 0.5).length;
    check(rows.length === expected, `members in the rectangle: ${rows.length} of ${expected}`);
    await page.keyboard.press('Escape');
    check((await cells(page)).length === N, 'Escape clears');
    // lines join members that differ in k alone, by k
    const lines = await page.evaluate(() => limber.app.scatter.lines());
    check(lines.length === 3 && lines.every((l) => l.length === N / 3 && l.every((k, i) => i === 0 || k === l[i - 1] + 3)), `lines: ${lines.map((l) => l.length)}`);
    // a click on a point chooses its member
    const at = await page.evaluate(() => limber.app.scatter.pointOf(30));
    await drag(page, 1, at, at);
    check(await page.evaluate(() => limber.app.chosen) === 30, 'a click on a point');
    const inked = await page.$$eval('.study-canvas', (all) => all.map((c) => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 60; return n; }));
    check(inked.length === 2 && inked.every((n) => n > 3000), `pixels: ${inked}`);
    await keep(page, tools.shots, 'study');
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
}

async function testIndices(chrome, tools) {
    const page = await open(chrome, make(tools, 'study_sobol', 'sobol'), { theme: 'dark' });
    // measure 0: first, low, high, total, .. of k: 0, 0.02, 0.04, 0.06 ..; of m 0.12, .. 0.18: m comes first; `fixed` does not vary
    check((await page.$$eval('.index-name', (e) => e.map((x) => x.textContent))).join() === 'm,k', 'parameters by their totals');
    const texts = await page.$$eval('.index-bar', (e) => e.map((x) => x.title));
    check(texts[0] === 'first: 0.12 (0.14 \u2026 0.16)' && texts[1] === 'total: 0.18 (0.2 \u2026 0.22)', `indices: ${texts}`);
    near(await page.$eval('.index-bar.total i', (e) => e.getBoundingClientRect().width / e.parentElement.getBoundingClientRect().width), 0.18, 1e-3, 'the length of a bar, of 0 to 1');
    await keep(page, tools.shots, 'study_sobol');
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
    const morris = await open(chrome, make(tools, 'study_morris', 'morris'));
    check((await morris.$$eval('.plane .name', (e) => e.map((x) => x.textContent))).join() === 'k,m' && (await morris.$$('.plane circle')).length === 2, 'the plane of Morris');
    check(morris.troubles.length === 0, morris.troubles.join('; '));
    await morris.close();
}

async function testStrange(chrome, tools) {
    const page = await open(chrome, make(tools, 'study_evil', 'evil'));
    await page.evaluate(() => limber.app.choose(6));
    check((await page.$$('img')).length === 0 && !(await page.evaluate(() => window.bitten)), 'names became part of the page');
    check((await page.$eval('.member .warning', (e) => e.textContent)).includes('<script>'), 'the message as it is');
    check(page.troubles.length === 0, page.troubles.join('; '));
    await page.close();
    const large = await open(chrome, make(tools, 'study_large', '', 6000)), start = Date.now();
    await large.evaluate(() => limber.app.setRange(limber.app.axes[0], [0, 0.5]));
    check(Date.now() - start < 3000, `a selection of 6000 members takes ${Date.now() - start} ms`);
    check((await cells(large)).length === 1000 && (await large.$eval('.table-box .note', (e) => e.textContent)) === 'The first 1000 of 3000 rows are listed.', 'the list is limited, and says so');
    check(large.troubles.length === 0, large.troubles.join('; '));
    await large.close();
    const phone = await open(chrome, tools.at('study_evil.html'), { width: 390, height: 800, touch: true });
    check((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, 'wider than the phone');
    await phone.close();
}

/** tools: of viewer.mjs. */
export async function testStudy(chrome, tools) {
    await test('study: table', () => testTable(chrome, tools));
    await test('study: indices', () => testIndices(chrome, tools));
    await test('study: strange', () => testStrange(chrome, tools));
}
