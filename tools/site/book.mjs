// book.mjs: the pages of the site in their order, and where a file of the repository is found on it.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

// pages of the guide that are looked up rather than read
const lookedUp = ['reference', 'expressions', 'command-line', 'flexible-body-file', 'study-file', 'c-api'];

export const read = (root, path) => readFileSync(join(root, path), 'utf8');

// Markdown files of a folder in the order in which its README names them; those it does not name come last.
function folderPages(root, folder) {
    const named = [...read(root, `${folder}/README.md`).matchAll(/\]\(([\w-]+\.md)/g)].map((m) => m[1]);
    const there = readdirSync(join(root, folder)).filter((f) => f.endsWith('.md') && f !== 'README.md');
    return [...new Set([...named, ...there])].filter((f) => there.includes(f)).map((f) => `${folder}/${f}`);
}

// A page has a source (a file of the repository) or html (made by one of the generators).
const fromFile = (section, source, url, more = {}) => ({ section, source, url, ...more });

export function makeBook(root) {
    const guide = folderPages(root, 'docs/guide').filter((s) => s !== 'docs/guide/examples.md');
    const isLookedUp = (s) => lookedUp.includes(posix.basename(s, '.md'));
    const page = (section) => (s) => fromFile(section, s, s.replace(/^docs\//, '').replace(/\.md$/, '.html'));
    return [
        fromFile('limber', 'README.md', 'index.html', { title: 'Overview' }),
        fromFile('Guide', 'docs/guide/README.md', 'guide/index.html', { title: 'Guide' }),
        ...guide.filter((s) => !isLookedUp(s)).map(page('Guide')),
        fromFile('Gallery', 'docs/guide/examples.md', 'gallery/index.html', { title: 'Gallery' }),
        ...guide.filter(isLookedUp).map(page('Reference')),
        fromFile('Theory', 'docs/theory/README.md', 'theory/index.html', { title: 'Theory' }),
        ...folderPages(root, 'docs/theory').map(page('Theory')),
        fromFile('Validation', 'docs/validation.md', 'validation.html', { title: 'Validation' }),
        fromFile('Project', 'CHANGELOG.md', 'changelog.html', { title: 'Changelog' }),
        fromFile('Project', 'CONTRIBUTING.md', 'contributing.html', { title: 'Contributing' }),
    ];
}

export const isTheory = (page) => page.source?.startsWith('docs/theory/') ?? false;

// The way from one page of the site to another.
export const relative = (from, to) => posix.relative(posix.dirname(from), to) || posix.basename(to);

// Where a link of a Markdown file leads on the site: a page, a copied picture, or a file that is shown as it is
// (added to `shown`).  Answers undefined for what the repository does not have.
export function locate(root, book, shown, source, target) {
    const path = posix.normalize(posix.join(posix.dirname(source), target)).replace(/\/$/, '');
    const page = book.find((p) => p.source === path || p.source === `${path}/README.md`);
    if (page) return page.url;
    const shows = book.find((p) => p.shows?.has(path));
    if (shows) return shows.shows.get(path);
    if (!existsSync(join(root, path))) return undefined;
    if (path.startsWith('docs/images/')) return path.replace(/^docs\//, '');
    if (statSync(join(root, path)).isDirectory()) return undefined;
    shown.add(path);
    return `files/${path}.html`;
}
