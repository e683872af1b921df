// gallery.mjs: every model of examples/ with its picture, its interactive page and its file.  Groups, order and
// descriptions are those of docs/guide/examples.md; the pages are made by `limber run` and `limber view`.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative as pathRelative } from 'node:path';
import { promisify } from 'node:util';
import { read } from './book.mjs';
import { codeBlock, escape, slug } from './markdown.mjs';

const run = promisify(execFile);
const frames = '300'; // keeps the pages small

// [{group, name, text}] from the tables of examples.md, and the examples it does not name
function readExamples(root, markdown) {
    const found = [];
    let group = '';
    for (const line of markdown.split('\n')) {
        group = /^## (.*)/.exec(line)?.[1] ?? group;
        const row = /\[(\w+)\.yaml\]\([^)]*\)\**<br>(.*?)<br>/.exec(line);
        if (row) found.push({ group, name: row[1], text: row[2] });
    }
    const files = readdirSync(join(root, 'examples'))
        .filter((f) => f.endsWith('.yaml'))
        .map((f) => f.slice(0, -5));
    const missing = files.filter((f) => !found.some((e) => e.name === f));
    return [
        ...found.filter((e) => files.includes(e.name)),
        ...missing.map((name) => ({ group: 'More', name, text: '' })),
    ];
}

// Makes OUT/gallery/view/NAME.html; answers why it could not, if so.
async function makeView(root, out, limber, name) {
    const work = join(out, 'gallery/work'),
        results = pathRelative(root, join(work, `${name}.h5`));
    mkdirSync(work, { recursive: true });
    const options = {
        cwd: root,
        timeout: 120000,
        env: { ...process.env, LIMBER_CACHE: join(work, 'cache'), OPENBLAS_NUM_THREADS: '1' },
    };
    try {
        await run(limber, ['run', '-q', `examples/${name}.yaml`, '-o', results], options);
        await run(
            limber,
            ['view', results, '-o', join(out, `gallery/view/${name}.html`), '--frames', frames, '--no-open'],
            options,
        );
    } catch (error) {
        return (error.stderr || error.message)
            .trim()
            .split('\n')
            .at(-1)
            .replace(/^error: /, '');
    }
}

function examplePage(root, example, trouble, inline, index) {
    const { name, text } = example;
    const file = read(root, `examples/${name}.yaml`);
    const title = /^title: *["']?(.*?)["']?$/m.exec(file)?.[1] ?? name;
    const image = `images/example_${name}.webp`;
    const picture = existsSync(join(root, 'docs', image))
        ? `<img src="../${image}" alt="${escape(title)}" width="480" height="320">`
        : '';
    const view = trouble
        ? `<p class="trouble">There is no interactive page: ${escape(trouble)}</p>`
        : `<iframe data-src="view/${name}.html" title="${escape(title)}, interactive"></iframe>
<p><a href="view/${name}.html">Open the interactive page alone</a></p>`;
    const commands = `limber run examples/${name}.yaml -o ${name}.h5\nlimber view ${name}.h5\n`;
    const html = `<h1>${escape(title[0].toUpperCase() + title.slice(1))}</h1>
<div class="example">${picture}<div><p>${inline(text, index)}</p>${codeBlock(commands, 'bash')}</div></div>
${view}<h2 id="model">examples/${name}.yaml</h2>${codeBlock(file, 'yaml')}`;
    const head = /^(#.*\n)*/.exec(file)[0].replace(/^# ?/gm, '');
    return {
        section: 'Gallery',
        hidden: true,
        under: index.url,
        url: `gallery/${name}.html`,
        title,
        html,
        wide: true,
        source: `examples/${name}.yaml`,
        sections: [{ title, text: `${name} ${text} ${head}` }],
        picture,
        text,
        name,
        group: example.group,
    };
}

export async function makeGallery(root, out, limber, index, texts, inline, note) {
    const examples = readExamples(root, texts.get(index.source));
    mkdirSync(join(out, 'gallery/view'), { recursive: true });
    const troubles = new Map(),
        queue = examples.map((e) => e.name);
    const worker = async () => {
        for (let name; (name = queue.shift());) {
            const trouble = await makeView(root, out, limber, name);
            troubles.set(name, trouble);
            if (trouble) note(`no interactive page of ${name}: ${trouble}`);
        }
    };
    await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
    rmSync(join(out, 'gallery/work'), { recursive: true, force: true });

    const pages = examples.map((e) => examplePage(root, e, troubles.get(e.name), inline, index));
    const card = (p) => `<a class="card" href="${p.name}.html">${p.picture}<b>${escape(p.title)}</b>
<span>${inline(p.text, index)}</span></a>`;
    const cards = (group) =>
        pages
            .filter((p) => p.group === group)
            .map(card)
            .join('');
    const groups = [...new Set(pages.map((p) => p.group))];
    index.toc = groups.map((g) => ({ level: 2, id: slug(g), text: g }));
    index.sections = [{ title: 'Gallery', text: 'examples pictures interactive' }];
    index.wide = true;
    index.html = `<h1>Gallery</h1><p>Every example, with a picture, its interactive page and its model file.</p>
${groups.map((g) => `<h2 id="${slug(g)}">${escape(g)}</h2><div class="cards">${cards(g)}</div>`).join('\n')}`;
    return pages;
}
