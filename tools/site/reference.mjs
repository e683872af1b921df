// reference.mjs: the key reference folded by kind, with a filter.  Keys that several kinds share are shown once.  Reads docs/guide/reference.md, which `limber reference` writes.
import { escape, slug } from './markdown.mjs';

const cells = (line) => line.slice(1, -1).split(/(?<!\\)\|/).map((c) => c.trim());

// [{name, text, kinds: [{name, text, rows}]}]; a section without kinds has one without a name
function parse(markdown) {
    const sections = [];
    let kind;
    for (const line of markdown.split('\n')) {
        const h2 = /^## (.*)/.exec(line), h3 = /^### (.*)/.exec(line);
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
    several.forEach((g) => (g.id = `${section.name}.${g.name}${several.find((s) => s.name === g.name) === g ? '' : `.${g.kinds[0].name}`}`));
    return several;
}

// which kinds have a group, in few words
function users(group, kinds) {
    const without = kinds.filter((k) => !group.kinds.includes(k)).map((k) => k.name);
    if (!without.length) return 'all types';
    return without.length < 3 ? `all but ${without.join(', ')}` : group.kinds.map((k) => k.name).join(', ');
}

export function makeReference(page, texts, inline, keyLinks, complain) {
    const sections = parse(texts.get(page.source));
    const ids = new Map(); // key as in keys.txt -> anchor
    const shownAt = new Map(); // group of rows -> anchor
    const linksOf = (key) => keyLinks.filter((l) => l.key === key).map((l) => `<a class="theory" href="../${l.url}">${l.label}</a>`);
    const words = (rows) => rows.map((r) => `${r[0]} ${r[4]}`).join(' ');
    const index = (title, anchor, t) => page.sections.push({ title, anchor, text: t.replace(/`/g, '') });
    const text = (t) => inline(t.trim().replace(/\n+/g, ' '), page);

    const rowHtml = (row, id, keys) => {
        const [key, value, unit, required, meaning] = row.map(text);
        const theory = keys.flatMap(linksOf).join(' ');
        return `<tr id="${id}"><td>${key}</td><td>${value}</td><td>${unit}</td><td>${required}</td><td>${meaning} ${theory}</td></tr>`;
    };
    const path = (row) => row[0].replace(/[`\s]/g, '').replace(/[^\w.-]+/g, '_');
    const table = (rows) => `<div class="table"><table class="keys"><thead><tr><th>key</th><th>value</th><th>unit</th>
<th>required</th><th>meaning</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
    const fold = (id, title, note, body) =>
        `<details class="fold" id="${id}"><summary><b>${escape(title)}</b> <span>${note}</span></summary>${body}</details>`;

    const kindHtml = (section, kind) => {
        const name = [section.name, kind.name].filter(Boolean).join('.');
        const id = kind.title ? slug(kind.title) : `${section.name}-keys`;
        ids.set(name, kind.title ? id : section.name);
        const known = kind.own.filter((g) => g.rows.length > 1 && shownAt.has(g.same)).map((g) => ({ ...g, id: shownAt.get(g.same) }));
        const own = kind.own.filter((g) => !known.some((k) => k.same === g.same)).flatMap((g) => {
            shownAt.set(g.same, `${name}.${path(g.rows[0])}`);
            return g.rows.map((row) => {
                const key = `${name}.${path(row)}`;
                ids.set(key, key);
                return rowHtml(row, key, [key]);
            });
        });
        const elsewhere = [...kind.shared, ...known];
        for (const g of elsewhere) ids.set(`${name}.${g.name}`, g.id);
        const theory = linksOf(name).join(' ');
        const also = elsewhere.map((g) => `<a href="#${g.id}"><code>${g.name}</code></a>`).join(', ');
        const body = `${own.length ? table(own) : ''}${also ? `<p class="also">Shared keys: ${also}</p>` : ''}`;
        if (!kind.title) return own.length ? table(own) : '';
        index(kind.title, id, `${kind.text} ${words(kind.own.flatMap((g) => g.rows))}`);
        return fold(id, kind.title, `${text(kind.text)} ${theory}`, body);
    };
    const sectionHtml = (section) => {
        const shared = takeShared(section);
        for (const g of shared) {
            g.first = !shownAt.has(g.same);
            g.id = shownAt.get(g.same) ?? g.id;
            shownAt.set(g.same, g.id);
        }
        for (const g of shared) ids.set(`${section.name}.*.${g.name}`, g.id);
        const kinds = section.kinds.map((k) => kindHtml(section, k));
        for (const g of shared.filter((g) => g.first)) index(`${section.name}: ${g.name}`, g.id, words(g.rows));
        const sharedRows = shared.filter((g) => g.first).flatMap((g) => g.rows.map((row, i) => {
            const who = users(g, section.kinds.slice(1));
            const marked = i ? row : [...row.slice(0, 4), `${row[4]} *(${who})*`];
            return rowHtml(marked, i ? `${g.id}.${i}` : g.id, i ? [] : [`${section.name}.*.${g.name}`]);
        }));
        const sharedHtml = sharedRows.length ? fold(`${section.name}-shared`, `${section.name}: shared keys`, 'What several types have in common.', table(sharedRows)) : '';
        page.toc.push({ level: 2, id: section.name, text: section.name });
        return `<section class="filtered"><h2 id="${section.name}">${escape(section.name)}</h2><p>${text(section.kinds[0].text)} ${linksOf(section.name).join(' ')}</p>${kinds[0]}
${sharedHtml}${kinds.slice(1).join('\n')}</section>`;
    };
    const [first] = /^# (.*)\n/.exec(texts.get(page.source)).slice(1);
    const intro = /^# .*\n+([^#]*)/.exec(texts.get(page.source))[1];
    Object.assign(page, { title: first, toc: [], sections: [], wide: true });
    const body = sections.map(sectionHtml).join('\n');
    page.html = `<h1>${escape(first)}</h1><p>${text(intro)}</p>
<p><input id="filter" type="search" placeholder="Filter keys, for example: friction" aria-label="Filter keys"></p>${body}`;
    for (const link of keyLinks) {
        link.anchor = ids.get(link.key);
        if (!link.anchor) complain(`keys.txt:${link.number}: the reference has no key '${link.key}'`);
    }
}
