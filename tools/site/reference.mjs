// reference.mjs: the key reference folded by kind, with a filter.  Keys that several kinds share are shown once.
// Reads docs/guide/reference.md, which `limber reference` writes.
import { escape, htmlTable, slug } from './markdown.mjs';

const cells = (line) =>
    line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((c) => c.trim());

// [{name, text, kinds: [{name, text, rows}]}]; a section without kinds has one without a name
function parse(markdown) {
    const sections = [];
    let kind;
    for (const line of markdown.split('\n')) {
        const h2 = /^## (.*)/.exec(line),
            h3 = /^### (.*)/.exec(line);
        if (h2) {
            kind = { name: '', text: '', rows: [] };
            sections.push({ name: h2[1], kinds: [kind] });
        } else if (h3) {
            kind = { title: h3[1], name: h3[1].replace(/^.*: /, ''), text: '', rows: [] };
            sections.at(-1).kinds.push(kind);
        } else if (/^\| (key |---)/.test(line) || !kind) continue;
        else if (line.startsWith('|')) kind.rows.push(cells(line));
        else kind.text += `${line}\n`;
    }
    return sections;
}

// Rows of a kind by their first name: markers, markers.*.at, .. are one group.
function groups(rows) {
    const found = new Map();
    for (const row of rows) {
        const name = /^`([^.`[]+)/.exec(row[0])?.[1] ?? row[0];
        if (!found.has(name)) found.set(name, []);
        found.get(name).push(row);
    }
    return [...found].map(([name, rows]) => ({ name, rows, same: JSON.stringify(rows) }));
}

// Takes the groups that at least two kinds have alike out of them: [{name, rows, kinds}]
function takeShared(section) {
    const shared = new Map();
    for (const kind of section.kinds)
        for (const group of (kind.groups = groups(kind.rows))) {
            const entry = shared.get(group.same) ?? { ...group, kinds: [] };
            entry.kinds.push(kind);
            shared.set(group.same, entry);
        }
    const several = [...shared.values()].filter((g) => g.kinds.length > 1);
    for (const kind of section.kinds) {
        kind.shared = several.filter((g) => g.kinds.includes(kind));
        kind.own = kind.groups.filter((g) => !several.some((s) => s.same === g.same));
    }
    // two variants of one key get different anchors
    for (const g of several) {
        const first = several.find((s) => s.name === g.name) === g;
        g.id = `${section.name}.${g.name}${first ? '' : `.${g.kinds[0].name}`}`;
    }
    return several;
}

// which kinds have a group, in few words
function users(group, kinds) {
    const without = kinds.filter((k) => !group.kinds.includes(k)).map((k) => k.name);
    if (!without.length) return 'all types';
    return without.length < 3 ? `all but ${without.join(', ')}` : group.kinds.map((k) => k.name).join(', ');
}

