// scale.ts: from values to colours: from zero, or over decades.

/** Values `low` and `high` have the first and the last colour; log: by their logarithms, both are powers of ten. */
export interface Scale {
    low: number;
    high: number;
    log: boolean;
}

export const linear = (high: number): Scale => ({ low: 0, high: high > 0 ? high : 1, log: false });

/** Whole decades that contain the values, at most six; linear if they span less than one. */
export function decades(values: Iterable<number>): Scale {
    const most = 6;
    let least = Infinity, largest = 0;
    for (const v of values) if (v > 0) (least = Math.min(least, v)), (largest = Math.max(largest, v));
    if (!(largest >= 10 * least)) return linear(largest);
    const high = Math.ceil(Math.log10(largest)), low = Math.max(Math.floor(Math.log10(least)), high - most);
    return { low: 10 ** low, high: 10 ** high, log: true };
}

/** From 0, the first colour, to 1, the last. */
export function fraction({ low, high, log }: Scale, value: number): number {
    const f = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return Math.min(1, Math.max(0, f));
}

/** Numbers at equal distances, the largest first. */
export function ticks({ low, high, log }: Scale): number[] {
    const count = log ? Math.round(Math.log10(high / low)) : 4;
    return Array.from({ length: count + 1 }, (_, i) => (log ? Number(`1e${Math.round(Math.log10(high)) - i}`) : high + (i / count) * (low - high)));
}
