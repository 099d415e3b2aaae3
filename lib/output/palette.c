// SPDX-License-Identifier: GPL-2.0-or-later
/* Both themes are mixed from one table: a hue, and how far it fades into the page. */
#include "config.h"

#include "output/palette.h"

enum hue {
	NONE, PAGE, INK, DIM, LINE, BLUE, SKY, ORANGE, GREEN, PURPLE, RED, YELLOW, GREY, BLACK,
	WHITE
};

static const uint32_t hues[2][WHITE + 1] = {
	[XLV_THEME_LIGHT] = {
		[PAGE] = 0xffffff, [INK] = 0x1a1a1a, [DIM] = 0x5c5c5c, [LINE] = 0xd4d4d4,
		[BLUE] = 0x0072b2, [SKY] = 0x56b4e9, [ORANGE] = 0xe69f00, [GREEN] = 0x009e73,
		[PURPLE] = 0xcc79a7, [RED] = 0xd55e00, [YELLOW] = 0xf0e442, [GREY] = 0x8c8c8c,
		[BLACK] = 0x1a1a1a, [WHITE] = 0xffffff,
	},
	[XLV_THEME_DARK] = {
		[PAGE] = 0x15181c, [INK] = 0xe9e9e9, [DIM] = 0xa4a9af, [LINE] = 0x3a4048,
		[BLUE] = 0x3596d6, [SKY] = 0x7cc7f2, [ORANGE] = 0xe69f00, [GREEN] = 0x10b082,
		[PURPLE] = 0xd58bb4, [RED] = 0xe8701a, [YELLOW] = 0xf0e442, [GREY] = 0x70767d,
		[BLACK] = 0x1a1a1a, [WHITE] = 0xffffff,
	},
};

struct spec {
	const char	*name;
	enum hue	fill, stroke;
	int		fade;		/* per cent of the page in the fill */
	double		width, dash;
	enum xlv_hatch	hatch;
	enum hue	hatch_hue;
	int		hatch_fade;
	double		size;
	bool		bold;
	int		stroke_fade;
};

#define FILL(n, h, f)			{ .name = n, .fill = h, .fade = f }
#define HATCH(n, h, f, ha, hh, hf)	{ .name = n, .fill = h, .fade = f, \
					  .hatch = XLV_HATCH_##ha, .hatch_hue = hh, \
					  .hatch_fade = hf }
#define STROKE(n, h, w, d)		{ .name = n, .stroke = h, .width = w, .dash = d }
#define TEXT(n, h, s, b)		{ .name = n, .fill = h, .size = s, .bold = b }
#define WORK(w)		[P_WORK + XLV_WORK_##w]
#define WHERE(w)	[P_WHERE + XLV_TASK_AT_##w]
#define ASLEEP(q)	[P_WHERE + XLV_TASK_AT_ASLEEP + XLV_QUEUE_##q]
#define STAGE(s)	[P_STAGE + XLV_STAGE_##s]
#define PART(p)		[P_PART + XLV_PART_##p]

