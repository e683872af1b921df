// study/spectrum.c: the frequency that dominates a history.
//
// Rows are interpolated at even times, the mean is taken off, a Hann window applied, and zeros added up to four times the length.  The peak
// of the spectrum lies at the top of the parabola through the logarithms of the largest amplitude and its neighbours.
#include "study/history.h"

#include <math.h>

enum { LONGEST = 1 << 20, PADDED = 4 };

// X_k = sum x_n exp(-2 pi i k n/N), in place; N a power of two
static void transform(double *re, double *im, long size) {
    for (long i = 1, k = 0; i < size; i++) {
        long bit = size >> 1;
        for (; k & bit; bit >>= 1) k ^= bit;
        k ^= bit;
        if (i >= k) continue;
        double a = re[i], b = im[i];
        re[i] = re[k], im[i] = im[k], re[k] = a, im[k] = b;
    }
    for (long half = 1; half < size; half *= 2)
        for (long j = 0; j < half; j++) {
            double c = cos(M_PI * (double)j / (double)half), s = -sin(M_PI * (double)j / (double)half);
            for (long i = j; i < size; i += 2 * half) {
                double a = c * re[i + half] - s * im[i + half], b = c * im[i + half] + s * re[i + half];
                re[i + half] = re[i] - a, im[i + half] = im[i] - b;
                re[i] += a, im[i] += b;
            }
        }
}

// x at `count` even times; returns its deviation
static double resample(double *out, long count, const lmb_history *h) {
    double begin = h->t[0], step = (h->t[h->count - 1] - begin) / (double)(count - 1), mean = 0, squares = 0;
    for (long i = 0, row = 0; i < count; i++) {
        double time = begin + step * (double)i;
        while (row + 2 < h->count && h->t[row + 1] <= time) row++;
        double span = h->t[row + 1] - h->t[row], w = span > 0 ? (time - h->t[row]) / span : 1;
        out[i] = (1 - w) * h->x[row] + w * h->x[row + 1];
        mean += out[i] / (double)count;
    }
    for (long i = 0; i < count; i++) out[i] -= mean, squares += out[i] * out[i];
    return sqrt(squares / (double)count) / (fabs(mean) + 1e-300);
}

// the largest of the amplitudes up to half the sampling rate, beyond the window's own width
static double peak(const double *re, const double *im, long size, long count) {
    long best = -1, first = 2 * size / count;
    double most = 0;
    for (long k = first > 1 ? first : 1; k < size / 2; k++) {
        double a = re[k] * re[k] + im[k] * im[k];
        if (a > most) most = a, best = k;
    }
    if (best < 1 || best + 1 >= size / 2) return NAN;
    double y[3];
    for (int i = 0; i < 3; i++) y[i] = log(hypot(re[best + i - 1], im[best + i - 1]) + 1e-300);
    double bend = y[0] - 2 * y[1] + y[2];
    return (double)best + (bend < 0 ? 0.5 * (y[0] - y[2]) / bend : 0);
}

double lmb_dominant_frequency(const lmb_history *h) {
    const double STILL = 1e-12;
    long count = h->count < LONGEST ? h->count : LONGEST, size = 1;
    if (count < 8 || !(h->t[h->count - 1] > h->t[0])) return NAN;
    while (size < PADDED * count) size *= 2;
    double *re = lmb_alloc(2 * (size_t)size, sizeof *re), *im = lmb_after(re, (size_t)size), found = NAN;
    if (re == NULL) return NAN;
    if (resample(re, count, h) > STILL) {
        for (long i = 0; i < count; i++) re[i] *= 0.5 - 0.5 * cos(2 * M_PI * (double)i / (double)(count - 1));
        transform(re, im, size);
        found =
            peak(re, im, size, count) * (double)(count - 1) / ((double)size * (h->t[h->count - 1] - h->t[0]));
    }
    lmb_free(re);
    return found;
}
