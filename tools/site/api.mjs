// api.mjs: the C API as a page, read from include/limber/*.h.  The conventions of these headers: the comment on top
// is the introduction, "// ---- name ---" begins a section, a comment describes the declarations right below it up to
// an empty line or the next comment, and what comes through `T **out` is owned by the caller.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { read } from './book.mjs';
import { codeBlock, escape, slug } from './markdown.mjs';

const order = ['limber.h', 'status.h', 'fe.h'];
const isNoise = (line) => /^#|^extern "C"|^}$/.test(line);
const comment = (line) => /^\/\/ ?(.*)/.exec(line)?.[1];

// Declarations of a header: {intro, sections: [{name, blocks: [{text, code}]}]}
function parseHeader(source) {
    const lines = source.split('\n');
    const end = lines.findIndex((l) => !l.startsWith('//'));
    const header = { intro: lines.slice(0, end).map(comment), sections: [{ name: '', blocks: [] }] };
    let text = [],
        block = null;
    for (let i = end; i < lines.length; i++) {
        const line = lines[i],
            note = comment(line);
        const rule = /^-{4} (.*?) -+$/.exec(note ?? '');
        if (rule) header.sections.push({ name: rule[1], blocks: [] });
        if (rule || line === '' || isNoise(line)) [text, block] = [[], null];
        else if (note !== undefined) [text, block] = [[...(block ? [] : text), note], null];
        else {
            const first = i;
            for (let depth = 0; ; i++) {
                const bare = lines[i].replace(/\/\/.*/, '');
                depth += bare.split('{').length - bare.split('}').length;
                if (depth === 0 && bare.includes(';')) break;
            }
            block ??= (header.sections.at(-1).blocks.push({ text, code: [] }), header.sections.at(-1).blocks.at(-1));
            block.code.push(lines.slice(first, i + 1).join('\n'));
        }
    }
    return header;
}

// What a declaration declares: functions, types, values of enumerations.
export function declared(code) {
    const bare = code.replace(/\/\/.*/g, '');
    if (bare.startsWith('typedef')) {
        const name = /\(\*(\w+)\)\(/.exec(bare.replace(/\{[^]*\}/, ''))?.[1] ?? /(\w+);\s*$/.exec(bare)[1];
        return [name, ...(bare.startsWith('typedef enum') ? bare.match(/\bLMB_\w+/g) : [])];
    }
    return [/\b(lmb_\w+)\(/.exec(bare)?.[1]].filter(Boolean);
}

// "*out is yours": how to free what comes through a pointer to a pointer
function ownership(code, names) {
    const notes = [...code.replace(/\/\/.*/g, '').matchAll(/\b(\w+) \*\*(\w+)[,)]/g)].map(([, type, name]) => {
        const release = type === 'char' ? 'lmb_text_release' : `${type}_destroy`;
        return names.has(release) && !code.startsWith('typedef')
            ? `The caller owns \`*${name}\` and frees it with \`${release}\`.`
            : '';
    });
    return notes.filter(Boolean).join(' ');
}

const prose = (text, link) =>
    escape(text).replace(/`([^`]+)`|\b(lmb_\w+)\b(?!\.h)/g, (all, code, name) =>
        code ? `<code>${link(code)}</code>` : link(name),
    );

export function makeApi(root) {
    const there = readdirSync(join(root, 'include/limber')).filter((f) => f.endsWith('.h'));
    const files = [...order.filter((f) => there.includes(f)), ...there.filter((f) => !order.includes(f)).sort()];
    const headers = files.map((file) => ({ file, ...parseHeader(read(root, `include/limber/${file}`)) }));
    const names = new Set(
        headers.flatMap((h) => h.sections.flatMap((s) => s.blocks.flatMap((b) => b.code.flatMap(declared)))),
    );
    const link = (name) =>
        names.has(name.replace(/\(\)$/, '')) ? `<a href="#${name.replace(/\(\)$/, '')}">${name}</a>` : name;

    const toc = [],
        sections = [],
        given = new Set();
    const heading = (level, text, id) => {
        toc.push({ level, text, id });
        return `<h${level} id="${id}">${escape(text)}</h${level}>`;
    };
    const anchors = (code) =>
        declared(code)
            .filter((n) => !given.has(n) && given.add(n))
            .map((n) => `<span id="${n}"></span>`);
    const blockHtml = (block) => {
        const html = codeBlock(block.code.join('\n'), 'c').replace(/\blmb_\w+|\bLMB_\w+/g, (name) => link(name));
        const owned = block.code.map((c) => ownership(c, names));
        const notes = [...new Set([block.text.join(' '), ...owned])]
            .filter(Boolean)
            .map((n) => `<p>${prose(n, link)}</p>`);
        for (const name of block.code.flatMap((c) => declared(c).slice(0, 1)))
            sections.push({ title: name, anchor: name, text: block.text.join(' ') });
        return `<div class="api">${block.code.flatMap(anchors).join('')}${html}${notes.join('')}</div>`;
    };
    const headerHtml = (h) => {
        const title = heading(2, `<limber/${h.file}>`, h.file);
        const parts = h.sections
            .filter((s) => s.blocks.length)
            .map((s) => {
                const name = s.name && s.name[0].toUpperCase() + s.name.slice(1);
                return (name ? heading(3, name, slug(s.name)) : '') + s.blocks.map(blockHtml).join('\n');
            });
        const [first, ...rest] = h.intro;
        const paragraphs = rest
            .join('\n')
            .split(/\n\n+/)
            .map((p) => p.replace(/^\n/, ''))
            .filter((p) => p.trim());
        const intro = [first.replace(/^limber\/\S+ (.)/, (all, letter) => letter.toUpperCase()), ...paragraphs].map(
            (p) => (p.startsWith('    ') ? `<pre class="code">${escape(p)}</pre>` : `<p>${prose(p, link)}</p>`),
        );
        return `${title}${intro.join('')}${parts.join('\n')}`;
    };
    const html = `<h1>C API</h1><p>Every function and type of the library, from its headers.</p>
${headers.map(headerHtml).join('\n')}`;
    const page = { section: 'Reference', url: 'api/index.html', title: 'C API', html, toc, sections, wide: true };
    page.shows = new Map(files.map((f) => [`include/limber/${f}`, `api/index.html#${f}`]));
    return { page, names };
}
