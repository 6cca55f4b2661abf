#include "plot/theme.h"

#include <math.h>

#define RGB(hex) \
	{ \
		(hex) >> 16 & 0xff, (hex) >> 8 & 0xff, (hex)&0xff, 255 \
	}

const struct na_theme na_theme_light = {
	.background = RGB(0xffffff),
	.text = RGB(0x1b1f24),
	.secondary = RGB(0x5b6470),
	.faint = RGB(0x9aa4b0),
	.grid = RGB(0xe6e8eb),
	.axis = RGB(0x9aa4b0),
	.limit = RGB(0x3d444d),
	.hue =
		{
			[NA_BLUE] = RGB(0x0072b2),
			[NA_VERMILION] = RGB(0xd55e00),
			[NA_GREEN] = RGB(0x009e73),
			[NA_PURPLE] = RGB(0xcc79a7),
			[NA_SKY] = RGB(0x56b4e9),
			[NA_ORANGE] = RGB(0xe69f00),
			[NA_YELLOW] = RGB(0xf0e442),
			[NA_GREY] = RGB(0x7f8790),
		},
};

/* The same hues, lightened: at least 3:1 against the background. */
const struct na_theme na_theme_dark = {
	.background = RGB(0x111418),
	.text = RGB(0xe6e8eb),
	.secondary = RGB(0x9aa4b0),
	.faint = RGB(0x6b7480),
	.grid = RGB(0x262b31),
	.axis = RGB(0x5b6470),
	.limit = RGB(0xc3cad2),
	.hue =
		{
			[NA_BLUE] = RGB(0x3d9fe0),
			[NA_VERMILION] = RGB(0xf5813a),
			[NA_GREEN] = RGB(0x2dbf95),
			[NA_PURPLE] = RGB(0xdf9cc2),
			[NA_SKY] = RGB(0x93d2f7),
			[NA_ORANGE] = RGB(0xf2b632),
			[NA_YELLOW] = RGB(0xf5ec6e),
			[NA_GREY] = RGB(0x8d959e),
		},
};

static void put_property(FILE *out, const char *name, struct na_color c)
{
	fprintf(out, "--na-%s:#%02x%02x%02x;", name, c.r, c.g, c.b);
}

static void put_properties(FILE *out, const struct na_theme *t)
{
	static const char *const hues[NA_HUES] = {
		[NA_BLUE] = "blue",     [NA_VERMILION] = "vermilion",
		[NA_GREEN] = "green",   [NA_PURPLE] = "purple",
		[NA_SKY] = "sky",       [NA_ORANGE] = "orange",
		[NA_YELLOW] = "yellow", [NA_GREY] = "grey",
	};

	put_property(out, "bg", t->background);
	put_property(out, "text", t->text);
	put_property(out, "secondary", t->secondary);
	put_property(out, "faint", t->faint);
	put_property(out, "grid", t->grid);
	put_property(out, "axis", t->axis);
	put_property(out, "limit", t->limit);
	for (int i = 0; i < NA_HUES; i++)
		put_property(out, hues[i], t->hue[i]);
}

void na_theme_css(FILE *out)
{
	fputs(":root{color-scheme:light dark;", out);
	put_properties(out, &na_theme_light);
	fputs("}\n@media screen and (prefers-color-scheme:dark){:root{", out);
	put_properties(out, &na_theme_dark);
	fputs("}}\n", out);
}

struct na_color na_fade(struct na_color color, double share)
{
	double a = color.a * share;

	color.a = a < 0 ? 0 : a > 255 ? 255 : (unsigned char)lround(a);
	return color;
}

struct na_color na_mix(struct na_color a, struct na_color b, double share)
{
	return (struct na_color){
		(unsigned char)lround(a.r + (b.r - a.r) * share),
		(unsigned char)lround(a.g + (b.g - a.g) * share),
		(unsigned char)lround(a.b + (b.b - a.b) * share), 255};
}

static double linear(unsigned char v)
{
	double s = v / 255.0;

	return s <= 0.03928 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static double luminance(struct na_color c)
{
	return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) +
	       0.0722 * linear(c.b);
}

double na_contrast(struct na_color a, struct na_color b)
{
	double x = luminance(a), y = luminance(b);

	return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}
