// Linux headers that Swift's Glibc module leaves out. What cannot be imported (variadic calls, function-like macros) gets a
// `static inline` here and nothing else does: no logic.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>

// A hint to the processor, for which Swift has no word. Any address will do.
static inline void clinux_prefetch(const void *place) { __builtin_prefetch(place); }

// Variadic.
static inline int clinux_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
