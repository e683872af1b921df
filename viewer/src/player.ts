// player.ts: the current time and how playback advances it.

export class Player {
    time = 0;
    playing = false;
    loop = true;
    speed = 1;
    start = 0;
    end = 0;
    onchange: (what: 'time' | 'state') => void = () => undefined;
    onend: () => void = () => undefined;
    private last = 0;

    setRange(start: number, end: number): void {
        this.start = start;
        this.end = end;
        this.speed = niceSpeed(end - start);
        this.playing = false;
        this.seek(start);
        this.onchange('state');
    }
    seek(t: number): void {
        this.time = Math.min(this.end, Math.max(this.start, Number.isFinite(t) ? t : this.start));
        this.onchange('time');
    }
    play(on: boolean): void {
        if (on && this.end <= this.start) return;
        if (on && this.time >= this.end) this.seek(this.start);
        this.playing = on;
        this.last = 0;
        this.onchange('state');
    }
    setSpeed(f: number): void {
        this.speed = f;
        this.onchange('state');
    }
    /** Called for each picture with the clock in ms. */
    tick(now: number): void {
        if (!this.playing) return;
        const passed = this.last > 0 ? Math.min(0.25, (now - this.last) / 1000) : 0;
        this.last = now;
        let t = this.time + passed * this.speed;
        if (t > this.end) {
            if (this.loop) t = this.start + ((t - this.start) % (this.end - this.start));
            else {
                this.playing = false;
                t = this.end;
                this.onchange('state');
                this.onend();
            }
        }
        this.seek(t);
    }
}

export const speeds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

// real time, unless that would be too short or take minutes
function niceSpeed(duration: number): number {
    if (duration <= 0 || (duration >= 1.5 && duration <= 60)) return 1;
    const wanted = duration / (duration < 1.5 ? 4 : 30);
    return speeds.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
}