static const struct spec specs[P_COUNT] = {
	[P_PAGE] = FILL("page", PAGE, 0),
	[P_LANE] = FILL("lane", GREY, 92),
	[P_GRID] = STROKE("grid", LINE, 0.6, 0),
	[P_AXIS] = STROKE("x-axis", DIM, 1, 0),
	[P_RULE] = STROKE("rule", LINE, 1, 0),
	[P_FOCUS] = { .name = "focus", .fill = BLUE, .fade = 94 },
	[P_HALO] = { .name = "halo", .stroke = PAGE, .width = 4 },

	[P_TITLE] = TEXT("title", INK, 17, true),
	[P_HEADING] = TEXT("heading", INK, 12, true),
	[P_TEXT] = TEXT("text", INK, 12, false),
	[P_MUTED] = TEXT("muted", DIM, 11, false),
	[P_SMALL] = TEXT("small", INK, 10, false),
	[P_ON_LIGHT] = TEXT("on-light", BLACK, 11, false),
	[P_ON_DARK] = TEXT("on-dark", WHITE, 11, false),
	[P_TINY_ON_LIGHT] = TEXT("tiny-on-light", BLACK, 9, false),
	[P_TINY_ON_DARK] = TEXT("tiny-on-dark", WHITE, 9, false),
	[P_WARNING] = TEXT("warning", RED, 12, true),

	WORK(UNKNOWN) = HATCH("w-unknown", GREY, 88, DOWN, GREY, 50),
	WORK(IDLE) = FILL("w-idle", GREY, 92),
	WORK(OTHER) = FILL("w-other", GREY, 45),
	WORK(SYNCER) = FILL("w-syncer", SKY, 55),
	WORK(FSYNC) = FILL("w-fsync", BLUE, 0),
	WORK(CIL_WORKER) = FILL("w-cil-worker", ORANGE, 0),
	WORK(LOG_WORKER) = HATCH("w-log-worker", GREEN, 0, UP, GREEN, 35),
	WORK(IO_DONE) = HATCH("w-io-done", PURPLE, 0, BARS, INK, 25),
	WORK(IRQ) = HATCH("w-irq", PURPLE, 55, BARS, PURPLE, 0),

	WHERE(UNKNOWN) = HATCH("t-unknown", GREY, 88, DOWN, GREY, 50),
	WHERE(RUNNING) = FILL("t-running", BLUE, 0),
	WHERE(RUNNABLE) = HATCH("t-runnable", YELLOW, 15, UP, BLACK, 62),
	ASLEEP(COMMIT) = FILL("t-commit", ORANGE, 62),
	ASLEEP(WRITE) = HATCH("t-write", RED, 62, LINES, RED, 25),
	ASLEEP(FORCE) = HATCH("t-force", GREEN, 68, DOWN, GREEN, 35),
	ASLEEP(OTHER) = HATCH("t-other", GREY, 70, LINES, GREY, 35),
	[P_WHERE + XLV_TASK_AT_ASLEEP + XLV_QUEUE_COUNT] = FILL("t-asleep", GREY, 86),

	STAGE(WRITE) = FILL("s-write", SKY, 40),
	STAGE(DATA_WRITEBACK) = HATCH("s-data-writeback", SKY, 15, DOWN, BLUE, 20),
	STAGE(CIL_QUEUE) = HATCH("s-cil-queue", ORANGE, 62, UP, ORANGE, 0),
	STAGE(CIL_PUSH) = FILL("s-cil-push", ORANGE, 0),
	STAGE(CIL_WAKE) = HATCH("s-cil-wake", ORANGE, 62, CROSS, RED, 0),
	STAGE(WRITE_WAIT) = HATCH("s-write-wait", RED, 62, LINES, RED, 25),
	STAGE(ICLOG_SUBMIT) = FILL("s-iclog-submit", YELLOW, 0),
	STAGE(LOG_IO) = FILL("s-log-io", PURPLE, 0),
	STAGE(IOEND_QUEUE) = HATCH("s-ioend-queue", GREEN, 68, UP, GREEN, 0),
	STAGE(CALLBACKS) = FILL("s-callbacks", GREEN, 0),
	STAGE(WAKE) = HATCH("s-wake", RED, 0, UP, RED, 35),
	STAGE(EXIT) = FILL("s-exit", BLUE, 45),
	STAGE(DEVICE_FLUSH) = HATCH("s-device-flush", PURPLE, 45, LINES, PURPLE, 0),
	STAGE(OTHER_WAIT) = HATCH("s-other-wait", GREY, 60, LINES, GREY, 0),
	STAGE(RUNNING) = FILL("s-running", BLUE, 0),
	STAGE(RUNNABLE) = HATCH("s-runnable", YELLOW, 40, CROSS, BLACK, 50),
	STAGE(CPU_SILENT) = HATCH("s-cpu-silent", INK, 35, DOWN, PAGE, 40),

	PART(WAKEUP_IPI) = FILL("p-wakeup-ipi", SKY, 20),
	PART(IDLE_EXIT) = HATCH("p-idle-exit", BLUE, 45, DOWN, BLUE, 0),
	PART(WAKER_BUSY) = HATCH("p-waker-busy", GREEN, 15, UP, INK, 40),
	PART(OTHER_TASK) = HATCH("p-other-task", GREY, 45, CROSS, INK, 50),
	PART(IRQ) = HATCH("p-irq", PURPLE, 30, BARS, INK, 40),
	PART(SCHED) = FILL("p-sched", YELLOW, 20),
	[P_PART + XLV_PART_UNKNOWN] = FILL("p-unknown", GREY, 70),

	[P_ICLOG_ACTIVE] = FILL("i-active", SKY, 70),
	[P_ICLOG_CLOSED] = FILL("i-closed", YELLOW, 25),
	[P_ICLOG_WRITE] = FILL("i-write", PURPLE, 0),
	[P_ICLOG_DONE] = HATCH("i-done", GREEN, 68, UP, GREEN, 0),
	[P_ICLOG_CALLBACKS] = FILL("i-callbacks", GREEN, 0),
	[P_ICLOG_ORDER] = HATCH("i-order", RED, 55, CROSS, RED, 0),
	[P_ICLOG_DIRTY] = FILL("i-dirty", GREY, 72),
	[P_BIO_QUEUED] = HATCH("b-queued", PURPLE, 70, UP, PURPLE, 20),
	[P_BIO_WRITE] = FILL("b-write", PURPLE, 0),
	[P_BIO_READ] = FILL("b-read", SKY, 0),
	[P_BIO_FLUSH] = HATCH("b-flush", PURPLE, 45, LINES, PURPLE, 0),

	[P_WAKE] = STROKE("a-wake", INK, 1.3, 0),
	[P_WAKE_HEAD] = FILL("a-wake-head", INK, 0),
	[P_WAKE_REMOTE] = STROKE("a-remote", RED, 1.9, 0),
	[P_WAKE_REMOTE_HEAD] = FILL("a-remote-head", RED, 0),
	[P_HANDOVER] = STROKE("a-work", DIM, 1, 3),
	[P_HANDOVER_HEAD] = FILL("a-work-head", DIM, 0),
	[P_BRACKET] = STROKE("x-bracket", INK, 1.2, 0),
	[P_LEADER] = STROKE("leader", DIM, 0.7, 0),

	[P_GAP] = HATCH("gap", NONE, 0, CROSS, RED, 0),
	[P_SILENCE] = HATCH("silence", NONE, 0, DOWN, INK, 0),

	[P_CURVE + 0] = STROKE("c-span", INK, 2, 2),
	[P_CURVE + 1] = STROKE("c-t1", BLUE, 2.4, 0),
	[P_CURVE + 2] = STROKE("c-t2", ORANGE, 2.4, 8),
	[P_CURVE + 3] = STROKE("c-t3", GREEN, 2.4, 4),
	[P_CURVE + 4] = STROKE("c-t4", RED, 2.4, 0),
	[P_DOT + XLV_KIND_LOG_FORCE] = FILL("d-log-force", BLUE, 0),
	[P_DOT + XLV_KIND_FLUSH_ONLY] = FILL("d-flush-only", GREY, 0),
	[P_DOT + XLV_KIND_PIGGYBACK] = FILL("d-piggyback", ORANGE, 0),
	[P_DOT + XLV_KIND_NO_WAIT] = FILL("d-no-wait", GREEN, 0),
	[P_SYNC] = FILL("y-sync", SKY, 50),
	[P_SYNC_OWN] = FILL("y-own", BLUE, 0),
	[P_DOT_PARTIAL] = { .name = "d-partial", .stroke = RED, .width = 1 },
};

