#ifndef BLUEBONNET_CPOSTGRESQL_SHIM_H
#define BLUEBONNET_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

#endif
