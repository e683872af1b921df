// draw/view_study.h: the page of a parameter study.
#ifndef LMB_DRAW_VIEW_STUDY_H
#define LMB_DRAW_VIEW_STUDY_H

#include <limber/limber.h>

// options->results[0] is a study file.
lmb_status lmb_view_study(const char *path, const lmb_view_options *options, lmb_error *err);

#endif
