/* LD_PRELOAD shim between pyalsaaudio and libasound that makes devices fail on purpose.
 *
 * EDGED_FAULTS       comma-separated plan, counted in calls of snd_pcm_writei from 1:
 *                      xrun@N   call N finds the device played dry and is rejected with -EPIPE
 *                      short@N  call N takes only half of its frames
 *                      stuck@N  from call N on snd_pcm_avail stands still
 *                      nodrain@1  snd_pcm_drain never returns
 *                      rate@HZ, channels@N  the device grants these, whatever it is asked for
 *
 * EDGED_FAULT_FILE   a file with the name of what is wrong as long as it is there:
 *                      busy       it cannot be opened: -EBUSY
 *                      away       unplugged: -ENODEV from everything
 *                      badfd      unplugged a moment ago: -EBADFD from an open one, -ENODEV from opening
 *                      suspended  it can be opened, and everything else is -ESTRPIPE
 *                      xrun       every write finds it played dry
 *                      short      every write takes only half of its frames
 *                      stuck      it stands still and does not drain
 *                      nodrain    it does not drain
 *                      hang       no call returns
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
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

/* whether this is what the file says is wrong */
static int now(const char *fault)
{
	char said[32] = "";
	const char *path = getenv("EDGED_FAULT_FILE");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return 0;
	if (read(fd, said, sizeof said - 1) < 0)
		said[0] = 0;
	close(fd);
	return !strcmp(said, fault);
}

static void hang_if_so(void)
{
	while (now("hang"))
		usleep(10000);
}

/* what every call on an open device gives, 0 when nothing is wrong */
static int broken(void)
{
	hang_if_so();
	return now("away") ? -ENODEV : now("badfd") ? -EBADFD : now("suspended") ? -ESTRPIPE : 0;
}

static int stuck(void)
{
	return now("stuck") || (planned("stuck") && planned("stuck") <= writes);
}

int snd_pcm_open(snd_pcm_t **pcm, const char *name, int stream, int mode)
{
	int (*next)(snd_pcm_t **, const char *, int, int) = real("snd_pcm_open");

	hang_if_so();
	if (now("busy"))
		return -EBUSY;
	if (now("away") || now("badfd"))
		return -ENODEV;
	return next(pcm, name, stream, mode);
}

int snd_pcm_hw_params_set_rate_near(snd_pcm_t *pcm, void *params, unsigned *rate, int *dir)
{
	int (*next)(snd_pcm_t *, void *, unsigned *, int *) = real("snd_pcm_hw_params_set_rate_near");

	if (planned("rate"))
		*rate = planned("rate");
	return next(pcm, params, rate, dir);
}

int snd_pcm_hw_params_set_channels(snd_pcm_t *pcm, void *params, unsigned channels)
{
	int (*next)(snd_pcm_t *, void *, unsigned) = real("snd_pcm_hw_params_set_channels");

	return next(pcm, params, planned("channels") ? planned("channels") : channels);
}

frames_t snd_pcm_writei(snd_pcm_t *pcm, const void *data, unsigned long frames)
{
	frames_t (*next)(snd_pcm_t *, const void *, unsigned long) = real("snd_pcm_writei");
	int (*play_dry)(snd_pcm_t *) = real("snd_pcm_drain");

	writes++;
	if (broken())
		return broken();
	if (planned("xrun") == writes || now("xrun")) {
		play_dry(pcm);
		return -EPIPE;
	}
	if (planned("short") == writes || now("short"))
		frames = (frames + 1) / 2;
	return next(pcm, data, frames);
}

frames_t snd_pcm_avail(snd_pcm_t *pcm)
{
	frames_t (*next)(snd_pcm_t *) = real("snd_pcm_avail");

	if (broken())
		return broken();
	return stuck() ? 1 : next(pcm);
}

int snd_pcm_drain(snd_pcm_t *pcm)
{
	int (*next)(snd_pcm_t *) = real("snd_pcm_drain");

	while (planned("nodrain"))
		pause();
	while (now("stuck") || now("nodrain"))
		usleep(10000);
	return broken() ? broken() : next(pcm);
}

int snd_pcm_drop(snd_pcm_t *pcm)
{
	int (*next)(snd_pcm_t *) = real("snd_pcm_drop");
	int result = next(pcm); /* what is gone falls silent */

	return broken() ? broken() : result;
}
