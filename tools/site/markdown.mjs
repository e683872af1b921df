// markdown.mjs: Markdown to HTML: anchors, links, highlighted code, mathematics, links to equations.
import hljs from 'highlight.js/lib/common';
import julia from 'highlight.js/lib/languages/julia';
import matlab from 'highlight.js/lib/languages/matlab';
import katex from 'katex';
import MarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';

hljs.registerLanguage('julia', julia);
hljs.registerLanguage('matlab', matlab);

// as on Git forges, so that a link to a heading works on both
export const slug = (text) =>
    text
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-');

export const escape = (s) =>
    s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

export const highlight = (code, language) =>
    hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escape(code);

export const codeBlock = (code, language) =>
    `<pre class="code"><code class="hljs">${highlight(code, language)}</code></pre>\n`;

// rows: the cells as HTML, or a whole <tr>
export function htmlTable(heads, rows, className = '') {
    const head = heads.map((h) => `<th>${h}</th>`).join('');
    const body = rows.map((r) => (Array.isArray(r) ? `<tr>${r.map((c) => `<td>${c}</td>`).join('')}</tr>` : r));
    return `<div class="table"><table class="${className}"><thead><tr>${head}</tr></thead>
<tbody>${body.join('\n')}</tbody></table></div>`;
}

const math = (tex, displayMode) =>
    katex.renderToString(tex, { displayMode, fleqn: true, strict: 'error', throwOnError: true });

export const equationNumbers = (text) => [...text.matchAll(/\\tag\{(\w+)\}/g)].map((m) => m[1]);

// ```math, with an anchor for every number in it
function equations(tex) {
    const ids = equationNumbers(tex).map((n) => `<span class="eq" id="eq-${n}"></span>`);
    return `<div class="math">${ids.join('')}${math(tex, true)}</div>\n`;
}

// $..$ and $`..`$, as Git forges have them
function inlineMath(state, silent) {
    const found = /^\$`([^`]+)`\$|^\$([^\s$](?:[^$]*[^\s$\\])?)\$(?!\d)/.exec(state.src.slice(state.pos));
    if (!found) return false;
    if (!silent) state.push('math', '', 0).content = found[1] ?? found[2];
    state.pos += found[0].length;
    return true;
}

// Letters that stand alone in the prose of the theory are symbols.  (a, A, I are words, initials have a point, m and s
// in brackets or between commas are units.)
const lone = /(?<![\w'’.&;/-]|\d )(?!(?<=[(,] ?)[ms][,;)])([b-z](?![\w'’/-])|[B-HJ-Z](?![\w'’-]|\.[ -]\p{Lu}))/gu;

// "page.md (3)" and "(3)" in the theory lead to their equation
function linkEquations(html, env) {
    const link = (page, n, text) => {
        const url = env.equation(page, n);
        return url ? `<a class="eqref" href="${url}">${text}</a>` : text;
    };
    return html
        .replace(/\b([\w-]+\.md) \((\w+)\)/g, (all, page, n) => link(page, n, all))
        .replace(/(?<!\w)\(([SH]?\d+[a-z]?)\)(?!<\/a>)/g, (all, n) => link(env.after ?? env.page, n, all));
}

function textRule(tokens, i, options, env) {
    const html = escape(tokens[i].content);
    if (!env.theory || tokens[i].meta?.link) return html;
    // right behind a link to another page the numbers are those of that page
    const before = tokens[i - 1]?.type === 'link_close' ? tokens[i - 1].meta?.file : undefined;
    const [, head, rest] = before ? /^((?:,? (?:and )?\(\w+\))*)(.*)$/s.exec(html) : [0, '', html];
    const linked = linkEquations(head, { ...env, after: before }) + linkEquations(rest, env);
    return linked.replace(/(<[^>]*>)|([^<]+)/g, (all, tag, text) => tag ?? text.replace(lone, '<i>$1</i>'));
}

// Links and pictures are rewritten by env.link(target); inside links no further links are made, and the name of a file
// becomes the title of its page.
function rewriteLinks(state) {
    for (const block of state.tokens.filter((t) => t.children)) {
        let open = null;
        for (const token of block.children) {
            if (token.type === 'link_open') {
                open = token.attrGet('href');
                token.attrSet('href', state.env.link(open));
            } else if (token.type === 'link_close') {
                token.meta = { file: open?.replace(/#.*/, '') };
                open = null;
            } else if (token.type === 'image') token.attrSet('src', state.env.link(token.attrGet('src')));
            else if (open !== null) {
                token.meta = { link: true };
                if (/^[\w./-]+\.md$/.test(token.content)) token.content = state.env.title(open) ?? token.content;
            }
        }
    }
}

export function makeMarkdown() {
    const md = new MarkdownIt({ html: true, typographer: false });
    md.use(anchor, { slugify: slug, permalink: anchor.permalink.headerLink({ safariReaderFix: true }) });
    md.inline.ruler.before('escape', 'math', inlineMath);
    md.core.ruler.push('links', rewriteLinks);
    md.renderer.rules.math = (tokens, i) => math(tokens[i].content, false);
    md.renderer.rules.text = textRule;
    md.renderer.rules.code_inline = (tokens, i, options, env) => {
        const code = `<code>${escape(tokens[i].content)}</code>`,
            name = /^\w+/.exec(tokens[i].content)?.[0];
        return env.apiNames?.has(name) && !tokens[i].meta?.link
            ? `<a href="${env.apiUrl}#${name}">${code}</a>`
            : code;
    };
    md.renderer.rules.table_open = () => '<div class="table"><table>\n';
    md.renderer.rules.table_close = () => '</table></div>\n';
    md.renderer.rules.fence = (tokens, i) => {
        const [language, name] = tokens[i].info.trim().split(/\s+/);
        if (language === 'math') return equations(tokens[i].content);
        const caption = name ? `<div class="file">${escape(name)}</div>` : '';
        const code = tokens[i].content.replace(/^# not run\n/, ''); // for tools/check_readme.sh
        return caption + codeBlock(code, language === 'sh' ? 'bash' : language);
    };
    return md;
}
