// SPDX-License-Identifier: GPL-2.0-or-later
/* One sync a line as JSON. */
#include "config.h"

#include "output/json.h"
#include "output/ndjson.h"

int xlv_ndjson_syncs(FILE *out, const struct xlv_report *rep)
{
	const struct xlv_source *src = &rep->source;
	struct xlv_detail d = { 0 };
	struct xlv_jsonw w;
	int ret = 0;

	for (int64_t i = 0; i < rep->nr_selected; i++) {
		ret = xlv_sync_detail(rep->run, rep->selected[i], &d);
		if (ret)
			break;
		xlv_jsonw_init(&w, out, 0);
		xlv_jsonw_object(&w, NULL);
		xlv_jsonw_str(&w, "file", src->file);
		xlv_jsonw_str(&w, "kernel", src->kernel && *src->kernel ? src->kernel : NULL);
		xlv_json_sync(&w, rep->run, rep->selected[i], &d);
		xlv_jsonw_finish(&w);
	}
	xlv_detail_free(&d);
	return ret;
}