static uint32_t mix(const uint32_t *hue, enum hue h, int fade)
{
	uint32_t a, b, out = 0;

	if (h == NONE)
		return 0;
	a = hue[h];
	b = hue[PAGE];
	for (int shift = 0; shift < 24; shift += 8) {
		uint32_t x = a >> shift & 0xff, y = b >> shift & 0xff;

		out |= ((x * (100 - fade) + y * fade + 50) / 100) << shift;
	}
	return out << 8 | 0xff;
}

const struct xlv_paint *xlv_palette(enum xlv_theme theme)
{
	static struct xlv_paint tables[2][P_COUNT];
	const uint32_t *hue = hues[theme];
	struct xlv_paint *table = tables[theme];

	for (int i = 0; i < P_COUNT; i++) {
		const struct spec *s = &specs[i];

		table[i] = (struct xlv_paint){
			.name = s->name,
			.fill = mix(hue, s->fill, s->fade),
			.stroke = mix(hue, s->stroke, s->stroke_fade),
			.width = s->width, .dash = s->dash,
			.hatch = s->hatch,
			.hatch_colour = mix(hue, s->hatch_hue, s->hatch_fade),
			.size = s->size, .bold = s->bold,
		};
	}
	return table;
}

int xlv_palette_on(const struct xlv_paint *palette, int paint, bool tiny)
{
	uint32_t c = palette[paint].fill ? palette[paint].fill : palette[P_PAGE].fill;
	int light = ((c >> 24) * 299 + (c >> 16 & 0xff) * 587 + (c >> 8 & 0xff) * 114) / 1000;

	if (light < 125)
		return tiny ? P_TINY_ON_DARK : P_ON_DARK;
	return tiny ? P_TINY_ON_LIGHT : P_ON_LIGHT;
}
