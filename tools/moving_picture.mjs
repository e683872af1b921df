// tools/moving_picture.mjs PAGE.html OUT.webp WIDTHxHEIGHT FROM TO FRAMES HASH: a page of limber view from time FROM to TO as
// an animated WebP.  Needs Chromium, img2webp (Debian: webp) and the packages of tools/check_viewer.sh in PACKAGES
// (build/viewer-test).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { browser, open } from '../tests/viewer/check.mjs';

const [page, out, size, from, to, frames, hash = ''] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number), count = Number(frames);
const chrome = await browser(resolve(process.env.PACKAGES ?? 'build/viewer-test'), process.env.CHROMIUM ?? '/usr/bin/chromium');
const folder = mkdtempSync(join(tmpdir(), 'limber-frames-'));
try {
    const tab = await open(chrome, resolve(page), { width, height, hash });
    const files = [];
    for (let i = 0; i < count; i++) {
        const t = Number(from) + ((Number(to) - Number(from)) * i) / count;
        await tab.evaluate((time) => limber.player.seek(time), t);
        await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        files.push(join(folder, `${String(i).padStart(4, '0')}.png`));
        writeFileSync(files[i], await tab.screenshot());
    }
    execFileSync('img2webp', ['-loop', '0', '-lossy', '-q', '55', '-m', '6', '-d', '50', ...files, '-o', resolve(out)], { stdio: 'ignore' });
} finally {
    await chrome.close();
    rmSync(folder, { recursive: true });
}