const keyPath = (row) => row[0].replace(/[`\s]/g, '').replace(/[^\w.-]+/g, '_');
const table = (rows) => (rows.length ? htmlTable(['key', 'value', 'unit', 'required', 'meaning'], rows, 'keys') : '');
const fold = (id, title, note, body) =>
    `<details class="fold" id="${id}"><summary><b>${escape(title)}</b> <span>${note}</span></summary>${body}</details>`;

class Reference {
    ids = new Map(); // key as in keys.txt -> anchor
    shownAt = new Map(); // group of rows -> anchor
    toc = [];
    entries = []; // for the search

    constructor(text, keyLinks) {
        this.text = (t) => text(t.trim().replace(/\n+/g, ' '));
        this.keyLinks = keyLinks;
    }
    theory(key) {
        const mine = this.keyLinks.filter((l) => l.key === key);
        return mine.map((l) => `<a class="theory" href="../${l.url}">${l.label}</a>`).join(' ');
    }
    index(title, anchor, text, rows) {
        const words = rows.map((r) => `${r[0]} ${r[4]}`).join(' ');
        this.entries.push({ title, anchor, text: `${text} ${words}`.replace(/`/g, '') });
    }
    row(row, id, key) {
        const cells = row.map(this.text);
        cells[4] += ` ${this.theory(key)}`;
        return `<tr id="${id}">${cells.map((c) => `<td>${c}</td>`).join('')}</tr>`;
    }
    groupRows(name, group) {
        this.shownAt.set(group.same, `${name}.${keyPath(group.rows[0])}`);
        return group.rows.map((row) => {
            const key = `${name}.${keyPath(row)}`;
            this.ids.set(key, key);
            return this.row(row, key, key);
        });
    }
    // a kind with the keys that it alone has, and the names of those that are shown elsewhere
    kind(section, kind) {
        const name = [section.name, kind.name].filter(Boolean).join('.');
        const id = kind.title ? slug(kind.title) : section.name;
        this.ids.set(name, id);
        const isKnown = (g) => g.rows.length > 1 && this.shownAt.has(g.same);
        const known = kind.own.filter(isKnown).map((g) => ({ ...g, id: this.shownAt.get(g.same) }));
        const own = kind.own.filter((g) => !isKnown(g));
        const rows = own.flatMap((g) => this.groupRows(name, g));
        const elsewhere = [...kind.shared, ...known];
        for (const g of elsewhere) this.ids.set(`${name}.${g.name}`, g.id);
        if (!kind.title) return table(rows);
        this.index(
            kind.title,
            id,
            kind.text,
            own.flatMap((g) => g.rows),
        );
        const links = elsewhere.map((g) => `<a href="#${g.id}"><code>${g.name}</code></a>`).join(', ');
        const also = links && `<p class="also">Shared keys: ${links}</p>`;
        return fold(id, kind.title, `${this.text(kind.text)} ${this.theory(name)}`, table(rows) + also);
    }
    // the keys that several kinds of a section have, unless an earlier section has shown them
    shared(section, groups) {
        const rows = [];
        for (const g of groups) {
            const first = !this.shownAt.has(g.same),
                key = `${section.name}.*.${g.name}`;
            g.id = this.shownAt.get(g.same) ?? g.id;
            this.shownAt.set(g.same, g.id);
            this.ids.set(key, g.id);
            if (!first) continue;
            this.index(`${section.name}: ${g.name}`, g.id, '', g.rows);
            const [head, ...rest] = g.rows;
            const who = users(g, section.kinds.slice(1));
            rows.push(this.row([...head.slice(0, 4), `${head[4]} *(${who})*`], g.id, key));
            rows.push(...rest.map((row, i) => this.row(row, `${g.id}.${i + 1}`, '')));
        }
        if (!rows.length) return '';
        return fold(
            `${section.name}-shared`,
            `${section.name}: shared keys`,
            'What several types have in common.',
            table(rows),
        );
    }
    section(section) {
        const shared = this.shared(section, takeShared(section));
        const [own, ...kinds] = section.kinds.map((k) => this.kind(section, k));
        this.toc.push({ level: 2, id: section.name, text: section.name });
        return `<section class="filtered"><h2 id="${section.name}">${escape(section.name)}</h2>
<p>${this.text(section.kinds[0].text)} ${this.theory(section.name)}</p>${own}${shared}${kinds.join('\n')}</section>`;
    }
}

export function makeReference(page, texts, inline, keyLinks, complain) {
    const markdown = texts.get(page.source);
    const reference = new Reference((t) => inline(t, page), keyLinks);
    const [, title, intro] = /^# (.*)\n+([^#]*)/.exec(markdown);
    page.html = `<h1>${escape(title)}</h1><p>${reference.text(intro)}</p>
<p><input id="filter" type="search" placeholder="Filter keys, for example: friction" aria-label="Filter keys"></p>
${parse(markdown)
    .map((s) => reference.section(s))
    .join('\n')}`;
    Object.assign(page, { title, toc: reference.toc, sections: reference.entries, wide: true });
    for (const link of keyLinks) {
        link.anchor = reference.ids.get(link.key);
        if (!link.anchor) complain(`keys.txt:${link.number}: the reference has no key '${link.key}'`);
    }
}
