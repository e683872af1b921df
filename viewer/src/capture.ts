// capture.ts: screenshots and videos of the scene.
import { download } from './dom';
import type { Player } from './player';
import type { View3D } from './view3d';

/** The scene as PNG; drawn and read in one go, as the buffer is not kept. */
export function screenshot(view: View3D): Promise<Blob | null> {
    view.render();
    return new Promise((done) => view.canvas.toBlob(done, 'image/png'));
}

export function canRecord(canvas: HTMLCanvasElement): boolean {
    return typeof MediaRecorder !== 'undefined' && typeof canvas.captureStream === 'function' && filmType() !== null;
}
function filmType(): string | null {
    return ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((t) => MediaRecorder.isTypeSupported(t)) ?? null;
}

/** Plays once from start to end and records the canvas. */
export class Recorder {
    private recorder: MediaRecorder | null = null;
    constructor(private view: View3D, private player: Player, private name: () => string, private onchange: () => void) {}

    get active(): boolean {
        return this.recorder !== null;
    }
    start(done: (film: Blob) => void = (film) => download(`${this.name()}.webm`, film)): void {
        const parts: Blob[] = [], { player } = this, loop = player.loop;
        const recorder = new MediaRecorder(this.view.canvas.captureStream(60), { mimeType: filmType()!, videoBitsPerSecond: 8e6 });
        this.recorder = recorder;
        recorder.ondataavailable = (e) => e.data.size > 0 && parts.push(e.data);
        recorder.onstop = () => {
            this.recorder = null;
            player.loop = loop;
            player.onend = () => undefined;
            player.play(false);
            this.onchange();
            done(new Blob(parts, { type: 'video/webm' }));
        };
        player.loop = false;
        player.onend = () => setTimeout(() => this.stop(), 150); // the last picture, too
        player.seek(player.start);
        recorder.start(250);
        player.play(true);
        this.onchange();
    }
    stop(): void {
        if (this.recorder?.state === 'recording') this.recorder.stop();
    }
}
