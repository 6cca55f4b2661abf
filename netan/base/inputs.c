#include "netan/base/inputs.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/stat.h>

#include "netan/base/vec.h"

struct file {
	dev_t device;
	ino_t inode; /* 0: none */
};

/* A hash table with a quarter free at least. */
static struct {
	pthread_mutex_t lock;
	struct file *files;
	size_t n, room; /* room: a power of two, or 0 */
} inputs = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { ROOM_LEAST = 64 };

static struct file *find(struct file *files, size_t room, dev_t device,
			 ino_t inode)
{
	uint64_t h = ((uint64_t)inode ^ (uint64_t)device << 32) *
		     UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = (size_t)(h >> 32);; i++) {
		struct file *f = &files[i & (room - 1)];

		if (!f->inode || (f->inode == inode && f->device == device))
			return f;
	}
}

static bool grow(void)
{
	size_t room = inputs.room ? 2 * inputs.room : ROOM_LEAST;
	struct file *files = na_calloc(room, sizeof(*files));

	if (!files)
		return false;
	for (size_t i = 0; i < inputs.room; i++) {
		const struct file *f = &inputs.files[i];

		if (f->inode)
			*find(files, room, f->device, f->inode) = *f;
	}
	free(inputs.files);
	inputs.files = files;
	inputs.room = room;
	return true;
}

void na_inputs_add(int fd)
{
	struct stat is;

	if (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode) || !is.st_ino)
		return;
	pthread_mutex_lock(&inputs.lock);
	if (inputs.n < inputs.room / 4 * 3 || grow()) {
		struct file *f = find(inputs.files, inputs.room, is.st_dev,
				      is.st_ino);

		inputs.n += !f->inode;
		*f = (struct file){is.st_dev, is.st_ino};
	}
	pthread_mutex_unlock(&inputs.lock);
}

bool na_inputs_hold(const struct stat *file)
{
	bool held;

	pthread_mutex_lock(&inputs.lock);
	held = inputs.room && S_ISREG(file->st_mode) &&
	       find(inputs.files, inputs.room, file->st_dev, file->st_ino)
		       ->inode;
	pthread_mutex_unlock(&inputs.lock);
	return held;
}
