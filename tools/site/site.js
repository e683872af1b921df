// site.js: theme, navigation on small screens, search, filter of keys, interactive pages.  Works from file://.
const root = document.documentElement.dataset.root;
const $ = (selector) => document.querySelector(selector);

// ---- theme and navigation -----------------------------------------------------------------------

$('#theme').onclick = () => {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    try {
        localStorage.setItem('limber-theme', theme);
    } catch {
        // without storage the choice lasts as long as the page
    }
    for (const frame of document.querySelectorAll('iframe[src]')) show(frame);
};
$('#menu').onclick = () => {
    const open = document.body.classList.toggle('menu-open');
    $('#menu').setAttribute('aria-expanded', open);
};
$('.pages [aria-current]')?.scrollIntoView({ block: 'center' });

// ---- a folded place is opened when a link leads to it -------------------------------------------

function unfold() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    target.scrollIntoView();
}
addEventListener('hashchange', unfold);
unfold();

// ---- search: the index is loaded when it is first needed ----------------------------------------

const load = (name) =>
    new Promise((resolve, reject) => {
        const script = document.createElement('script');
        script.src = `${root}assets/${name}`;
        script.onload = resolve;
        script.onerror = reject;
        document.head.append(script);
    });
let engine;
async function openIndex() {
    await Promise.all([load('minisearch.js'), load('search.js')]);
    const { options, index } = window.limberSearch;
    return window.MiniSearch.loadJSON(index, options);
}

function element(tag, className, text) {
    const e = document.createElement(tag);
    e.className = className;
    e.textContent = text;
    return e;
}
async function search() {
    engine ??= openIndex();
    const mini = await engine;
    const text = $('#search').value.trim();
    const hits = mini.search(text, { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 4, page: 2 } });
    const items = hits.slice(0, 20).map((hit) => {
        const link = element('a', '', '');
        link.href = root + hit.url;
        link.append(element('b', '', hit.title), element('small', '', hit.page), element('span', '', hit.start));
        const item = document.createElement('li');
        item.append(link);
        return item;
    });
    if (text && !items.length) items.push(element('li', 'none', 'Nothing found'));
    $('#found').replaceChildren(...items);
    $('#found').hidden = !text;
}
$('#search').onfocus = () => (engine ??= openIndex());
$('#search').oninput = search;
$('.search').onkeydown = (event) => {
    const links = [...document.querySelectorAll('#found a')];
    const at = links.indexOf(document.activeElement);
    if (event.key === 'Escape') $('#found').hidden = true;
    else if (event.key === 'Enter' && at < 0) links[0]?.click();
    else if (event.key === 'ArrowDown') (links[at + 1] ?? links[0])?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? $('#search')).focus();
    else return;
    if (event.key.startsWith('Arrow')) event.preventDefault();
};
addEventListener('keydown', (event) => {
    if (event.key !== '/' || /INPUT|TEXTAREA/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    $('#search').focus();
});
addEventListener('click', (event) => {
    if (!event.target.closest('.search')) $('#found').hidden = true;
    if (event.target.closest('#found a')) $('#found').hidden = true;
});

// ---- filter: rows of tables below folded headings -----------------------------------------------

const filter = $('#filter');
const has = (element, words) => words.every((w) => element.textContent.toLowerCase().includes(w));

// Hides the rows without the words; answers whether one is left.
function filterRows(rows, words) {
    for (const row of rows) row.hidden = !has(row, words);
    return [...rows].some((row) => !row.hidden);
}
function filterFold(fold, words) {
    const whole = has(fold.querySelector('summary'), words);
    const any = filterRows(fold.querySelectorAll('tbody tr'), whole ? [] : words) || whole;
    fold.hidden = !any;
    fold.open = words.length > 0 && any && !whole;
}
if (filter)
    filter.oninput = () => {
        const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        for (const fold of document.querySelectorAll('details.fold')) filterFold(fold, words);
        for (const section of document.querySelectorAll('section.filtered')) {
            const any = filterRows(section.querySelectorAll(':scope > .table tbody tr'), words);
            const folds = section.querySelectorAll('details.fold');
            section.hidden = words.length > 0 && !any && [...folds].every((f) => f.hidden);
        }
    };

// ---- interactive pages: loaded when they come into view -----------------------------------------

function show(frame) {
    frame.src = `${frame.dataset.src}#theme=${document.documentElement.dataset.theme}`;
}
const seen = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((e) => e.isIntersecting)) {
        seen.unobserve(entry.target);
        show(entry.target);
    }
});
for (const frame of document.querySelectorAll('iframe[data-src]')) seen.observe(frame);
