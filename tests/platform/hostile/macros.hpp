// SPDX-License-Identifier: BSL-1.0

// What other headers define before ours are read: names that are macros on some platform or in some
// framework, each spelt as it is there. What stands before an arrow is where it comes from.

// windows.h and what it includes
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define small char
#define interface struct
#define hyper long long
#define near
#define far
#define pascal
#define cdecl
#define IN
#define OUT
#define OPTIONAL
#define ERROR 0
#define DELETE (0x00010000L)
#define IGNORE 0
#define TRANSPARENT 1
#define OPAQUE 2
#define Yield()

// Xlib.h and X.h
#define None 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Always 2
#define Success 0
#define Above 0
#define Below 1
#define Complex 0

// Qt, where its keywords are not switched off
#define slots
#define signals public
#define emit
#define foreach for
#define forever for (;;)

// Apple's AssertMacros.h and the Unreal engine
#define check(holds) static_cast<void>(holds)
#define checkf(holds, words) static_cast<void>(holds)
#define require(holds, label)     \
    do {                          \
        if (!(holds)) goto label; \
    } while (false)
#define verify(holds) static_cast<void>(holds)
#define ensure(holds) (!!(holds))
#define TEXT(words) L##words

// g++ and clang with GNU extensions, glibc before 2.28, the Linux kernel's way
#define linux 1
#define unix 1
#define major(device) ((device) >> 8)
#define minor(device) ((device) & 255)
#define likely(holds) (holds)
#define unlikely(holds) (holds)
#define unused(value) static_cast<void>(value)
#define container_of(place, type, member) nullptr

// Test and logging frameworks
#define LOG(level) static_assert(false)
#define CHECK(holds) static_assert(false)
#define REQUIRE(holds) static_assert(false)
#define ASSERT(holds) static_assert(false)
#define EXPECT(holds) static_assert(false)
