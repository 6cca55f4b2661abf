/* What others say in the words of tcp. */
#ifndef NETAN_ANALYSES_TCP_TCP_H
#define NETAN_ANALYSES_TCP_TCP_H

/* Of delayed acknowledgements that hold small writes back. */
extern const char na_tcp_delayed_remedy[];

#endif
