// dom.ts: builds elements without markup: text is never parsed as HTML, so nothing in a model can become part of the page.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith('on')) e.addEventListener(name.slice(2), value as EventListener);
        else if (name === 'class') e.className = String(value);
        else if (name === 'style') e.style.cssText = String(value);
        else e.setAttribute(name, value === true ? '' : String(value));
    }
    append(e, children);
    return e;
}

export function append(e: Element, children: Child[]): void {
    for (const c of children)
        if (c !== null && c !== undefined && c !== false) e.append(c instanceof Node ? c : String(c));
}

export function replace(e: Element, ...children: Child[]): void {
    e.replaceChildren();
    append(e, children);
}

/** An icon: paths of a 24 x 24 drawing, stroked in the colour of the text. */
export function icon(...paths: string[]): SVGSVGElement {
    const ns = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(ns, 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('class', 'icon');
    svg.setAttribute('aria-hidden', 'true');
    for (const d of paths) {
        const p = document.createElementNS(ns, 'path');
        p.setAttribute('d', d);
        svg.append(p);
    }
    return svg;
}

export function button(title: string, content: Child, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement {
    return h('button', { type: 'button', title, 'aria-label': title, onclick, ...attributes }, content);
}

/** What keys and mouse do, in a dialog of its own. */
export function showKeys(keys: [string, string][], note: string): void {
    const dialog = h('dialog', { class: 'keys' }, h('header', {}, h('h3', {}, 'Keyboard shortcuts'), button('Close', icon(...icons.close), () => dialog.close())),
        h('dl', {}, ...keys.flatMap(([k, text]) => [h('dt', {}, k), h('dd', {}, text)])),
        h('p', { class: 'note' }, note));
    dialog.onclick = (e) => void (e.target === dialog && dialog.close());
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
}

export function download(name: string, blob: Blob): void {
    const url = URL.createObjectURL(blob);
    const a = h('a', { href: url, download: name });
    document.body.append(a);
    a.click();
    a.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A number as text with the given number of significant digits, without trailing zeros. */
export function show(x: number | null | undefined, digits = 5): string {
    if (x === null || x === undefined || !Number.isFinite(x)) return x === undefined || x === null ? '\u2013' : String(x);
    if (x === 0) return '0';
    const size = Math.abs(x);
    if (size >= 1e6 || size < 1e-4) return x.toExponential(digits - 1).replace(/\.?0+e/, 'e');
    const text = x.toPrecision(digits);
    return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : String(Number(text));
}

/** A number whose width does not jump while it changes: at most 6 digits, `decimals` behind the point. */
export function steady(x: number, step: number): string {
    const decimals = step > 0 ? Math.min(9, Math.max(0, Math.ceil(-Math.log10(step)))) : 3;
    return x.toFixed(decimals);
}

export const icons = {
    play: ['M7 4.5v15l12-7.5z'],
    pause: ['M8 5v14M16 5v14'],
    first: ['M6 5v14M19 5l-9 7 9 7z'],
    previous: ['M15 6l-7 6 7 6'],
    next: ['M9 6l7 6-7 6'],
    loop: ['M4 11a8 8 0 0 1 14-5l2 2M20 3v5h-5M20 13a8 8 0 0 1-14 5l-2-2M4 21v-5h5'],
    fit: ['M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5'],
    camera: ['M4 8h3l2-3h6l2 3h3v11H4z', 'M12 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z'],
    film: ['M3 7h12v10H3zM15 11l6-4v10l-6-4z'],
    theme: ['M12 4a8 8 0 1 0 8 8 6 6 0 0 1-8-8z'],
    tree: ['M5 5h14M8 12h11M8 19h11M5 5v14h3M5 12h3'],
    chart: ['M4 4v16h16M7 15l4-5 3 3 5-7'],
    info: ['M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v6M12 7.5v.5'],
    eye: ['M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7z', 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z'],
    eyeOff: ['M4 4l16 16M9 5.5A10 10 0 0 1 12 5c6 0 10 7 10 7a18 18 0 0 1-3 3.7M6 7.5A18 18 0 0 0 2 12s4 7 10 7a9.5 9.5 0 0 0 4-.9'],
    trace: ['M3 17c3 0 3-10 7-10s3 8 6 8 3-6 5-6'],
    close: ['M6 6l12 12M18 6L6 18'],
    plus: ['M12 5v14M5 12h14'],
    save: ['M12 4v11M7 11l5 5 5-5M5 20h14'],
    keyboard: ['M3 6h18v12H3zM7 10h.1M11 10h.1M15 10h.1M8 14h8'],
    ortho: ['M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8'],
};
