// tests/viewer/check.mjs: a small test harness: checks, and pages in a real Chromium whose every request is seen.
import { createRequire } from 'node:module';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

let passed = 0, failed = 0, where = '';

export function check(ok, text) {
    if (ok) passed++;
    else {
        failed++;
        console.log(`${where}: ${text}`);
    }
    return ok;
}
export function near(a, b, tolerance, text) {
    const d = Math.abs(a - b);
    return check(d <= tolerance, `${text}: ${a} and ${b} differ by ${d}, allowed ${tolerance}`);
}
/** Runs a test; LIMBER_TEST=TEXT: only those with TEXT in their names. */
export async function test(name, run) {
    if (!name.includes(process.env.LIMBER_TEST ?? '')) return;
    where = name;
    const start = Date.now();
    try {
        await run();
    } catch (e) {
        check(false, e.stack ?? String(e));
    }
    console.log(`${name}  ${((Date.now() - start) / 1000).toFixed(1)} s`);
}
export function finish() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed ? 1 : 0;
}

/** Chromium with WebGL in software; packages lie in the folder `packages`. */
export async function browser(packages, program) {
    const puppeteer = createRequire(join(packages, 'package.json'))('puppeteer-core');
    return puppeteer.launch({
        executablePath: program, headless: true,
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--hide-scrollbars', '--disable-dev-shm-usage'],
    });
}

/** Opens a page from a file, a script `before` first; after that `troubles` holds what the console complained about and what left the page. */
export async function open(chrome, file, { width = 1280, height = 800, touch = false, theme = 'light', hash = '', before = '' } = {}) {
    const page = await chrome.newPage();
    const troubles = [];
    page.on('console', (m) => ['error', 'warn', 'warning', 'assert'].includes(m.type()) && !/GPU stall due to ReadPixels/.test(m.text()) && troubles.push(`console: ${m.text()}`));
    page.on('pageerror', (e) => troubles.push(`error: ${e.message}`));
    const own = pathToFileURL(file).href;
    page.on('request', (r) => r.url() !== own && !/^(data|blob):/.test(r.url()) && troubles.push(`request: ${r.url()}`));
    await page.setViewport({ width, height, hasTouch: touch, isMobile: touch });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    if (before) await page.evaluateOnNewDocument(before);
    const start = Date.now();
    await page.goto(hash ? `${own}#${hash}` : own);
    await page.waitForSelector('body.ready, .failure', { timeout: 60000 });
    page.opened = Date.now() - start;
    page.troubles = troubles;
    return page;
}

/** Colours of the scene as drawn at a time: pixels that differ from the background, and a hash of all. */
export function look(page, time) {
    return page.evaluate((t) => {
        if (t !== null) limber.setTime(t);
        else limber.setTime(limber.player.time);
        const from = document.querySelector('canvas.scene'), c = document.createElement('canvas');
        c.width = 320;
        c.height = 200;
        const context = c.getContext('2d', { willReadFrequently: true });
        context.drawImage(from, 0, 0, 320, 200);
        const d = context.getImageData(0, 0, 320, 200).data, colors = new Set();
        let inked = 0;
        for (let i = 0; i < d.length; i += 4) {
            colors.add((d[i] >> 3) * 1024 + (d[i + 1] >> 3) * 32 + (d[i + 2] >> 3));
            if (Math.abs(d[i] - d[0]) + Math.abs(d[i + 1] - d[1]) + Math.abs(d[i + 2] - d[2]) > 60) inked++;
        }
        return { colors: colors.size, inked, pixels: [...d] };
    }, time ?? null);
}
export function differing(a, b) {
    let n = 0;
    for (let i = 0; i < a.pixels.length; i += 4)
        if (Math.abs(a.pixels[i] - b.pixels[i]) + Math.abs(a.pixels[i + 1] - b.pixels[i + 1]) + Math.abs(a.pixels[i + 2] - b.pixels[i + 2]) > 40) n++;
    return n;
}

export async function keep(page, folder, name) {
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${basename(name)}.png`) });
}

/** A CSV file of limber export: names and columns. */
export function readCsv(text) {
    const [head, ...rows] = text.trim().split('\n');
    const names = head.split(',').map((n) => n.replace(/ \[.*\]$/, ''));
    const numbers = rows.map((r) => r.split(',').map(Number));
    return Object.fromEntries(names.map((n, k) => [n, numbers.map((r) => r[k])]));
}
