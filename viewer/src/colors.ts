// colors.ts: colours of bodies.
import { Color, SRGBColorSpace } from 'three';

export const palette = ['#5b8db8', '#d98c4a', '#6aa56f', '#b5656b', '#8a78b0', '#a08a5b', '#c78aa8', '#6f9a9a'];

/** A colour a person wrote, as the browser understands it; null if it does not. */
export function readColor(text: string | undefined): Color | null {
    if (!text || !CSS.supports('color', text)) return null;
    const context = document.createElement('canvas').getContext('2d')!;
    context.fillStyle = text;
    const normal = context.fillStyle; // #rrggbb or rgba(..)
    if (normal.startsWith('#')) return new Color(normal);
    const parts = normal.match(/[\d.]+/g);
    return parts ? new Color().setRGB(Number(parts[0]) / 255, Number(parts[1]) / 255, Number(parts[2]) / 255, SRGBColorSpace) : null;
}

// black would look like a hole: shapes need some brightness to be visible
export function visible(color: Color): Color {
    const light = 0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b;
    return light < 0.03 ? color.lerp(new Color('#5a626b'), 0.6) : color;
}
