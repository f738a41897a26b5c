/* draw/axis.c - nice ticks. */
#include "draw/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the smallest of 1, 2, 5 x 10^k that is >= raw
static double nice_step(double raw) {
    double power = pow(10, floor(log10(raw)));
    double lead = raw / power;
    double nice = lead <= 1 + 1e-9 ? 1 : lead <= 2 + 1e-9 ? 2 : lead <= 5 + 1e-9 ? 5 : 10;
    return nice * power;
}

// 1234567.5 -> 1,234,567.5 with a true minus sign
static void write_number(char *out, size_t size, double v, int decimals) {
    char digits[64];
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(v));
    int whole = (int)strcspn(digits, ".");
    size_t k = 0;
    if (v < 0) k = (size_t)snprintf(out, size, "\u2212");
    for (int i = 0; digits[i] && k + 2 < size; i++) {
        // four digits need no comma
        if (whole > 4 && i && i < whole && (whole - i) % 3 == 0) out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = 0;
}

static void write_power(char *out, size_t size, int exponent) {
    static const char *const raised[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", exponent < 0 ? -exponent : exponent);
    size_t k = (size_t)snprintf(out, size, "10%s", exponent < 0 ? "\u207B" : "");
    for (int i = 0; digits[i] && k + 4 < size; i++)
        k += (size_t)snprintf(out + k, size - k, "%s", raised[digits[i] - '0']);
}

static void label_linear(bex_axis *a, double step) {
    double largest = fmax(fabs(a->lo), fabs(a->hi));
    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    for (int i = 0; i < a->count; i++) {
        char *out = a->text[i];
        size_t size = sizeof a->text[i];
        if (largest >= 1e10 || decimals > 5)
            snprintf(out, size, "%.3g", a->at[i]);
        else if (largest >= 1e6 && step >= 1e4) {
            int places = step >= 1e6 ? 0 : step >= 1e5 ? 1 : 2;
            write_number(out, size - 2, a->at[i] / 1e6, places);
            if (a->at[i] != 0) strcat(out, "M");
            if (a->at[i] == 0) strcpy(out, "0");
        } else
            write_number(out, size, a->at[i], decimals);
    }
}

static void fit_linear(bex_axis *a, bool exact, int most) {
    double step = nice_step((a->hi - a->lo) / most);
    if (!exact) {
        a->lo = floor(a->lo / step + 1e-9) * step;
        a->hi = ceil(a->hi / step - 1e-9) * step;
    }
    double first = ceil(a->lo / step - 1e-9), last = floor(a->hi / step + 1e-9);
    for (double k = first; k <= last && a->count < BEX_AXIS_TICKS; k++)
        a->at[a->count++] = k == 0 ? 0 : k * step;
    label_linear(a, step);
}

static void fit_log(bex_axis *a, bool exact, int most) {
    if (!exact) {
        a->lo = pow(10, floor(log10(a->lo) + 1e-9));
        a->hi = pow(10, ceil(log10(a->hi) - 1e-9));
    }
    int first = (int)ceil(log10(a->lo) - 1e-9), last = (int)floor(log10(a->hi) + 1e-9);
    if (last - first < 1) {
        // hardly a decade: the ticks of a linear axis, placed by their logarithms
        fit_linear(a, true, most);
        return;
    }
    int every = (last - first) / most + 1;
    for (int e = first; e <= last && a->count < BEX_AXIS_TICKS; e += every) {
        char *out = a->text[a->count];
        a->at[a->count++] = pow(10, e);
        if (e >= -3 && e <= 4)
            write_number(out, sizeof *a->text, pow(10, e), e < 0 ? -e : 0);
        else
            write_power(out, sizeof *a->text, e);
    }
}

void bex_axis_fit(bex_axis *a, double lo, double hi, bool log, bool exact, int most) {
    *a = (bex_axis){.lo = lo, .hi = hi, .log = log};
    if (most < 2) most = 2;
    if (most > 12) most = 12;
    if (!isfinite(lo) || !isfinite(hi) || lo > hi) a->lo = log ? 1 : 0, a->hi = log ? 10 : 1;
    if (log && a->lo <= 0) a->lo = a->hi > 0 ? a->hi / 1e3 : 1;
    if (log && a->hi <= a->lo) a->hi = a->lo * 10;
    // too narrow for double steps: a range around the value
    double room = fmax(fabs(a->lo), fabs(a->hi));
    if (!log && a->hi - a->lo <= 1e-12 * room) {
        double half = room > 0 ? 0.5 * room : 0.5;
        a->lo -= half, a->hi += half;
    } else if (!log && a->hi == a->lo) {
        a->lo -= 0.5, a->hi += 0.5;
    }
    if (log)
        fit_log(a, exact, most);
    else
        fit_linear(a, exact, most);
}

double bex_axis_place(const bex_axis *a, double v) {
    if (!a->log) return (v - a->lo) / (a->hi - a->lo);
    if (!(v > 0)) return NAN;
    return log10(v / a->lo) / log10(a->hi / a->lo);
}
