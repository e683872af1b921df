// math/vec2.h: vectors in a plane as values.
#ifndef LMB_VEC2_H
#define LMB_VEC2_H

typedef struct vec2 {
    double x, y;
} vec2;

static const vec2 V2_ZERO = {0, 0};
static inline vec2 v2(double x, double y) { return (vec2){x, y}; }
static inline vec2 v2_add(vec2 a, vec2 b) { return (vec2){a.x + b.x, a.y + b.y}; }
static inline vec2 v2_scale(double s, vec2 a) { return (vec2){s * a.x, s * a.y}; }
// a + s b
static inline vec2 v2_madd(vec2 a, double s, vec2 b) { return (vec2){a.x + s * b.x, a.y + s * b.y}; }
static inline double v2_dot(vec2 a, vec2 b) { return a.x * b.x + a.y * b.y; }
// n . (a x b)
static inline double v2_cross(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }
// n x a
static inline vec2 v2_across(vec2 a) { return (vec2){-a.y, a.x}; }
// a turned by the angle with this cosine and sine, and back
static inline vec2 v2_turn(double c, double s, vec2 a) {
    return (vec2){c * a.x - s * a.y, s * a.x + c * a.y};
}
static inline vec2 v2_turn_back(double c, double s, vec2 a) {
    return (vec2){c * a.x + s * a.y, c * a.y - s * a.x};
}

#endif
