// The functions of gdk-pixbuf, GObject and GLib that are called, declared according to their stable interface (2.x).
//
// Their own headers need compiler flags from pkg-config. SwiftPM warns about one of the flags (-pthread) in every
// build of the package. The libraries are still linked by name.
#ifndef BLUEBONNET_CGDKPIXBUF_SHIM_H
#define BLUEBONNET_CGDKPIXBUF_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef struct _GdkPixbuf GdkPixbuf;
typedef struct _GdkPixbufLoader GdkPixbufLoader;

/// GLib's error (gerror.h).
typedef struct _GError {
    uint32_t domain;
    int code;
    char *message;
} GError;

GdkPixbufLoader *gdk_pixbuf_loader_new_with_type(const char *image_type, GError **error);
void gdk_pixbuf_loader_set_size(GdkPixbufLoader *loader, int width, int height);
int gdk_pixbuf_loader_write(GdkPixbufLoader *loader, const unsigned char *bytes, size_t count, GError **error);
int gdk_pixbuf_loader_close(GdkPixbufLoader *loader, GError **error);
GdkPixbuf *gdk_pixbuf_loader_get_pixbuf(GdkPixbufLoader *loader);

GdkPixbuf *gdk_pixbuf_apply_embedded_orientation(GdkPixbuf *pixbuf);
int gdk_pixbuf_get_width(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_height(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_n_channels(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_rowstride(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_bits_per_sample(const GdkPixbuf *pixbuf);
const uint8_t *gdk_pixbuf_read_pixels(const GdkPixbuf *pixbuf);

void g_object_unref(void *object);
void g_error_free(GError *error);
unsigned long g_signal_connect_data(
    void *instance, const char *signal, void (*handler)(void), void *data, void (*destroy)(void *, void *), unsigned flags);

/// Called with the image's size, before memory for its pixels is allocated.
typedef void (*bluebonnet_size_callback)(GdkPixbufLoader *loader, int width, int height, void *context);

/// Connects a handler to the signal; GObject takes a handler as a function without parameters.
static inline void bluebonnet_connect_size_prepared(
    GdkPixbufLoader *loader, bluebonnet_size_callback callback, void *context) {
    g_signal_connect_data(loader, "size-prepared", (void (*)(void))callback, context, NULL, 0);
}

#endif
