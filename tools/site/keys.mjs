// keys.mjs: links between keys of the model file and the theory, in both directions, from keys.txt:
//     KEY PAGE (n)        or    KEY PAGE #heading
// KEY is SECTION.KIND, SECTION.KIND.KEY, SECTION.*.KEY (of every kind that has it) or SECTION.
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { escape, slug } from './markdown.mjs';

const headings = (text) => new Set([...text.matchAll(/^#+ (.*)$/gm)].map((m) => slug(m[1])));

// [{key, page, target, url, label}]; the end in the theory is checked here, the key by reference.mjs
export function readKeyLinks(numbers, texts, complain) {
    const file = fileURLToPath(new URL('keys.txt', import.meta.url));
    const lines = readFileSync(file, 'utf8')
        .split('\n')
        .map((l, i) => [l.replace(/(^|\s)#\s.*/, '').trim(), i + 1]);
    return lines
        .filter(([line]) => line)
        .map(([line, number]) => {
            const [, key, page, n, heading] = /^(\S+)\s+(\S+\.md)\s+(?:\((\w+)\)|#(\S+))$/.exec(line) ?? [];
            if (!key) throw new Error(`keys.txt:${number}: expected KEY PAGE (n) or KEY PAGE #heading`);
            const source = `docs/theory/${page}`;
            const there = n ? numbers.get(source)?.has(n) : headings(texts.get(source) ?? '').has(heading);
            if (!there)
                complain(`keys.txt:${number}: ${page} has no ${n ? `equation (${n})` : `heading #${heading}`}`);
            const target = n ? `eq-${n}` : heading;
            const label = page.replace('.md', '') + (n ? ` (${n})` : '');
            return { key, page, target, label, number, url: `theory/${page.replace('.md', '.html')}#${target}` };
        });
}

// The theory page with a line "Model file: ..." below each equation or heading that keys lead to.
export function theoryNotes(page, keyLinks) {
    let html = page.html;
    const mine = keyLinks.filter((l) => l.page === page.file && l.anchor);
    for (const target of new Set(mine.map((l) => l.target))) {
        const links = mine
            .filter((l) => l.target === target)
            .map((l) => `<a href="../guide/reference.html#${l.anchor}"><code>${escape(l.key)}</code></a>`);
        const note = `<p class="keys">Model file: ${links.join(', ')}</p>`;
        const at = html.indexOf(`id="${target}"`);
        const end = target.startsWith('eq-') ? '</div>' : '>\n';
        const after = html.indexOf(end, at) + end.length;
        html = html.slice(0, after) + note + html.slice(after);
    }
    return html;
}
