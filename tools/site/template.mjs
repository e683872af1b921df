// template.mjs: what every page has around its text: head, navigation, search, contents, previous and next.
import { relative } from './book.mjs';
import { escape } from './markdown.mjs';

// runs before the page is drawn, so that a dark page does not flash
const themeScript = `try{document.documentElement.dataset.theme=localStorage.getItem('limber-theme')||
(matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light')}catch{document.documentElement.dataset.theme='light'}`;

function navigation(book, page) {
    const sections = new Map();
    for (const p of book.filter((p) => !p.hidden)) {
        if (!sections.has(p.section)) sections.set(p.section, []);
        sections.get(p.section).push(p);
    }
    const entry = (p) => {
        const here = p === page || p.url === page.under ? ' aria-current="page"' : '';
        return `<li><a href="${relative(page.url, p.url)}"${here}>${escape(p.title)}</a></li>`;
    };
    const list = ([name, pages]) => {
        if (pages.length === 1) return `<ul class="single">${entry(pages[0])}</ul>`;
        const open = pages.some((p) => p.section === page.section) ? ' open' : '';
        return `<details${open}><summary>${name}</summary><ul>${pages.map(entry).join('')}</ul></details>`;
    };
    return [...sections].map(list).join('\n');
}

// headings of the second and third level
function contents(page) {
    const entries = (page.toc ?? []).filter((h) => h.level === 2 || h.level === 3);
    if (entries.length < 3) return '';
    const items = entries.map((h) => `<li class="level${h.level}"><a href="#${h.id}">${escape(h.text)}</a></li>`);
    return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}

function neighbours(book, page) {
    const i = book.indexOf(page);
    const link = (p, rel, label) =>
        p
            ? `<a rel="${rel}" href="${relative(page.url, p.url)}"><small>${label}</small>${escape(p.title)}</a>`
            : '<span></span>';
    return `<nav class="neighbours">${link(book[i - 1], 'prev', 'Previous')}${link(book[i + 1], 'next', 'Next')}</nav>`;
}

export function makePage(book, page, version) {
    const to = (url) => relative(page.url, url);
    const root = to('index.html').replace(/index\.html$/, '');
    return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.title)} · limber</title>
<script>${themeScript}</script>
<link rel="stylesheet" href="${to('assets/katex/katex.min.css')}">
<link rel="stylesheet" href="${to('assets/style.css')}">
<script defer src="${to('assets/site.js')}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<button id="menu" aria-label="Navigation" aria-expanded="false">☰</button>
<a class="brand" href="${to('index.html')}">limber <small>${escape(version)}</small></a>
<div class="search">
<input id="search" type="search" placeholder="Search" title="Press / to search" aria-label="Search" autocomplete="off">
<ol id="found" hidden></ol></div>
<button id="theme" aria-label="Light or dark theme">◐</button>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
${navigation(book, page)}
</nav>
<main id="text">
<article${page.wide ? ' class="wide"' : ''}>
${page.html}
</article>
${neighbours(book, page)}
</main>
${contents(page)}
</div>
</body>
</html>
`;
}
