/* LD_PRELOAD shim between pyalsaaudio and libasound that makes devices fail on purpose.
 *
 * EDGED_FAULTS       comma-separated plan, counted in calls of snd_pcm_writei from 1:
 *                      xrun@N   call N finds the device played dry and is rejected with -EPIPE
 *                      short@N  call N takes only half of its frames
 *                      stuck@N  from call N on snd_pcm_avail stands still
 *                      nodrain@1  snd_pcm_drain never returns
 *                      rate@HZ  the device grants this rate, whatever it is asked for
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct _snd_pcm snd_pcm_t;
typedef long frames_t;

static long writes;

/* RTLD_NEXT does not reach it: Python loads its extension, and libasound with it, as RTLD_LOCAL */
static void *real(const char *function)
{
	return dlsym(dlopen("libasound.so.2", RTLD_NOW), function);
}

/* the number that the plan gives to this fault, 0 when it has none */
static long planned(const char *fault)
{
	char plan[256], *entry, *rest = plan;
	const char *given = getenv("EDGED_FAULTS");

	snprintf(plan, sizeof plan, "%s", given ? given : "");
	while ((entry = strsep(&rest, ",")))
		if (!strncmp(entry, fault, strlen(fault)) && entry[strlen(fault)] == '@')
			return atol(entry + strlen(fault) + 1);
	return 0;
}

static int stuck(void)
{
	return planned("stuck") && planned("stuck") <= writes;
}

int snd_pcm_hw_params_set_rate_near(snd_pcm_t *pcm, void *params, unsigned *rate, int *dir)
{
	int (*next)(snd_pcm_t *, void *, unsigned *, int *) = real("snd_pcm_hw_params_set_rate_near");

	if (planned("rate"))
		*rate = planned("rate");
	return next(pcm, params, rate, dir);
}

frames_t snd_pcm_writei(snd_pcm_t *pcm, const void *data, unsigned long frames)
{
	frames_t (*next)(snd_pcm_t *, const void *, unsigned long) = real("snd_pcm_writei");
	int (*play_dry)(snd_pcm_t *) = real("snd_pcm_drain");

	writes++;
	if (planned("xrun") == writes) {
		play_dry(pcm);
		return -EPIPE;
	}
	if (planned("short") == writes)
		frames = (frames + 1) / 2;
	return next(pcm, data, frames);
}

frames_t snd_pcm_avail(snd_pcm_t *pcm)
{
	frames_t (*next)(snd_pcm_t *) = real("snd_pcm_avail");

	return stuck() ? 1 : next(pcm);
}

int snd_pcm_drain(snd_pcm_t *pcm)
{
	int (*next)(snd_pcm_t *) = real("snd_pcm_drain");

	while (planned("nodrain"))
		pause();
	return next(pcm);
}
