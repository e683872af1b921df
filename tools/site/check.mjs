// check.mjs SOURCES SITE: checks a site that build.mjs made, and the equations that the sources cite.  Closes with
// `N passed, N failed`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import vm from 'node:vm';
import MiniSearch from 'minisearch';
import { equationNumbers } from './markdown.mjs';

const [root, site] = process.argv.slice(2).map((p) => resolve(p));
let passed = 0,
    failed = 0;
const check = (fine, text) => (fine ? passed++ : (failed++, console.log(text)));

// ---- the site -----------------------------------------------------------------------------------

const files = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile())
    .map((f) => join(f.parentPath ?? f.path, f.name));
const pages = new Map(); // file -> {text, ids}
const isView = (file) => relative(site, file).startsWith('gallery/view/'); // made by limber view, which has its own tests
for (const file of files.filter((f) => f.endsWith('.html') && !isView(f))) {
    const text = readFileSync(file, 'utf8').replace(/<script>[^]*?<\/script>/g, '');
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map((m) => m[1]);
    const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
    check(!twice.length, `${relative(site, file)}: id given twice: ${twice.join(', ')}`);
    pages.set(file, { text, ids: new Set(ids) });
}

const unescape = (s) => s.replace(/&amp;/g, '&').replace(/&quot;/g, '"');
function checkTarget(file, target) {
    const [path, anchor] = unescape(target).split('#');
    const other = path ? resolve(dirname(file), decodeURIComponent(path)) : file;
    const where = `${relative(site, file)}: ${target}`;
    if (!existsSync(other)) return check(false, `${where}: there is no such file`);
    if (!anchor || isView(other)) return check(true);
    check(pages.get(other)?.ids.has(decodeURIComponent(anchor)), `${where}: there is no such place`);
}
const isElsewhere = (target) => /^(https?:)?\/\//.test(target);
for (const [file, { text }] of pages)
    for (const [, tag, attributes] of text.matchAll(/<([a-z]+)\s([^>]*)>/g))
        for (const [, name, target] of attributes.matchAll(/(?:^|\s)(href|src|data-src)="([^"]*)"/g)) {
            if (/^(mailto|data):/.test(target)) continue;
            if (!isElsewhere(target)) checkTarget(file, target);
            else check(tag === 'a' && name === 'href', `${relative(site, file)}: <${tag}> loads ${target}`);
        }
for (const file of files.filter((f) => f.endsWith('.css')))
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/url\(["']?([^)"']+)/g))
        check(
            !isElsewhere(target) && existsSync(resolve(dirname(file), target)),
            `${relative(site, file)}: ${target} is not beside it`,
        );
for (const file of files.filter(isView))
    check(
        !/<(script|link|img|iframe)\b[^>]*\s(src|href)=["']?(https?:)?\/\//.test(readFileSync(file, 'utf8')),
        `${relative(site, file)} loads from elsewhere`,
    );

for (const model of readdirSync(join(root, 'examples')).filter((f) => f.endsWith('.yaml')))
    check(
        existsSync(join(site, `gallery/view/${model.replace(/yaml$/, 'html')}`)),
        `${model}: no interactive page in the gallery`,
    );

// ---- search: what people look for comes first ---------------------------------------------------

const window = {};
vm.runInNewContext(readFileSync(join(site, 'assets/search.js'), 'utf8'), { window });
const engine = MiniSearch.loadJSON(window.limberSearch.index, window.limberSearch.options);
const wanted = [
    ['friction', /forces|reference|model-file/],
    ['lmb_system_create', /^api/],
    ['generalized-alpha', /solvers/],
    ['four-bar', /first-model|gallery/],
    ['validate', /command-line|validation|guide/],
];
for (const [words, page] of wanted) {
    const hits = engine
        .search(words, { prefix: true, combineWith: 'AND', boost: { title: 4, page: 2 } })
        .slice(0, 5)
        .map((h) => h.url);
    check(
        hits.some((url) => page.test(url)),
        `search '${words}' gives ${hits.join(' ') || 'nothing'}`,
    );
}

// ---- equations that the sources cite: docs/theory/PAGE.md (n), (m) ------------------------------

const theory = new Map(
    readdirSync(join(root, 'docs/theory'))
        .filter((f) => f.endsWith('.md'))
        .map((f) => [f, equationNumbers(readFileSync(join(root, 'docs/theory', f), 'utf8'))]),
);
for (const [page, numbers] of theory) {
    const twice = numbers.filter((n, i) => numbers.indexOf(n) !== i);
    check(!twice.length, `docs/theory/${page}: equation given twice: ${twice.join(', ')}`);
}
const folders = ['src', 'include', 'tests', 'bench', 'viewer/src'];
const kinds = ['c', 'h', 'ts', 'mjs'].map((kind) => `--include=*.${kind}`);
const citing = execFileSync('grep', ['-rnE', '[a-z]+\\.md', ...folders, ...kinds], { cwd: root, encoding: 'utf8' });
const citation = /(docs\/theory\/)?([\w-]+\.md)((?:,? ?(?:and |to )?\([A-Z]?\d[\da-zA-Z-]*\))*)/g;
for (const line of citing.trim().split('\n')) {
    const [, where, text] = /^([^:]+:\d+):(.*)/.exec(line);
    for (const [, folder, page, cited] of text.matchAll(citation)) {
        if (folder) check(theory.has(page), `${where}: there is no docs/theory/${page}`);
        for (const n of theory.has(page) ? (cited.match(/[A-Z]?\d+[a-z]?/g) ?? []) : [])
            check(theory.get(page).includes(n), `${where}: ${page} has no equation (${n})`);
    }
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
