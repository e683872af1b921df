// build.mjs SOURCES OUT: bundles src/main.ts, styles and src/page.html into OUT/page.html, and that into OUT/page.c.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [sources, out] = process.argv.slice(2).map((p) => resolve(p));
const require = createRequire(join(out, 'package.json')); // packages lie beside the output
const esbuild = require('esbuild');

// a page holds these libraries, and may be passed on: their licences go with it
const licence = (name) => readFileSync(join(out, 'node_modules', name, 'LICENSE'), 'utf8').replaceAll('\u00a9', '(c)');
const licences = ['three', 'uplot'].map((name) => `${name}: ${licence(name).trim()}`).join('\n\n');

const result = await esbuild.build({
    entryPoints: [join(sources, 'src/main.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    nodePaths: [join(out, 'node_modules')],
    outdir: out,
    write: false,
    banner: { js: `/* limber viewer (BSD-3-Clause) with three.js and uPlot (MIT)\n\n${licences}\n*/` },
});
const text = (end) => result.outputFiles.find((f) => f.path.endsWith(end)).text.trim();
const script = text('.js'), style = text('.css');
for (const part of [script, style])
    if (/<!--|<\/(script|style)/i.test(part)) throw new Error('the bundle holds a tag that would end it');

// only this very script and these styles run: whatever a model says, nothing else can
const hash = (s) => `'sha256-${createHash('sha256').update(s).digest('base64')}'`;
const page = readFileSync(join(sources, 'src/page.html'), 'utf8')
    .replaceAll('{{script-hash}}', () => hash(script))
    .replaceAll('{{style}}', () => style)
    .replaceAll('{{script}}', () => script);
// eslint-disable-next-line no-control-regex
if (/[^\x00-\x7f]/.test(page)) throw new Error('the page must be plain ASCII');
writeFileSync(join(out, 'page.html'), page);

const bytes = Buffer.from(page + '\0', 'ascii');
const lines = [];
for (let i = 0; i < bytes.length; i += 32) lines.push(bytes.subarray(i, i + 32).join(','));
writeFileSync(
    join(out, 'page.c'),
    '// made by viewer/build.mjs\nextern const char *const cli_page, *const cli_page_missing;\n' +
        `static const char bytes[] = {\n${lines.join(',\n')}};\nconst char *const cli_page = bytes;\nconst char *const cli_page_missing = 0;\n`,
);
