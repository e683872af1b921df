// readback.ts: nodes and stresses as the graphics card computes them, for tests: the same shader code, read by transform feedback.
import type { WebGLRenderer } from 'three';
import type { FlexMesh } from './flexmesh';

/** x, y, z in the body frame and the von Mises stress of every node. */
export function readNodes(renderer: WebGLRenderer, mesh: FlexMesh, chunk: string): Float32Array {
    const gl = renderer.getContext() as WebGL2RenderingContext;
    const compile = (type: number, source: string) => {
        const s = gl.createShader(type)!;
        gl.shaderSource(s, source);
        gl.compileShader(s);
        if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s) ?? 'shader');
        return s;
    };
    const program = gl.createProgram()!;
    gl.attachShader(program, compile(gl.VERTEX_SHADER, `#version 300 es
        precision highp float; precision highp int;
        in vec3 rest; out vec4 moved;
        ${chunk}
        void main() { moved = vec4(rest + exaggeration * displacement(gl_VertexID), vonMises(gl_VertexID)); gl_Position = vec4(0.0); }`));
    gl.attachShader(program, compile(gl.FRAGMENT_SHADER, '#version 300 es\nprecision highp float; out vec4 c; void main() { c = vec4(0.0); }'));
    gl.transformFeedbackVaryings(program, ['moved'], gl.SEPARATE_ATTRIBS);
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? 'program');

    const { data } = mesh, rest = new Float32Array(3 * data.nodes), shapes = data.modes + data.second;
    for (let i = 0; i < data.nodes; i++) for (let c = 0; c < 3; c++) rest[3 * i + c] = data.x[c * data.nodes + i];
    const from = gl.createBuffer(), to = gl.createBuffer(), array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, from);
    gl.bufferData(gl.ARRAY_BUFFER, rest, gl.STATIC_DRAW);
    const at = gl.getAttribLocation(program, 'rest');
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
    gl.useProgram(program);
    const place = (name: string) => gl.getUniformLocation(program, name);
    for (const [unit, name] of (['modeMap', 'stressMap', 'elasticMap'] as const).entries()) {
        gl.activeTexture(gl.TEXTURE0 + unit);
        gl.bindTexture(gl.TEXTURE_2D, (renderer.properties.get(mesh[name]) as { __webglTexture: WebGLTexture }).__webglTexture);
        gl.uniform1i(place(name), unit);
    }
    gl.uniform1i(place('nodeCount'), data.nodes);
    gl.uniform1i(place('modeCount'), shapes);
    gl.uniform1i(place('stressCount'), data.stress ? data.stress.length / (6 * data.nodes) : 0);
    gl.uniform1i(place('elasticCount'), data.modes);
    gl.uniform1i(place('restMode'), shapes);
    gl.uniform1f(place('exaggeration'), mesh.scaleFactor);
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, to);
    const out = new Float32Array(4 * data.nodes);
    gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, out.byteLength, gl.STREAM_READ);
    gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, null);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, to);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArrays(gl.POINTS, 0, data.nodes);
    gl.endTransformFeedback();
    gl.disable(gl.RASTERIZER_DISCARD);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
    gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, to);
    gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, out);
    gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, null);
    for (const b of [from, to]) gl.deleteBuffer(b);
    gl.deleteVertexArray(array);
    gl.deleteProgram(program);
    renderer.resetState();
    return out;
}
