// build.mjs SOURCES OUT LIMBER: makes the site in OUT from the Markdown of SOURCES.  LIMBER (the program) makes the
// interactive pages of the gallery.  Exit code 1 if a link, an equation or a key cannot be resolved.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, extname, join, resolve } from 'node:path';
import { makeApi } from './api.mjs';
import { copyAssets, writeIndex } from './assets.mjs';
import { isTheory, locate, makeBook, read, relative } from './book.mjs';
import { makeGallery } from './gallery.mjs';
import { readKeyLinks, theoryNotes } from './keys.mjs';
import { codeBlock, equationNumbers, escape, makeMarkdown } from './markdown.mjs';
import { makeReference } from './reference.mjs';
import { makePage } from './template.mjs';
import { makeValidation } from './validation.mjs';

const [root, out, limber] = process.argv.slice(2).map((p) => resolve(p));
const problems = [];
const complain = (text) => problems.push(text);

const md = makeMarkdown();
const book = makeBook(root);
const api = makeApi(root);
const shown = new Set(); // files of the repository that pages link to
const texts = new Map(book.map((p) => [p.source, read(root, p.source)]));
for (const page of book) page.title ??= /^# (.*)/m.exec(texts.get(page.source))[1].replace(/[`*]/g, '');
const numbers = new Map(book.filter(isTheory).map((p) => [p.source, new Set(equationNumbers(texts.get(p.source)))]));

// ---- Markdown -----------------------------------------------------------------------------------

// What the rules of markdown.mjs ask about the page they are in.
function environment(page) {
    const link = (target) => {
        if (/^(https?:|mailto:|#)/.test(target)) return target;
        const [path, anchor] = target.split('#');
        const url = locate(root, book, shown, page.source, path);
        if (!url) complain(`${page.source}: link to '${target}', which is not there`);
        return relative(page.url, url ?? 'index.html') + (anchor ? `#${anchor}` : '');
    };
    const title = (target) =>
        book.find((p) => p.url === locate(root, book, shown, page.source, target.split('#')[0]))?.title;
    const equation = (file, n) => {
        const source = `docs/theory/${file}`;
        if (!numbers.get(source)?.has(n)) {
            if (file !== page.file) complain(`${page.source}: equation ${file} (${n}) does not exist`);
            return undefined;
        }
        return `${file === page.file ? '' : relative(page.url, source.replace(/^docs\/(.*)md$/, '$1html'))}#eq-${n}`;
    };
    return {
        page: page.file,
        theory: isTheory(page),
        link,
        title,
        equation,
        apiNames: api.names,
        apiUrl: relative(page.url, api.page.url),
    };
}

// Headings, and the plain text below each for the search.
function outline(tokens) {
    const toc = [],
        sections = [];
    tokens.forEach((token, i) => {
        if (token.type === 'heading_open') {
            const text = tokens[i + 1].content.replace(/[`*]/g, '');
            toc.push({ level: Number(token.tag[1]), id: token.attrGet('id'), text });
            sections.push({ title: text, anchor: token.attrGet('id'), text: '' });
        } else if (token.type === 'inline' && tokens[i - 1].type !== 'heading_open' && sections.length)
            sections.at(-1).text += token.content.replace(/!?\[([^\]]*)\]\([^)]*\)|[`*$|]|<[^>]+>/g, '$1') + ' ';
    });
    return { toc, sections };
}

function renderPage(page) {
    page.file = page.source.replace('docs/theory/', '');
    const env = environment(page);
    const tokens = md.parse(texts.get(page.source), env);
    Object.assign(page, outline(tokens));
    page.html = md.renderer.render(tokens, md.options, env);
    if (env.theory) page.html = theoryNotes(page, keyLinks);
}

// ---- all pages ----------------------------------------------------------------------------------

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const version = execFileSync(limber, ['--version'], { encoding: 'utf8' }).split(/[ ,]+/)[1];
copyAssets(root, out);
const keyLinks = readKeyLinks(numbers, texts, complain);
const bySource = (source) => book.find((p) => p.source === source);
const inline = (text, page) => md.renderInline(text, environment(page));
const render = (text, page) => md.render(text, environment(page));
const insertAfter = (page, pages) => book.splice(book.indexOf(page) + 1, 0, ...pages);

// pages that are more than their Markdown; the gallery comes first, as others link to its pages
const [gallery, reference, validation] = [
    'docs/guide/examples.md',
    'docs/guide/reference.md',
    'docs/validation.md',
].map(bySource);
insertAfter(
    book.findLast((p) => p.section === 'Reference'),
    [api.page],
);
insertAfter(gallery, await makeGallery(root, out, limber, gallery, texts, inline, console.error));
makeReference(reference, texts, inline, keyLinks, complain);
makeValidation(root, validation, texts, render, shown);
book.filter((p) => !p.html).forEach(renderPage);

for (const path of shown) {
    const language = { '.yaml': 'yaml', '.h': 'c', '.c': 'c', '.sh': 'bash', '.py': 'python' }[extname(path)];
    const html = `<h1>${escape(path)}</h1>${codeBlock(read(root, path), language)}`;
    book.push({ section: 'Files', hidden: true, url: `files/${path}.html`, title: path, html, wide: true });
}
for (const page of book) {
    mkdirSync(dirname(join(out, page.url)), { recursive: true });
    writeFileSync(join(out, page.url), makePage(book, page, version));
}
const entry = (page) => (s) => ({
    title: s.title,
    page: page.title,
    url: s.anchor ? `${page.url}#${s.anchor}` : page.url,
    text: s.text,
});
writeIndex(
    out,
    book.flatMap((page) => (page.sections ?? []).map(entry(page))),
);

for (const problem of problems) console.error(problem);
console.log(`wrote ${join(process.argv[3], 'index.html')} and ${book.length - 1} more pages`);
process.exitCode = problems.length ? 1 : 0;
