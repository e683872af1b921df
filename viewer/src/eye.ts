// eye.ts: the camera: where it looks from, and how far it sees.
import { Box3, OrthographicCamera, PerspectiveCamera, Sphere, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const corner = new Vector3();

export class Eye {
    camera: PerspectiveCamera | OrthographicCamera;
    onchange: () => void = () => undefined;
    controls: OrbitControls;
    box = new Box3(); // of the whole motion
    bounds = new Sphere(new Vector3(), 1); // around it

    private readonly perspective = new PerspectiveCamera(35, 1, 0.01, 100);
    private readonly orthographic = new OrthographicCamera(-1, 1, 1, -1, 0.01, 100);

    constructor(readonly canvas: HTMLCanvasElement, readonly up: Vector3, readonly size: number) {
        this.camera = this.perspective;
        for (const c of [this.perspective, this.orthographic]) c.up.copy(up);
        this.controls = this.makeControls();
    }

    /** Sets the box to be shown. */
    setBox(box: Box3): void {
        this.box = box;
        this.bounds = box.getBoundingSphere(new Sphere());
        this.bounds.radius = Math.max(this.bounds.radius, 0.05 * this.size);
    }
    /** Moves with the body it follows. */
    move(by: Vector3): void {
        this.controls.target.add(by);
        this.camera.position.add(by);
    }

    private makeControls(): OrbitControls {
        const controls = new OrbitControls(this.camera, this.canvas);
        controls.enableDamping = false;
        controls.zoomToCursor = true;
        controls.addEventListener('change', () => this.onchange());
        controls.addEventListener('start', () => (this.touched = true));
        return controls;
    }

    /** Directions to look from, by name. */
    direction(name: string): Vector3 {
        const flat = this.flatAxis(), { up } = this;
        const axes: Record<string, Vector3> = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
        if (name in axes) return axes[name];
        if (name[0] === '-' && name[1] in axes) return axes[name[1]].negate();
        const front = flat ?? (Math.abs(up.y) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0));
        if (name === 'back') front.negate();
        const right = up.clone().cross(front).normalize();
        return flat
            ? front.clone().addScaledVector(right, 0.36).addScaledVector(up, 0.3).normalize()
            : front.clone().addScaledVector(right, 0.8).addScaledVector(up, 0.55).normalize();
    }
    // a mechanism in a plane that holds `up` is looked at from the side
    private flatAxis(): Vector3 | null {
        const extent = this.box.getSize(new Vector3()), sizes = [extent.x, extent.y, extent.z];
        const largest = Math.max(...sizes);
        for (const [k, axis] of [[2, new Vector3(0, 0, 1)], [1, new Vector3(0, -1, 0)], [0, new Vector3(1, 0, 0)]] as [number, Vector3][])
            if (sizes[k] < 0.3 * largest && Math.abs(axis.dot(this.up)) < 0.1) return axis;
        return null;
    }

    private seen = '';
    private touched = false; // the user has moved the camera
    /** Restores the last chosen view, unless the user has moved the camera since. */
    refit(): void {
        this.resize();
        if (!this.touched) this.look(this.seen);
    }
    look(name: string): void {
        this.seen = name;
        this.touched = false;
        const from = this.direction(name), target = this.bounds.center.clone();
        const distance = this.fitDistance(from);
        this.controls.target.copy(target);
        // straight from above, `up` is no direction on the screen: lean a little
        if (Math.abs(from.dot(this.up)) > 0.999) from.addScaledVector(this.direction('').addScaledVector(this.up, -this.direction('').dot(this.up)), 1e-3).normalize();
        for (const c of [this.perspective, this.orthographic]) {
            c.position.copy(target).addScaledVector(from, distance);
            c.lookAt(target);
        }
        this.orthographic.zoom = 1;
        this.resize();
        this.controls.update();
        this.onchange();
    }
    /** Fits the box into the view without changing the direction. */
    fit(): void {
        const from = this.camera.position.clone().sub(this.controls.target).normalize();
        this.controls.target.copy(this.bounds.center);
        this.camera.position.copy(this.bounds.center).addScaledVector(from, this.fitDistance(from));
        this.orthographic.zoom = 1;
        this.resize();
        this.controls.update();
        this.onchange();
    }
    // the corners of the box as seen from a direction fill the picture up to a margin
    private fitDistance(from: Vector3): number {
        const view = new PerspectiveCamera();
        view.up.copy(this.up);
        view.position.copy(from);
        view.lookAt(0, 0, 0);
        const right = new Vector3(1, 0, 0).applyQuaternion(view.quaternion), upward = new Vector3(0, 1, 0).applyQuaternion(view.quaternion);
        const tan = Math.tan((this.perspective.fov * Math.PI) / 360), aspect = this.aspect();
        const corners = [this.box.min, this.box.max], margin = 0.06 * this.size;
        let distance = 0.1 * this.size;
        for (let k = 0; k < 8; k++) {
            corner.set(corners[k & 1].x, corners[(k >> 1) & 1].y, corners[(k >> 2) & 1].z).sub(this.bounds.center);
            const depth = corner.dot(from);
            distance = Math.max(distance, depth + (Math.abs(corner.dot(upward)) + margin) / tan, depth + (Math.abs(corner.dot(right)) + margin) / (tan * aspect));
        }
        return 1.03 * distance;
    }
    private aspect(): number {
        return Math.max(0.2, this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
    }

    get isOrthographic(): boolean {
        return this.camera === this.orthographic;
    }
    setOrthographic(on: boolean): void {
        const next = on ? this.orthographic : this.perspective;
        if (next === this.camera) return;
        next.position.copy(this.camera.position);
        next.quaternion.copy(this.camera.quaternion);
        const target = this.controls.target.clone();
        this.controls.dispose();
        this.camera = next;
        this.controls = this.makeControls();
        this.controls.target.copy(target);
        this.orthographic.zoom = 1;
        this.resize();
        this.controls.update();
        this.onchange();
    }

    resize(): void {
        const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
        if (width === 0 || height === 0) return;
        const distance = this.distance || this.size;
        const aspect = width / height, reach = 30 * this.bounds.radius + distance;
        this.perspective.aspect = aspect;
        this.perspective.near = distance / 400;
        this.perspective.far = reach;
        const halfHeight = distance * Math.tan((this.perspective.fov * Math.PI) / 360);
        Object.assign(this.orthographic, { left: -halfHeight * aspect, right: halfHeight * aspect, top: halfHeight, bottom: -halfHeight, near: -reach, far: reach });
        this.perspective.updateProjectionMatrix();
        this.orthographic.updateProjectionMatrix();
        this.onchange();
    }

    private get distance(): number {
        return this.camera.position.distanceTo(this.controls.target);
    }
    /** Before a picture is drawn; the height of what it shows, at the place it looks at. */
    open(): number {
        if (this.isOrthographic) return (this.orthographic.top - this.orthographic.bottom) / this.orthographic.zoom;
        this.perspective.near = Math.max(this.distance / 400, 1e-5 * this.size);
        this.perspective.far = this.distance + 30 * this.bounds.radius;
        this.perspective.updateProjectionMatrix();
        return 2 * this.distance * Math.tan((this.perspective.fov * Math.PI) / 360);
    }
}
