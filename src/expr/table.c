// expr/table.c: piecewise linear tables and natural cubic splines through given points.
//
// A table is constant outside its points.  A spline has y'' = 0 at both ends and goes on as a straight line,
// so it is twice continuously differentiable everywhere.
#include "expr/program.h"

void lmb_knots_free(lmb_knots *p) {
    lmb_free(p->x);
    lmb_free(p->y);
    *p = (lmb_knots){0};
}

int lmb_table_piece(const double *knots, int n, double at) {
    int low = 0, high = n; // knots[low - 1] <= at < knots[high]
    while (low < high) {
        int mid = (low + high) / 2;
        if (knots[mid] <= at) low = mid + 1;
        else high = mid;
    }
    return low;
}

double lmb_table_line(const double *points, int n, int k, double x, double *slope) {
    const double *y = points + n;
    *slope = 0;
    if (k == 0) return y[0];
    if (k == n) return y[n - 1];
    // y = y0 + (x - x0) (y1 - y0) / (x1 - x0)
    *slope = (y[k] - y[k - 1]) / (points[k] - points[k - 1]);
    return y[k - 1] + (x - points[k - 1]) * *slope;
}

// y = a y0 + b y1 + ((a^3 - a) m0 + (b^3 - b) m1) h^2/6,  b = (x - x0)/h,  a = 1 - b,  m = y''
static lmb_jet cubic(const double *points, int n, int k, double x) {
    const double *y = points + n + k, *m = points + 2 * n + k;
    double h = points[k] - points[k - 1], b = (x - points[k - 1]) / h, a = (points[k] - x) / h;
    return (lmb_jet){
        a * y[-1] + b * y[0] + ((a * a * a - a) * m[-1] + (b * b * b - b) * m[0]) * h * h / 6,
        (y[0] - y[-1]) / h + ((1 - 3 * a * a) * m[-1] + (3 * b * b - 1) * m[0]) * h / 6,
        a * m[-1] + b * m[0],
    };
}

lmb_jet lmb_spline_at(const double *points, int n, double x) {
    int k = lmb_table_piece(points, n, x);
    if (k > 0 && k < n) return cubic(points, n, k, x);
    int end = k == 0 ? 0 : n - 1;
    lmb_jet s = cubic(points, n, k == 0 ? 1 : n - 1, points[end]);
    return (lmb_jet){points[n + end] + s.d * (x - points[end]), s.d, 0};
}

// h0/6 m0 + (h0 + h1)/3 m1 + h1/6 m2 = (y2 - y1)/h1 - (y1 - y0)/h0,  m = 0 at both ends
void lmb_spline_fit(double *points, int n, double *scratch) {
    const double *x = points, *y = points + n;
    double *m = points + 2 * n, *c = scratch;
    m[0] = c[0] = m[n - 1] = 0;
    for (int i = 1; i < n - 1; i++) {
        double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
        double pivot = (h0 + h1) / 3 - h0 / 6 * c[i - 1];
        c[i] = h1 / 6 / pivot;
        m[i] = ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0 - h0 / 6 * m[i - 1]) / pivot;
    }
    for (int i = n - 2; i > 0; i--) m[i] -= c[i] * m[i + 1];
}
