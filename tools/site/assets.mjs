// assets.mjs: what the pages load, all of it copied beside them: styles, fonts, scripts, pictures, the search index.
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';

const require = createRequire(import.meta.url);
const here = fileURLToPath(new URL('.', import.meta.url)); // Node.js 18 has no import.meta.dirname

export function copyAssets(root, out) {
    const assets = join(out, 'assets');
    mkdirSync(join(assets, 'katex/fonts'), { recursive: true });
    for (const file of ['style.css', 'site.js']) cpSync(join(here, file), join(assets, file));
    const katex = join(dirname(require.resolve('katex/package.json')), 'dist');
    // every browser that runs the pages reads woff2
    const styles = readFileSync(join(katex, 'katex.min.css'), 'utf8').replace(
        /,url\([^)]*\.(woff|ttf)\) format\("[a-z]+"\)/g,
        '',
    );
    writeFileSync(join(assets, 'katex/katex.min.css'), styles);
    for (const font of readdirSync(join(katex, 'fonts')).filter((f) => f.endsWith('.woff2')))
        cpSync(join(katex, 'fonts', font), join(assets, 'katex/fonts', font));
    cpSync(join(dirname(require.resolve('minisearch')), '../umd/index.js'), join(assets, 'minisearch.js'));
    cpSync(join(root, 'docs/images'), join(out, 'images'), { recursive: true });
}

// One entry for each heading, its text indexed.  A script and not JSON, so that it loads without a server.
export const searchOptions = { fields: ['title', 'page', 'text'], storeFields: ['title', 'page', 'url', 'start'] };

export function writeIndex(out, entries) {
    const index = new MiniSearch(searchOptions);
    index.addAll(entries.map((e, id) => ({ id, ...e, start: e.text.slice(0, 140) })));
    const data = { options: searchOptions, index: JSON.stringify(index) };
    writeFileSync(join(out, 'assets/search.js'), `window.limberSearch = ${JSON.stringify(data)};\n`);
}
