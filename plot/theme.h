/*
 * The look that all figures share: colours for a light and a dark page, and
 * sizes in page units at the default page, which layout.h scales.
 */
#ifndef PLOT_THEME_H
#define PLOT_THEME_H

#include <stdbool.h>
#include <stdio.h>

struct na_color {
	unsigned char r, g, b, a;
};

/*
 * Categorical colours, distinct for the common colour-vision deficiencies,
 * in the order in which series take them.  Yellow is only for a fill with a
 * dark edge, grey only for "rest".
 */
enum na_hue {
	NA_BLUE,
	NA_VERMILION,
	NA_GREEN,
	NA_PURPLE,
	NA_SKY,
	NA_ORANGE,
	NA_YELLOW,
	NA_GREY,
	NA_HUES
};

struct na_theme {
	struct na_color background;
	struct na_color text, secondary, faint;
	struct na_color grid, axis;
	struct na_color limit; /* dashes of a capacity, a threshold */
	struct na_color hue[NA_HUES];
};

/* What a colour means is the same in every figure. */
#define NA_HUE_RX      NA_BLUE
#define NA_HUE_TX      NA_VERMILION
#define NA_HUE_PENDING NA_GREEN
#define NA_HUE_FINDING NA_VERMILION
#define NA_HUE_REST    NA_GREY

/* Series that are drawn one by one before the others become the rest. */
#define NA_TOP_SERIES 6

#define NA_SIZE_TITLE 18.0
#define NA_SIZE_NAME  14.0 /* name of a panel */
#define NA_SIZE_TEXT  13.0
#define NA_SIZE_SMALL 10.0
#define NA_SIZE_MIN   10.0 /* however small the page is */

extern const struct na_theme na_theme_light, na_theme_dark;

/*
 * Both themes for an HTML page that holds figures: declarations of
 *	--na-bg --na-text --na-secondary --na-faint --na-grid --na-axis
 *	--na-limit --na-blue --na-vermilion --na-green --na-purple --na-sky
 *	--na-orange --na-yellow --na-grey
 * on :root, for the light scheme and paper, then for the dark scheme.  No
 * <style> around it; errors stay in `out`.
 */
void na_theme_css(FILE *out);

/* The colour at `share` of its own opacity, kept within 0 to 255. */
struct na_color na_fade(struct na_color color, double share);

/* `share` (0 to 1) of b in a, opaque; mixed in sRGB as it is stored. */
struct na_color na_mix(struct na_color a, struct na_color b, double share);

/* Contrast ratio of two opaque colours as WCAG 2.1 defines it: 1 to 21. */
double na_contrast(struct na_color a, struct na_color b);

#endif
